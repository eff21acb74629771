// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of single lanes, and of columns, rows and inner axes, which lanes sum so: every kind of items.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <warpfold/exact_plus.cuh>
#include <warpfold/reduce_axes.cuh>

#include "common/device.cuh"
#include "common/exact_reference.hpp"

namespace exact_lane_sum_tests {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::hard_items;

template <class T> __global__ void sum_in_one_lane(const T* items, int batches, int repeats, T* out) {
  constexpr int batch = 4;
  wf::exact::lane_sum<T, batch> sum;
  for (int i = 0; i < batches * repeats; ++i) {
    typename wf::exact::lane_sum<T, batch>::number held[batch];
    for (int k = 0; k < batch; ++k)
      held[k] = wf::detail::convert<typename wf::exact::lane_sum<T, batch>::number>(items[i % batches * batch + k]);
    sum.add(held);
  }
  *out = wf::exact_plus{}.lower(sum.total());
}

/// Adds each item so often that digits could overflow, and pass to the superaccumulator.
template <class T> void expect_lane_sums(int count, int repeats) {
  wf_test::random_source source(sizeof(T) + 11);
  for (const hard_items what : wf_test::all_hard_items) {
    const auto items = wf_test::make_hard_items<T>(what, count, source);
    const device_array<T> in(items), out(1);
    wf_test::launch_and_wait(&sum_in_one_lane<T>, 1, 1, 0, in.data(), count / 4, repeats, out.data());
    wf_test::exact_sum expected;
    for (int i = 0; i < repeats; ++i)
      for (const T& item : items) expected.add(item);
    EXPECT_TRUE(expected.rounds_to(out.value())) << static_cast<int>(what);
  }
}

TEST(exact_lane_sum, floats) { expect_lane_sums<float>(400, 90); }
TEST(exact_lane_sum, doubles) { expect_lane_sums<double>(400, 45); }
TEST(exact_lane_sum, halves) { expect_lane_sums<__half>(400, 45); }
TEST(exact_lane_sum, bfloat16) { expect_lane_sums<__nv_bfloat16>(400, 45); }

/// Sums over `axes` of an array whose rows have `pitch` items.
template <class T> void expect_axes(const std::int64_t (&extents)[3], std::int64_t pitch, wf::axes axes) {
  wf_test::random_source source(sizeof(T) + static_cast<unsigned>(pitch));
  for (const hard_items what : wf_test::all_hard_items) {
    const std::int64_t plane = extents[1] * pitch;
    const auto items = wf_test::make_hard_items<T>(what, static_cast<int>(extents[0] * plane), source);
    bool is_reduced[3] = {};
    for (int i = 0; i < axes.count; ++i) is_reduced[axes.number[i]] = true;
    std::int64_t kept[3];
    std::int64_t outputs = 1;
    for (int i = 0; i < 3; ++i) kept[i] = is_reduced[i] ? 1 : extents[i], outputs *= kept[i];
    using R = wf::lowered_t<wf::exact_plus, wf::accumulator_t<wf::exact_plus, T>>;
    const device_array<T> in(items, 1);
    std::vector<wf_test::exact_sum> expected(static_cast<std::size_t>(outputs));
    const auto place = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
      return static_cast<std::size_t>(((kept[0] > 1 ? a : 0) * kept[1] + (kept[1] > 1 ? b : 0)) * kept[2] +
                                      (kept[2] > 1 ? c : 0));
    };
    for (std::int64_t a = 0; a < extents[0]; ++a)
      for (std::int64_t b = 0; b < extents[1]; ++b)
        for (std::int64_t c = 0; c < extents[2]; ++c)
          expected[place(a, b, c)].add(items[static_cast<std::size_t>(a * plane + b * pitch + c)]);
    for (const int max_blocks : {0, 2}) {
      const device_array<R> out(outputs);
      wf::reduce_axes(wf::strided<const T, 3>(in.data(), extents, {plane, pitch, 1}),
                      wf::strided<R, 3>(out.data(), kept), axes, wf::exact_plus{}, {.max_blocks = max_blocks});
      const auto sums = out.to_host();
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_TRUE(expected[i].rounds_to(sums[i])) << "items " << static_cast<int>(what) << ", output " << i;
    }
  }
}

template <class T> void expect_all_axes() {
  expect_axes<T>({1, 70, 33}, 33, {1});      // whole columns
  expect_axes<T>({1, 700, 5}, 7, {1});       // columns that threads share
  expect_axes<T>({7, 37, 40}, 40, {1});      // a middle axis
  expect_axes<T>({5, 3, 301}, 304, {0, 2});  // stretches of rows
  expect_axes<T>({2, 3, 50}, 51, {2});       // short rows
  expect_axes<T>({1, 3, 2000}, 2001, {2});
}
TEST(exact_plus_of_axes, floats) { expect_all_axes<float>(); }
TEST(exact_plus_of_axes, doubles) { expect_all_axes<double>(); }
TEST(exact_plus_of_axes, halves) { expect_all_axes<__half>(); }

}  // namespace exact_lane_sum_tests
