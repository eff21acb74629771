// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predicates may return other types than bool: count_if, any_of and all_of, and counts of segments and rows.
#include <gtest/gtest.h>

#include <vector>
#include <warpfold/quantifiers.cuh>
#include <warpfold/reduce_axes.cuh>
#include <warpfold/segmented_reduce.cuh>

#include "common/device.cuh"

namespace quantifiers_truth_tests {

namespace wf = warpfold;
using wf_test::device_array;

/// True and false as other types than bool.
struct has_a_bit {
  template <class T> __host__ __device__ T operator()(const T& item) const { return item & 4; }
};
struct minus_one_if_odd {
  __host__ __device__ int operator()(int item) const { return item % 2 == 0 ? 0 : -1; }
};
struct half_if_odd {
  __host__ __device__ float operator()(int item) const { return item % 2 == 0 ? 0.0f : 0.5f; }
};

TEST(quantifiers, ask_for_the_truth_of_what_predicates_return) {
  std::vector<int> items;
  for (int i = 0; i < 3000; ++i) items.push_back(i % 8);
  const device_array<int> in(items), offsets(std::vector<int>{0, 8, 8, 3000});
  const device_array<std::int64_t> counts(3);
  const auto expect_counts = [&](auto predicate) {
    const wf::indicator indicator{predicate};
    constexpr auto counting = wf::accumulate_in<std::int64_t>(wf::plus{});
    EXPECT_EQ(wf::count_if_value(in.items(), predicate), 1500);
    wf::count_if(in.data(), in.count(), counts.data(), predicate);
    EXPECT_EQ(counts.value(), 1500);
    EXPECT_TRUE(wf::any_of_value(in.items(), predicate));
    EXPECT_FALSE(wf::all_of_value(in.items(), predicate));
    wf::transform_segmented_reduce(in.items(), offsets.items(), std::span(counts.data(), 3), counting, indicator);
    EXPECT_EQ(counts.to_host(), (std::vector<std::int64_t>{4, 0, 1496}));
    wf::transform_reduce_axes(wf::strided(in.data(), {2, 1500}), wf::strided(counts.data(), {2}), wf::axes{1}, counting,
                              indicator);
    EXPECT_EQ(counts.value(0) + counts.value(1), 1500);
  };
  expect_counts(has_a_bit{});
  expect_counts(minus_one_if_odd{});
  expect_counts(half_if_odd{});
}

}  // namespace quantifiers_truth_tests
