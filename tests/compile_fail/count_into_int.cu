// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A count has 64 bits.
#include <warpfold/quantifiers.cuh>

#include <span>

struct is_even {
  __host__ __device__ bool operator()(int item) const { return item % 2 == 0; }
};

#if defined(MISTAKE)
void count(std::span<const int> in, int* out) { warpfold::count_if(in, out, is_even{}); }
#else
void count(std::span<const int> in, std::int64_t* out) { warpfold::count_if(in, out, is_even{}); }
#endif
