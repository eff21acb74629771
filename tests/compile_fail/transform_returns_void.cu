// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transform that returns nothing.
#include <warpfold/reduce.cuh>

#include <span>

struct negate {
#if defined(MISTAKE)
  __host__ __device__ void operator()(float) const {}
#else
  __host__ __device__ float operator()(float a) const { return -a; }
#endif
};

void fold(std::span<const float> in, float* out) { warpfold::transform_reduce(in, out, warpfold::plus{}, negate{}); }
