// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform_reduce of two inputs: item i meets item i, whatever their types and alignments.
#include <gtest/gtest.h>
#include <algorithm>

#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"
#include "reduce/expected.hpp"
#include "reduce/ways.cuh"

namespace wf = warpfold;
using wf_test::interval, wf_test::join, wf_test::same_bits, wf_test::way;

namespace {

/// The left input holds the low byte of what the right one holds, or the pair is poison.
struct interval_of_pair {
  __host__ __device__ interval<> operator()(std::uint8_t left, std::int64_t right) const {
    return left == static_cast<std::uint8_t>(right) ? interval<>::of(right) : interval<>::poison();
  }
};
struct scale {
  __host__ __device__ double operator()(std::int8_t a, double b) const {
    return wf::multiplies{}(static_cast<double>(a), b);
  }
};
struct first_where_equal {
  __host__ __device__ std::int32_t operator()(std::int16_t a, std::int16_t b) const { return a == b ? a : 0; }
};

class transform_reduce_pairs : public testing::Test {
 protected:
  static std::vector<std::uint8_t> low_bytes(std::int64_t size) {
    std::vector<std::uint8_t> items;
    for (std::int64_t i = 0; i < size; ++i) items.push_back(static_cast<std::uint8_t>(i));
    return items;
  }
  static std::vector<std::int64_t> indices(std::int64_t size) {
    std::vector<std::int64_t> items;
    for (std::int64_t i = 0; i < size; ++i) items.push_back(i);
    return items;
  }
  void expect_joined(std::int64_t size, std::int64_t left_offset, std::int64_t right_offset, const way& w) {
    const wf_test::device_array<std::uint8_t> left(low_bytes(size), left_offset);
    const wf_test::device_array<std::int64_t> right(indices(size), right_offset);
    wf::transform_reduce(left.items(), right.items(), asked_.out(), join{}, interval_of_pair{}, asked_.options(w));
    EXPECT_EQ(asked_.result(), interval<>::of(w.has_init() ? -1 : 0, size - 1))
        << size << " items, " << left_offset << " and " << right_offset << " off, " << w;
  }

 private:
  wf_test::asked<interval<>> asked_{interval<>::of(-1), interval<>::poison()};
};

TEST_F(transform_reduce_pairs, order_at_every_border_and_way) {
  std::int64_t turn = 0;
  for (const std::int64_t size : wf_test::border_sizes<std::int64_t>(wf_test::emulated ? 1 << 15 : 1 << 20)) {
    for (const way& w : wf_test::ways(turn, {turn % 3 == 0 ? 0 : turn % 3 == 1 ? 1 : 7}))
      expect_joined(size, turn % 16, turn / 16 % 2, w);
    ++turn;
  }
}

TEST_F(transform_reduce_pairs, every_pair_of_alignments) {
  for (std::int64_t left = 0; left < 16; ++left)
    for (std::int64_t right = 0; right < 2; ++right)
      for (const std::int64_t size : {1, 65, 1027, 9001}) expect_joined(size, left, right, {});
}

TEST(transform_reduce_two_inputs, dot_product) {
  const auto left = wf_test::random_items<float>(50'021, 1), right = wf_test::random_items<float>(50'021, 2);
  std::vector<float> products;
  for (std::size_t i = 0; i < left.size(); ++i) products.push_back(left[i] * right[i]);
  const std::vector<std::int64_t> sizes{1, 129, 8193, 50'021};
  const auto roots = wf_test::canonical_roots<float>(products, sizes, wf::plus{});
  const wf_test::device_array<float> out(1);
  for (const std::int64_t offset : {0, 1, 2, 3})
    for (const std::int64_t size : sizes) {
      const std::span<const float> l_items(left.data(), static_cast<std::size_t>(size)),
          r_items(right.data(), l_items.size());
      const wf_test::device_array<float> l(l_items, offset), r(r_items, 3 - offset);
      wf::transform_reduce(l.items(), r.items(), out.data(), wf::plus{}, wf::multiplies{});
      EXPECT_TRUE(same_bits(out.value(), roots.at(size))) << size << " items, " << offset << " off";
    }
}

TEST(transform_reduce_two_inputs, different_types) {
  const auto left = wf_test::random_items<std::int8_t>(40'009, 1);
  const auto right = wf_test::random_items<double>(40'009, 2);
  std::vector<double> products;
  for (std::size_t i = 0; i < left.size(); ++i) products.push_back(static_cast<double>(left[i]) * right[i]);
  const double expected = wf::canonical_tree::replay(products.begin(), std::ssize(products), wf::plus{});
  const wf_test::device_array<std::int8_t> l(left, 7);
  const wf_test::device_array<double> r(right, 1), out(1);
  wf::transform_reduce(l.items(), r.items(), out.data(), wf::plus{}, scale{});
  EXPECT_TRUE(same_bits(out.value(), expected));
  wf::transform_reduce(l.items(), r.items(), out.data(), wf::plus{}, scale{}, {.init = 0.125, .max_blocks = 3});
  EXPECT_TRUE(same_bits(out.value(), 0.125 + expected));
}

TEST(transform_reduce_two_inputs, one_array_twice) {
  const auto items = wf_test::random_items<std::int16_t>(30'011);
  const wf_test::device_array<std::int16_t> in(items, 1);
  const wf_test::device_array<int> out(1);
  wf::transform_reduce(in.items(), in.items(), out.data(), wf::maximum{}, first_where_equal{});
  EXPECT_EQ(out.value(), *std::max_element(items.begin(), items.end()));
}

TEST(transform_reduce_two_inputs, empty) {
  wf_test::device_array<double> out(1);
  out.set(0, 77);
  wf::transform_reduce(std::span<const std::int8_t>{}, std::span<const double>{}, out.data(), wf::plus{}, scale{});
  EXPECT_EQ(out.value(), 0);
}

}  // namespace
