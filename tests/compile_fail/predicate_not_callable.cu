// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A predicate of two items.
#include <warpfold/quantifiers.cuh>

#include <span>

struct is_even {
#if defined(MISTAKE)
  __host__ __device__ bool operator()(int item, int) const { return item % 2 == 0; }
#else
  __host__ __device__ bool operator()(int item) const { return item % 2 == 0; }
#endif
};

void count(std::span<const int> in, std::int64_t* out) { warpfold::count_if(in, out, is_even{}); }
