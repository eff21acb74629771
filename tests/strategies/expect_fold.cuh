// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One strategy against a fold on the CPU, at every border that the strategy has.
#pragma once
#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "common/device.cuh"
#include "common/same_bits.hpp"
#include "compositions.cuh"

namespace wf_test {

/// Data-blocks of D items in grids of G blocks, one off each; primes.
inline std::vector<std::int64_t> border_sizes(std::int64_t d, std::int64_t g) {
  std::set<std::int64_t> sizes{1, 2, 31, 32, 33, 37, 127, 131, 521, 1021};
  for (const std::int64_t data_blocks : {std::int64_t{1}, std::int64_t{2}, g - 1, g, g + 1, 2 * g, 3 * g + 1})
    for (const std::int64_t off : {-1, 0, 1}) sizes.insert(std::max<std::int64_t>(data_blocks * d + off, 1));
  sizes.insert(d + d / 2 + 1);
  return {sizes.begin(), sizes.end()};
}

/// items[0] op … op items[n - 1] for each n, left to right.
template <class T, class Op> std::vector<T> prefixes(const std::vector<T>& items, Op op) {
  std::vector<T> result(items);
  for (std::size_t i = 1; i < items.size(); ++i) result[i] = op(result[i - 1], items[i]);
  return result;
}

/// reduce<S> is the CPU's fold at all borders of a grid of three blocks, aligned and not, with and without init; under
/// schedules drawn by `seeds`. `make(count)` gives items, `init` may precede them, and `equal` compares results.
template <class S, class T, class Make, class Op, class Equal>
void expect_fold(Make make, const T& init, Op op, Equal equal, std::initializer_list<int> seeds = {1, 2, 3}) {
  if (!runs_here<S>()) GTEST_SKIP() << needs_bulk_copies;
  constexpr int blocks = strategy_parts<S>::is_persistent ? 3 : 0;
  const std::int64_t d = wf::facts_of<S, T, Op>(1).data_block_items;
  const auto sizes = border_sizes(d, 3);
  const std::vector<T> items = make(sizes.back());
  const std::vector<T> expected = prefixes(items, op);
  const device_array<T> out(1);
  for (const int seed : seeds) {
    const schedule_seed schedule(static_cast<std::uint64_t>(seed));
    for (const std::int64_t size : sizes) {
      const auto count = static_cast<std::size_t>(size);
      const device_array<T> in(std::span<const T>(items).first(count), seed - 1);
      const bool with_init = (size + seed) % 2 == 0;
      if (with_init) wf::reduce<S>(in.items(), out.data(), op, {.init = init, .max_blocks = blocks});
      else wf::reduce<S>(in.items(), out.data(), op, {.max_blocks = blocks});
      const T left_out = with_init ? op(init, expected[count - 1]) : expected[count - 1];
      ASSERT_TRUE(equal(out.value(), left_out)) << size << " items, D = " << d << ", seed " << seed;
    }
  }
}

/// The same at the borders of the grid that the device suggests.
template <class S, class T, class Make, class Op, class Equal>
void expect_fold_in_full_grid(Make make, Op op, Equal equal) {
  if (!runs_here<S>()) GTEST_SKIP() << needs_bulk_copies;
  const std::int64_t d = wf::facts_of<S, T, Op>(1).data_block_items;
  const std::int64_t g =
      strategy_parts<S>::is_persistent ? wf::facts_of<S, T, Op>(std::int64_t{1} << 40).grid_blocks : 9;
  const std::vector<T> items = make(2 * g * d + 1);
  const std::vector<T> expected = prefixes(items, op);
  const device_array<T> in(items), out(1);
  for (const std::int64_t size : {g * d - 1, g * d, g * d + 1, 2 * g * d - 1, 2 * g * d + 1}) {
    wf::reduce<S>(in.data(), size, out.data(), op);
    ASSERT_TRUE(equal(out.value(), expected[static_cast<std::size_t>(size - 1)]))
        << size << " items, D = " << d << ", G = " << g;
  }
}

/// testing::AssertionResult of ==.
struct equal_values {
  template <class T> testing::AssertionResult operator()(const T& actual, const T& expected) const {
    if (actual == expected) return testing::AssertionSuccess();
    return testing::AssertionFailure() << testing::PrintToString(actual) << " is not "
                                       << testing::PrintToString(expected);
  }
};

}  // namespace wf_test
