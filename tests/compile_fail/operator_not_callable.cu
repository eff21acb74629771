// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator that takes its items apart cannot fold partial results.
#include <warpfold/reduce.cuh>

#include <span>

struct item {
  int value;
};

struct concatenate {
#if defined(MISTAKE)
  __host__ __device__ int operator()(item left, int right) const { return left.value + right; }
#else
  __host__ __device__ item operator()(item left, item right) const { return {left.value + right.value}; }
#endif
};

void fold(std::span<const item> in, item* out) { warpfold::reduce(in, out, concatenate{}); }
