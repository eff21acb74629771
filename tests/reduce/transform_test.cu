// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform_reduce of one input: the transform is applied to each item once, at its place in the canonical tree, and
// says what is accumulated.
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <warpfold/arg_operators.hpp>

#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"
#include "reduce/expected.hpp"
#include "reduce/point.hpp"
#include "reduce/ways.cuh"

namespace wf = warpfold;
using wf_test::interval, wf_test::join, wf_test::same_bits, wf_test::way;

namespace {

struct square {
  template <class T> __host__ __device__ auto operator()(T x) const { return x * x; }
};
struct half_to_double {
  __host__ __device__ double operator()(__half x) const { return static_cast<double>(__half2float(x)); }
};
struct scaled_by_device_value {
  const float* scale;
  __host__ __device__ float operator()(float x) const { return wf::multiplies{}(*scale, x); }
};
struct above {
  float bound;
  __host__ __device__ bool operator()(float x) const { return x > bound; }
};
struct low_byte {
  __host__ __device__ std::int8_t operator()(std::int32_t x) const { return static_cast<std::int8_t>(x); }
};

using float_point = wf_test::point<float, 3>;
struct to_point {
  __host__ __device__ float_point operator()(std::uint8_t x) const {
    const float value = x;
    return {0.1f * value, 1.0f / (1.0f + value), value * value};
  }
};

struct negative {
  __host__ __device__ int operator()(int x) const { return -x; }
};

// ptxas may lose the minus (operators.hpp says when).
TEST(transform_reduce, extrema_of_negated_integers) {
  for (const std::int64_t size : {5, 1000, 40'003}) {
    std::vector<int> items(static_cast<std::size_t>(size));
    wf_test::random_source random(static_cast<std::uint64_t>(size));
    for (int& item : items) item = static_cast<int>(random.below(200)) - 100;
    const wf_test::device_array<int> in(items);
    const auto largest = std::max_element(items.begin(), items.end());
    EXPECT_EQ(wf::transform_reduce_value(in.items(), wf::minimum{}, negative{}), -*largest) << size;
    EXPECT_EQ(wf::transform_reduce_value(in.items(), wf::maximum{}, negative{}),
              -*std::min_element(items.begin(), items.end()))
        << size;
    EXPECT_EQ(wf::transform_reduce_value(in.items(), wf::arg_minimum{}, negative{}),
              (wf::indexed_value<int>{-*largest, largest - items.begin()}))
        << size;
  }
}

TEST(transform_reduce, order_at_every_border_and_way) {
  wf_test::asked<interval<>> asked(interval<>::of(-1), interval<>::poison());
  std::int64_t turn = 0;
  for (const std::int64_t size : wf_test::border_sizes<std::int32_t>(wf_test::emulated ? 1 << 16 : 1 << 21)) {
    std::vector<std::int32_t> items(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::int32_t>(i);
    const wf_test::device_array<std::int32_t> in(items, turn % 4);
    const auto all = wf_test::ways(turn);
    for (const std::int64_t k : {turn % 9, (turn + 4) % 9, (turn + 8) % 9}) {
      const way& w = all[static_cast<std::size_t>(k)];
      wf::transform_reduce(in.items(), asked.out(), join{}, wf_test::to_interval<>{}, asked.options(w));
      EXPECT_EQ(asked.result(), interval<>::of(w.has_init() ? -1 : 0, size - 1)) << size << " items, " << w;
    }
    ++turn;
  }
}

// Each byte becomes twelve: the chunk is sized by the input, the registers by the accumulators.
TEST(transform_reduce, small_items_to_large_accumulators) {
  using wf_test::add_points;
  const auto items = wf_test::random_items<std::uint8_t>(60'013);
  std::vector<float_point> leaves;
  for (const std::uint8_t item : items) leaves.push_back(to_point{}(item));
  const std::vector<std::int64_t> sizes{1, 511, 513, 16'385, 60'013};
  const auto roots = wf_test::canonical_roots<float_point>(leaves, sizes, add_points{});
  const wf_test::device_array<float_point> out(1);
  for (int offset = 0; offset < 16; ++offset)
    for (const std::int64_t size : sizes) {
      const std::span<const std::uint8_t> part(items.data(), static_cast<std::size_t>(size));
      const wf_test::device_array<std::uint8_t> in(part, offset);
      wf::transform_reduce(in.items(), out.data(), add_points{}, to_point{}, {.max_blocks = offset % 2});
      EXPECT_TRUE(same_bits(out.value(), roots.at(size))) << size << " items, " << offset << " off";
    }
}

TEST(transform_reduce, sum_of_squares) {
  const auto items = wf_test::random_items<double>(30'011);
  std::vector<double> squares;
  for (const double x : items) squares.push_back(x * x);
  const wf_test::device_array<double> in(items, 1), out(1);
  wf::transform_reduce(in.items(), out.data(), wf::plus{}, square{});
  EXPECT_TRUE(same_bits(out.value(), wf::canonical_tree::replay(squares.begin(), std::ssize(squares), wf::plus{})));
}

TEST(transform_reduce, accumulator_follows_what_the_transform_returns) {
  std::vector<__half> items;
  std::vector<double> values;
  for (const float x : wf_test::random_items<float>(30'011)) {
    items.push_back(__float2half(x));
    values.push_back(half_to_double{}(items.back()));
  }
  const wf_test::device_array<__half> in(items, 3);
  const wf_test::device_array<double> out(1);
  wf::transform_reduce(in.items(), out.data(), wf::plus{}, half_to_double{});
  EXPECT_TRUE(same_bits(out.value(), wf::canonical_tree::replay(values.begin(), std::ssize(values), wf::plus{})));
}

// The transform returns int8, so the sum has 32 bits.
TEST(transform_reduce, what_the_transform_returns_is_promoted) {
  const auto items = wf_test::random_items<std::int32_t>(30'011);
  int expected = 0;
  for (const std::int32_t x : items) expected += static_cast<std::int8_t>(x);
  const wf_test::device_array<std::int32_t> in(items);
  const wf_test::device_array<int> out(1);
  wf::transform_reduce(in.items(), out.data(), wf::plus{}, low_byte{});
  EXPECT_EQ(out.value(), expected);
}

TEST(transform_reduce, transform_with_state_in_device_memory) {
  const auto items = wf_test::random_items<float>(10'007);
  std::vector<float> scaled;
  for (const float x : items) scaled.push_back(0.7f * x);
  const wf_test::device_array<float> in(items, 2), scale(std::vector<float>{0.7f}), out(1);
  wf::transform_reduce(in.items(), out.data(), wf::plus{}, scaled_by_device_value{scale.data()});
  EXPECT_TRUE(same_bits(out.value(), wf::canonical_tree::replay(scaled.begin(), std::ssize(scaled), wf::plus{})));
}

TEST(transform_reduce, predicate) {
  const auto items = wf_test::random_items<float>(10'007);
  const wf_test::device_array<float> in(items);
  const wf_test::device_array<bool> out(1);
  for (const float bound : {-1e9f, 0.0f, 4095.0f, 1e9f}) {
    wf::transform_reduce(in.items(), out.data(), wf::logical_or{}, above{bound});
    EXPECT_EQ(out.value(), std::any_of(items.begin(), items.end(), above{bound})) << bound;
  }
}

// Missing items are not transformed.
TEST(transform_reduce, empty) {
  wf_test::device_array<double> out(1);
  const std::span<const double> none;
  out.set(0, 77);
  wf::transform_reduce(none, out.data(), wf::plus{}, square{});
  EXPECT_EQ(out.value(), 0);
  wf::transform_reduce(none, out.data(), wf::plus{}, square{}, {.init = 3.0});
  EXPECT_EQ(out.value(), 3.0);
}

}  // namespace
