// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transform of two items, given one input.
#include <warpfold/reduce.cuh>

#include <span>

struct difference {
#if defined(MISTAKE)
  __host__ __device__ float operator()(float a, float b) const { return a - b; }
#else
  __host__ __device__ float operator()(float a) const { return -a; }
#endif
};

void fold(std::span<const float> in, float* out) {
  warpfold::transform_reduce(in, out, warpfold::plus{}, difference{});
}
