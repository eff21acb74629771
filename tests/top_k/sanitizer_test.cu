// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of top_k_items in small, also for compute-sanitizer and for the emulator's mode for races: lists that fill
// up, blocks that share a segment, and blocks that take several segments.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>
#include <warpfold/top_k.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace top_k_sanitizer_tests {

namespace wf = warpfold;
using wf_test::device_array;

void expect_rows(std::int64_t rows, std::int64_t length, int k, const wf::call_options& options = {}) {
  wf_test::random_source random(static_cast<std::uint64_t>(length));
  std::vector<float> items;
  for (std::int64_t i = 0; i < rows * length; ++i) items.push_back(static_cast<float>(random.below(300)));
  const device_array<float> in(items, 1), values(rows * k);
  const device_array<std::int64_t> indices(rows * k);
  wf::segmented_top_k(in.items(), wf::fixed_length{length}, k, values.data(), indices.data(), options);
  const auto found = indices.to_host();
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto first = items.begin() + row * length;
    std::vector<std::int64_t> order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) { return first[i] > first[j]; });
    order.resize(static_cast<std::size_t>(k), -1);
    ASSERT_TRUE(std::equal(order.begin(), order.end(), found.begin() + row * k)) << row << " of " << rows;
  }
}

TEST(top_k_kernel, blocks_that_share_a_segment) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const wf_test::schedule_seed schedule(seed);
    expect_rows(2, 9000, 33);
  }
  expect_rows(1, 25'000, 300, {.max_blocks = 2});  // which tell each other more than once
}
TEST(top_k_kernel, blocks_that_take_several_segments) {
  expect_rows(5, 700, 70, {.max_blocks = 2});
  expect_rows(3, 40, 64, {.max_blocks = 1});
}

}  // namespace top_k_sanitizer_tests
