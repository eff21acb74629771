// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts past 2^31 and 2^32, of items that an iterator computes, into outputs that are checked and not kept. The
// emulator is too slow for so many.
#include <gtest/gtest.h>
#include <warpfold/segmented_scan.cuh>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "reduce/iterators.cuh"

namespace wf = warpfold;
using long_interval = wf_test::interval<std::int64_t>;

namespace {

/// Counts results that are not those of segments from `first` on, of `length` items.
struct checking_prefixes {
  struct place {
    const checking_prefixes& all;
    std::int64_t i;
    __device__ const place& operator=(const long_interval& value) const {
      const std::int64_t begin = i < all.first ? 0 : all.first + (i - all.first) / all.length * all.length;
      if (!(value == long_interval::of(begin, i))) atomicAdd(all.wrong, 1ull);
      if (i % 65'536 == 0) atomicAdd(all.wrong + 1, 1ull);
      return *this;
    }
  };
  unsigned long long* wrong;  ///< and a count of some results
  std::int64_t first, length;
  __device__ place operator[](std::int64_t i) const { return {*this, i}; }
};

template <class Segments>
void expect_segments(std::int64_t count, const Segments& segments, std::int64_t first, std::int64_t length) {
  for (const int max_blocks : {0, 200}) {
    const wf_test::device_array<unsigned long long> wrong(std::vector<unsigned long long>(2));
    wf::segmented_inclusive_scan(wf_test::counting<long_interval>{0}, count, segments,
                                 checking_prefixes{wrong.data(), first, length}, wf_test::join{},
                                 {.max_blocks = max_blocks});
    EXPECT_EQ(wrong.value(), 0u) << count << ", " << length;
    EXPECT_EQ(wrong.value(1), static_cast<unsigned long long>((count - 1) / 65'536 + 1)) << count;
  }
}

TEST(segmented_scan_large_counts, order_of_counted_items) {
  constexpr std::int64_t count = 5'000'000'029;
  for (const std::int64_t first : {std::int64_t{7}, (std::int64_t{1} << 31) + 1, (std::int64_t{1} << 32) - 1}) {
    const wf_test::device_array<std::int64_t> offsets(std::vector<std::int64_t>{0, first, first, count});
    expect_segments(count, offsets.items(), first, count);
  }
  expect_segments(1'000 * std::int64_t{5'000'011}, wf::fixed_length{1'000}, 0, 1'000);
  expect_segments(3 * ((std::int64_t{1} << 31) + 5), wf::fixed_length{(std::int64_t{1} << 31) + 5}, 0,
                  (std::int64_t{1} << 31) + 5);
}

}  // namespace
