// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The address of a host function means nothing on a GPU.
#include <warpfold/reduce.cuh>

#include <span>

#if defined(MISTAKE)
float square(float x) { return x * x; }
#else
struct squared {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
constexpr squared square;
#endif

void fold(std::span<const float> in, float* out) { warpfold::transform_reduce(in, out, warpfold::plus{}, square); }
