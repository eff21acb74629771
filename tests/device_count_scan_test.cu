// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans whose count the kernel reads: they have the bits of the tree, and write nothing behind the last prefix.
#include <gtest/gtest.h>

#include <warpfold/device_count_scan.cuh>

#include "common/device.cuh"
#include "common/interval.hpp"

namespace scan_device_count_tests {

namespace wf = warpfold;
using wf_test::device_array;
using interval = wf_test::interval<>;

TEST(scan_device_count, every_prefix_and_nothing_behind) {
  constexpr int most = 60'000;
  const std::vector<interval> items = wf_test::interval_items(most);
  const device_array<unsigned> count(1);
  for (const unsigned n : {0u, 1u, 100u, 9'000u, 59'999u})
    for (const int max_blocks : {0, 2}) {
      const device_array<interval> in_place(items);
      count.set(0, n);
      wf::inclusive_scan(in_place.data(), wf::device_count(count.data(), most), in_place.data(), wf_test::join{},
                         {.max_blocks = max_blocks});
      const std::vector<interval> scanned = in_place.to_host();
      for (int i = 0; i < most; ++i)
        ASSERT_EQ(scanned[static_cast<std::size_t>(i)], interval::of(static_cast<unsigned>(i) < n ? 0 : i, i)) << n;
    }
}

TEST(scan_device_count, transformed_items) {
  constexpr int most = 5'000, n = 4'321;
  std::vector<int> numbers(most);
  for (int i = 0; i < most; ++i) numbers[static_cast<std::size_t>(i)] = i;
  const device_array<int> in(numbers);
  const device_array<int> count(std::vector<int>{n});
  const device_array<interval> out(std::vector<interval>(most, interval::of(-9)));
  wf::transform_inclusive_scan(in.data(), wf::device_count(count.data(), most), out.data(), wf_test::join{},
                               wf_test::to_interval<interval>{});
  const std::vector<interval> scanned = out.to_host();
  for (int i = 0; i < most; ++i)
    ASSERT_EQ(scanned[static_cast<std::size_t>(i)], i < n ? interval::of(0, i) : interval::of(-9)) << i;
}

TEST(scan_device_count, errors_name_the_argument) {
  const device_array<interval> in(5);
  const device_array<int> count(1);
  const std::span<interval> out(in.data(), 5);
  EXPECT_THROW(wf::inclusive_scan(in.data(), wf::device_count(count.data(), 6), out, wf_test::join{}),
               std::invalid_argument);
}

}  // namespace scan_device_count_tests
