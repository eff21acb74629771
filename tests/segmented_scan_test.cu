// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The promises at the head of segmented_scan.cuh, in small.
#include <gtest/gtest.h>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/segmented_scan.cuh>

#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"

namespace wf = warpfold;
using wf_test::device_array;

namespace {

TEST(segmented_scan, the_example) {
  const device_array<int> in(std::vector<int>{3, 1, 4, 1, 5, 9}), offsets(std::vector<int>{0, 3, 4, 6}), out(6);
  wf::segmented_inclusive_scan(in.items(), offsets.items(), out.data());
  EXPECT_EQ(out.to_host(), (std::vector<int>{3, 4, 8, 1, 5, 14}));
  wf::segmented_exclusive_scan(in.items(), offsets.items(), out.data());
  EXPECT_EQ(out.to_host(), (std::vector<int>{0, 3, 4, 0, 0, 5}));
  wf::segmented_exclusive_scan(in.items(), wf::fixed_length{2}, out.data(), wf::maximum{}, {.init = 2});
  EXPECT_EQ(out.to_host(), (std::vector<int>{2, 3, 2, 4, 2, 5}));
}

// A segment's running total ends with its total, and has the same bits wherever the segment lies.
TEST(segmented_scan, results_do_not_depend_on_the_place) {
  const std::int64_t length = wf_test::emulated ? 5'003 : 5'000'003;
  const auto items = wf_test::random_items<float>(length);
  const device_array<float> alone(items), expected(length), total(1);
  wf::segmented_inclusive_scan(alone.items(), wf::fixed_length{length}, expected.data());
  wf::segmented_reduce(alone.items(), wf::fixed_length{length}, std::span(total.data(), 1));
  const auto results = expected.to_host();
  EXPECT_TRUE(wf_test::same_bits(results.back(), total.value()));
  for (const int before : {1, 77, 1'500}) {
    std::vector<float> all(static_cast<std::size_t>(before), 1e9f);
    all.insert(all.end(), items.begin(), items.end());
    const device_array<float> in(all), out(std::ssize(all));
    const device_array<int> offsets(std::vector<int>{0, before, static_cast<int>(all.size())});
    wf::segmented_inclusive_scan(in.items(), offsets.items(), out.data());
    const auto found = out.to_host();
    for (std::size_t i = 0; i < items.size(); ++i)
      ASSERT_TRUE(wf_test::same_bits(found[static_cast<std::size_t>(before) + i], results[i])) << i << " of " << before;
  }
}

}  // namespace
