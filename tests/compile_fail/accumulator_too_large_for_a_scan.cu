// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block's nodes lie in shared memory.
#include <warpfold/scan.cuh>

#include <span>

#if defined(MISTAKE)
constexpr int values_of_large_item = 500;
#else
constexpr int values_of_large_item = 5;
#endif
struct large_item {
  int values[values_of_large_item];
};
struct first_large {
  __host__ __device__ large_item operator()(const large_item& a, const large_item&) const { return a; }
};

void scan(std::span<const large_item> in, large_item* out) { warpfold::inclusive_scan(in, out, first_large{}); }
