// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transform travels to the GPU by its bytes; a vector's items do not.
#include <warpfold/reduce.cuh>

#include <span>
#include <vector>

struct look_up {
#if defined(MISTAKE)
  std::vector<float> table;
#else
  const float* table;
#endif
  __host__ __device__ float operator()(int i) const { return table[i]; }
};

void fold(std::span<const int> in, float* out, look_up f) { warpfold::transform_reduce(in, out, warpfold::plus{}, f); }
