// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The promises at the head of scan.cuh, in small.
#include <gtest/gtest.h>
#include <warpfold/reduce.cuh>
#include <warpfold/scan.cuh>

#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"

namespace wf = warpfold;
using wf_test::device_array;

namespace {

TEST(scan, the_example) {
  const device_array<int> in(std::vector<int>{3, 1, 4, 1, 5}), out(5);
  wf::inclusive_scan(in.items(), out.data());
  EXPECT_EQ(out.to_host(), (std::vector<int>{3, 4, 8, 9, 14}));
  wf::exclusive_scan(in.items(), out.data());
  EXPECT_EQ(out.to_host(), (std::vector<int>{0, 3, 4, 8, 9}));
  wf::exclusive_scan(in.items(), out.data(), wf::maximum{}, {.init = 2});
  EXPECT_EQ(out.to_host(), (std::vector<int>{2, 3, 3, 4, 4}));
}

// A running total agrees with a total.
TEST(scan, prefixes_have_the_bits_of_reduce) {
  const std::int64_t count = wf_test::emulated ? 20'003 : 20'000'003;
  const device_array<float> in(wf_test::random_items<float>(count)), out(count), total(1);
  wf::inclusive_scan(in.items(), out.data(), {.init = 0.1f});
  for (std::int64_t length = 1; length <= count; length += 1 + length / 3) {
    wf::reduce(in.data(), length, total.data(), {.init = 0.1f});
    EXPECT_TRUE(wf_test::same_bits(out.value(length - 1), total.value())) << length;
  }
}

// Missing items are padded by the identity, which has all bits set.
TEST(scan, bit_and_of_128_bits) {
  constexpr int count = 1001;
  const device_array<wf::int128> in(std::vector<wf::int128>(count, -1)), out(count);
  wf::inclusive_scan(in.items(), out.data(), wf::bit_and{});
  for (const wf::int128 prefix : out.to_host()) ASSERT_TRUE(prefix == -1);
}

}  // namespace
