// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An order of other items.
#include <warpfold/arg_reduce.cuh>

#include <span>

struct by_name {
#if defined(MISTAKE)
  __host__ __device__ bool operator()(const char* a, const char* b) const { return *a < *b; }
#else
  __host__ __device__ bool operator()(float a, float b) const { return a < b; }
#endif
};

void find(std::span<const float> in, warpfold::indexed_value<float>* out) { warpfold::argmin(in, out, by_name{}); }
