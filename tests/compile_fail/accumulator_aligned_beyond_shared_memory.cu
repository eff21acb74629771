// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory is aligned to 128 bytes.
#include <warpfold/scan.cuh>

#include <span>

#if defined(MISTAKE)
struct alignas(256) aligned_item {
  int value;
};
#else
struct alignas(128) aligned_item {
  int value;
};
#endif
struct add_aligned {
  __host__ __device__ aligned_item operator()(const aligned_item& a, const aligned_item& b) const {
    return {a.value + b.value};
  }
};

void scan(std::span<const aligned_item> in, aligned_item* out) { warpfold::inclusive_scan(in, out, add_aligned{}); }
