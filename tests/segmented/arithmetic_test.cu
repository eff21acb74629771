// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's operators: sums by their bits, signed zeros, NaN, accumulators wider than the items, and every call
// form.
#include <gtest/gtest.h>

#include <cuda_fp16.h>

#include <algorithm>
#include <limits>

#include "common/special_values.hpp"
#include "reduce/iterators.cuh"
#include "segmented/expect_canonical.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout;

namespace {

template <class T> std::vector<T> random_items_of(const layout& where) {
  return wf_test::random_items<T>(where.items, 17);
}

TEST(segmented_reduce_arithmetic, float_sums_by_their_bits) {
  wf_test::expect_canonical_segments<float>(random_items_of<float>, wf::plus{}, -1234.567f, 3.0f);
}

// Missing items must not turn a -0 into a +0.
TEST(segmented_reduce_arithmetic, sums_of_negative_zeros) {
  const auto zeros = [](const layout& where) {
    return std::vector<float>(static_cast<std::size_t>(where.items), -0.0f);
  };
  wf_test::expect_canonical_segments<float>(zeros, wf::plus{}, -0.0f, -0.0f);
}

std::vector<float> special_items_of(const layout& where) {
  auto items = random_items_of<float>(where);
  const auto special = wf_test::special_values<float>();
  for (std::size_t i = 0; i < items.size(); i += 37) items[i] = special[i / 37 % special.size()];
  return items;
}

TEST(segmented_reduce_arithmetic, minimum_with_nan_zeros_and_infinities) {
  wf_test::expect_canonical_segments<float>(special_items_of, wf::minimum{}, std::numeric_limits<float>::max(), 0.0f);
}

TEST(segmented_reduce_arithmetic, minimum_number_of_nothing_but_nan) {
  const auto nans = [](const layout& where) {
    return std::vector<float>(static_cast<std::size_t>(where.items), std::numeric_limits<float>::quiet_NaN());
  };
  wf_test::expect_canonical_segments<float>(nans, wf::minimum_number{}, 5.0f, 1.0f);
}

TEST(segmented_reduce_arithmetic, half_accumulates_in_float) {
  const auto halves = [](const layout& where) {
    std::vector<__half> items;
    for (const float x : random_items_of<float>(where)) items.push_back(__float2half(x));
    return items;
  };
  wf_test::expect_canonical_segments<__half>(halves, wf::plus{}, 0.1f, -7.0f);
}

TEST(segmented_reduce_arithmetic, int8_accumulates_in_int) {
  wf_test::expect_canonical_segments<std::int8_t>(random_items_of<std::int8_t>, wf::plus{}, 1'000'000, -5);
}

TEST(segmented_reduce_arithmetic, logical_and_of_ints) {
  const auto mostly_true = [](const layout& where) {
    std::vector<int> items(static_cast<std::size_t>(where.items), 5);
    for (std::size_t i = 0; i < items.size(); i += 97) items[i] = 0;
    return items;
  };
  for (const layout& where : wf_test::some_layouts(256)) {
    const auto items = mostly_true(where);
    const device_array<int> in(items), offsets(where.offsets<int>());
    const device_array<int> out(where.segments());
    wf::segmented_reduce(in.items(), offsets.items(), std::span(out.data(), out.size()), wf::logical_and{},
                         {.max_blocks = 2});
    const auto results = out.to_host();
    for (std::size_t s = 0; s < results.size(); ++s) {
      const bool all =
          std::all_of(items.begin() + where.begins[s], items.begin() + where.ends[s], [](int i) { return i != 0; });
      ASSERT_EQ(results[s], all ? 1 : 0) << where << ", segment " << s;
    }
  }
}

struct square {
  __host__ __device__ double operator()(float x) const { return static_cast<double>(x) * static_cast<double>(x); }
};

TEST(segmented_reduce_arithmetic, transform_decides_the_accumulator) {
  std::int64_t turn = 0;
  for (const layout& where : wf_test::some_layouts(128)) {
    const auto items = random_items_of<float>(where);
    std::vector<double> squares;
    for (const float x : items) squares.push_back(square{}(x));
    const wf_test::segmented_way way = wf_test::way_of(turn++);
    const device_array<float> in(items, way.offset);
    const device_array<int> offsets(where.offsets<int>());
    const auto results = wf_test::results_of(way, where.segments(), 0.5, -1.0, [&](auto out, const auto& options) {
      wf::transform_segmented_reduce(in.items(), offsets.items(), out, wf::plus{}, square{}, options);
    });
    const auto roots = wf_test::canonical_segments(squares, where, wf::plus{}, -1.0);
    EXPECT_TRUE(wf_test::same_segments(results, wf_test::expected_of(way, roots, where, 0.5, -1.0, wf::plus{})))
        << where << ", " << way;
  }
}

TEST(segmented_reduce_arithmetic, items_from_an_iterator) {
  std::int64_t turn = 0;
  for (const layout& where : wf_test::some_layouts(128)) {
    const wf_test::segmented_way way = wf_test::way_of(turn++);
    const device_array<int> offsets(where.offsets<int>());
    const auto results = wf_test::results_of(
        way, where.segments(), std::int64_t{-3}, std::int64_t{11}, [&](auto out, const auto& options) {
          wf::segmented_reduce(wf_test::stl_counting{7}, where.items, offsets.items(), out, wf::plus{}, options);
        });
    std::vector<std::int64_t> sums;
    for (std::size_t s = 0; s < where.begins.size(); ++s)
      sums.push_back((where.ends[s] - where.begins[s]) * (where.begins[s] + where.ends[s] - 1 + 14) / 2);
    const auto expected = wf_test::expected_of(way, sums, where, std::int64_t{-3}, std::int64_t{11}, wf::plus{});
    EXPECT_TRUE(wf_test::same_segments(results, expected)) << where << ", " << way;
  }
}

class segmented_reduce_without_operator : public testing::Test {
 protected:
  const device_array<float> in_{std::vector<float>{1, 2, 3, 4, 5, 6, 7}};
  const device_array<int> offsets_{std::vector<int>{0, 2, 2, 3, 7}};
  device_array<float> memory_{4};
  const std::span<float> out_{memory_.data(), 4};

