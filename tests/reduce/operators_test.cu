// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators that come with Warpfold, over 32- and 64-bit integers and floating point.
#include <gtest/gtest.h>

#include "common/random_items.hpp"
#include "reduce/expect_canonical.cuh"

namespace wf = warpfold;
using wf_test::expect_canonical, wf_test::items_of_all_shapes, wf_test::random_items;

namespace {

TEST(reduce_operators, int32_plus_wraps) { expect_canonical(random_items<int>(items_of_all_shapes), wf::plus{}); }
TEST(reduce_operators, int64_plus_wraps) {
  expect_canonical(random_items<std::int64_t>(items_of_all_shapes), wf::plus{});
}
TEST(reduce_operators, uint32_multiplies_wraps) {
  auto items = random_items<unsigned>(items_of_all_shapes);
  for (unsigned& item : items) item |= 1;  // else the product is soon zero
  expect_canonical(items, wf::multiplies{});
}
TEST(reduce_operators, int32_minimum) { expect_canonical(random_items<int>(items_of_all_shapes), wf::minimum{}); }
TEST(reduce_operators, int64_maximum_number) {
  expect_canonical(random_items<std::int64_t>(items_of_all_shapes), wf::maximum_number{});
}
TEST(reduce_operators, uint64_bit_and) {
  auto items = random_items<std::uint64_t>(items_of_all_shapes);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] |= ~(std::uint64_t{1} << i % 61) | (i % 977 != 0 ? ~0ull : 0);
  expect_canonical(items, wf::bit_and{});
}
TEST(reduce_operators, int32_bit_or) {
  auto items = random_items<int>(items_of_all_shapes);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] &= i % 977 == 0 ? 1 << i % 31 : 0;
  expect_canonical(items, wf::bit_or{});
}
TEST(reduce_operators, float_multiplies) {
  auto items = random_items<float>(items_of_all_shapes);
  for (float& item : items) item = std::copysign(1 + std::abs(item) * 0x1p-24f, item);  // products stay finite
  expect_canonical(items, wf::multiplies{});
}
TEST(reduce_operators, float_first) { expect_canonical(random_items<float>(items_of_all_shapes), wf::first{}); }
TEST(reduce_operators, double_last) { expect_canonical(random_items<double>(items_of_all_shapes), wf::last{}); }
TEST(reduce_operators, float_plus_in_double) {
  expect_canonical(random_items<float>(items_of_all_shapes), wf::accumulate_in<double>(wf::plus{}));
}

TEST(reduce_operators, plus_in_int64_does_not_wrap) {
  const wf_test::device_array<int> in(std::vector<int>(10'000, 2'000'000'000));
  const wf_test::device_array<std::int64_t> out(1);
  wf::reduce(in.items(), out.data(), wf::accumulate_in<std::int64_t>(wf::plus{}));
  EXPECT_EQ(out.value(), 20'000'000'000'000);
}

}  // namespace
