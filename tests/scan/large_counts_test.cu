// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts past 2^31 and 2^32, of items that an iterator computes, into outputs that are checked and not kept. The
// emulator is too slow for so many.
#include <gtest/gtest.h>
#include <warpfold/scan.cuh>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "reduce/iterators.cuh"

namespace wf = warpfold;
using long_interval = wf_test::interval<std::int64_t>;

namespace {

/// Counts results that are not [0, i].
struct checking_output {
  struct place {
    unsigned long long* wrong;
    std::int64_t i;
    __device__ const place& operator=(const long_interval& value) const {
      if (!(value == long_interval::of(0, i))) atomicAdd(wrong, 1ull);
      if (i % 65'536 == 0) atomicAdd(wrong + 1, 1ull);
      return *this;
    }
  };
  unsigned long long* wrong;  ///< and a count of some results
  __device__ place operator[](std::int64_t i) const { return {wrong, i}; }
};

TEST(scan_large_counts, order_of_counted_items) {
  for (const std::int64_t count :
       {(std::int64_t{1} << 31) + 1, (std::int64_t{1} << 32) + 5, std::int64_t{5'000'000'029}})
    for (const int max_blocks : {0, 200}) {
      const wf_test::device_array<unsigned long long> wrong(std::vector<unsigned long long>(2));
      wf::inclusive_scan(wf_test::counting<long_interval>{0}, count, checking_output{wrong.data()}, wf_test::join{},
                         {.max_blocks = max_blocks});
      EXPECT_EQ(wrong.value(), 0u) << count;
      EXPECT_EQ(wrong.value(1), static_cast<unsigned long long>((count - 1) / 65'536 + 1)) << count;
    }
}

}  // namespace