  void expect_sums(float init = 0, float empty = 0) {
    EXPECT_EQ(memory_.to_host(), (std::vector<float>{init + 3, empty, init + 3, init + 22}));
    for (int i = 0; i < 4; ++i) memory_.set(i, -77);
  }
};

TEST_F(segmented_reduce_without_operator, sums_without_an_operator) {
  wf::segmented_reduce(in_.items(), offsets_.items(), out_);
  expect_sums();
  wf::segmented_reduce(in_.items(), offsets_.items(), out_, {.init = 10.0f});
  expect_sums(10, 10);
}

TEST_F(segmented_reduce_without_operator, pointers) {
  wf::segmented_reduce(in_.data(), 7, offsets_.items(), out_, wf::plus{}, {.empty = 4});
  expect_sums(0, 4);
}

TEST_F(segmented_reduce_without_operator, offsets_by_a_pointer) {
  const int* offsets = offsets_.data();
  wf::segmented_reduce(in_.items(), offsets, out_, wf::plus{});
  expect_sums();
}

// Empty segments take .empty, else .init, else the identity; .empty is never folded, nor is .init where .empty is
// given.
TEST_F(segmented_reduce_without_operator, what_an_empty_segment_holds) {
  const device_array<float> constants(std::vector<float>{100, 200});
  const float *init = constants.data(), *empty = constants.data() + 1;
  wf::segmented_reduce(in_.items(), offsets_.items(), out_, wf::plus{}, {.init = 1.0f, .empty = 2.0f});
  expect_sums(1, 2);
  wf::segmented_reduce(in_.items(), offsets_.items(), out_, wf::plus{}, {.init = init, .empty = empty});
  expect_sums(100, 200);
  wf::segmented_reduce(in_.items(), offsets_.items(), out_, wf::plus{}, {.init = init});
  expect_sums(100, 100);
  wf::segmented_reduce(in_.items(), offsets_.items(), out_, wf::plus{}, {.empty = empty});
  expect_sums(0, 200);
  wf::segmented_reduce(in_.items(), offsets_.items(), out_, wf::plus{},
                       {.empty = std::numeric_limits<float>::quiet_NaN()});
  const auto results = memory_.to_host();
  EXPECT_TRUE(results[0] == 3 && results[1] != results[1] && results[2] == 3 && results[3] == 22);
}

TEST_F(segmented_reduce_without_operator, no_segments_and_no_items) {
  const device_array<int> one_offset(std::vector<int>{0}), zeros(std::vector<int>{0, 0, 0, 0, 0});
  wf::segmented_reduce(in_.items(), one_offset.items(), out_.first(0));
  wf::segmented_reduce(std::span<const float>{}, one_offset.items(), out_.first(0));
  for (const float x : memory_.to_host()) EXPECT_NE(x, 0.0f) << "nothing to write";
  wf::segmented_reduce(std::span<const float>{}, zeros.items(), out_);
  EXPECT_EQ(memory_.to_host(), std::vector<float>(4, 0.0f));
}

}  // namespace
