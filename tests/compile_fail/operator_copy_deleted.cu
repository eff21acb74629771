// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator whose copying is deleted, which g++ calls trivially copyable.
#include <warpfold/reduce.cuh>

#include <span>

struct add {
#if defined(MISTAKE)
  add() = default;
  add(const add&) = delete;
#endif
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

void fold(std::span<const float> in, float* out) { warpfold::reduce(in, out, add{}); }
