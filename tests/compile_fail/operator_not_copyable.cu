// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator that cannot be copied.
#include <warpfold/reduce.cuh>

#include <memory>
#include <span>

struct add {
#if defined(MISTAKE)
  std::unique_ptr<int> owned;
#endif
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

void fold(std::span<const float> in, float* out) { warpfold::reduce(in, out, add{}); }
