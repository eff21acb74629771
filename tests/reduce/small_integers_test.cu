// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of 8 and 16 bits and bool: they accumulate in 32 bits, or in bool, and no sum of them overflows a byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "common/random_items.hpp"
#include "reduce/expect_canonical.cuh"

namespace wf = warpfold;
using wf_test::expect_canonical, wf_test::items_of_all_shapes, wf_test::random_items;

namespace {

TEST(reduce_small_integers, int8_plus) { expect_canonical(random_items<std::int8_t>(items_of_all_shapes), wf::plus{}); }
TEST(reduce_small_integers, uint8_maximum) {
  expect_canonical(random_items<std::uint8_t>(items_of_all_shapes), wf::maximum{});
}
TEST(reduce_small_integers, int16_plus) {
  expect_canonical(random_items<std::int16_t>(items_of_all_shapes), wf::plus{});
}
TEST(reduce_small_integers, int16_minimum) {
  expect_canonical(random_items<std::int16_t>(items_of_all_shapes), wf::minimum{});
}
TEST(reduce_small_integers, uint16_bit_xor) {
  expect_canonical(random_items<std::uint16_t>(items_of_all_shapes), wf::bit_xor{});
}
TEST(reduce_small_integers, int8_last_stays_int8) {
  static_assert(std::is_same_v<wf::accumulator_t<wf::last, std::int8_t>, std::int8_t>);
  expect_canonical(random_items<std::int8_t>(items_of_all_shapes), wf::last{});
}

TEST(reduce_small_integers, sums_beyond_the_items_range) {
  const std::vector<std::int8_t> items(100'000, -128);
  const wf_test::device_array<std::int8_t> in(items, 5);
  const wf_test::device_array<int> out(1);
  wf::reduce(in.items(), out.data(), {.init = -7});
  EXPECT_EQ(out.value(), -128 * 100'000 - 7);
}

// Only one of the items differs, at each place in turn.
class reduce_bool : public testing::Test {
 protected:
  static constexpr std::int64_t count = 20'011;

  void fill(bool value) { std::fill_n(items_.get(), count, value); }
  void set(std::int64_t i, bool value) { items_[static_cast<std::size_t>(i)] = value; }
  template <class Op> bool reduced(Op op) const {
    const wf_test::device_array<bool> in(std::span<const bool>(items_.get(), count), 3), out(1);
    wf::reduce(in.items(), out.data(), op);
    return out.value();
  }

 private:
  std::unique_ptr<bool[]> items_ = std::make_unique<bool[]>(count);
};

TEST_F(reduce_bool, logical_and_sees_the_only_false) {
  fill(true);
  EXPECT_TRUE(reduced(wf::logical_and{}));
  for (const std::int64_t i : {std::int64_t{0}, count / 3, count - 1}) {
    set(i, false);
    EXPECT_FALSE(reduced(wf::logical_and{})) << i;
    set(i, true);
  }
}

TEST_F(reduce_bool, logical_or_sees_the_only_true) {
  fill(false);
  EXPECT_FALSE(reduced(wf::logical_or{}));
  for (const std::int64_t i : {std::int64_t{0}, count / 3, count - 1}) {
    set(i, true);
    EXPECT_TRUE(reduced(wf::logical_or{})) << i;
    set(i, false);
  }
}

}  // namespace
