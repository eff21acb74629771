// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// where: operators over selected items have the bits of the tree without the other leaves, through every function.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>
#include <warpfold/arg_operators.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_axes.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/scan.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/vector_operators.hpp>
#include <warpfold/where.hpp>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"

namespace where_tests {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::same_bits;

/// The tree over items [first, first + 2^level) of which those without a value are missing.
template <class A, class Op>
std::optional<A> node(const std::vector<std::optional<A>>& leaves, std::size_t first, int level, Op op) {
  if (first >= leaves.size()) return {};
  if (level == 0) return leaves[first];
  const auto left = node(leaves, first, level - 1, op),
             right = node(leaves, first + (std::size_t{1} << (level - 1)), level - 1, op);
  if (!left || !right) return left ? left : right;
  return op(*left, *right);
}

struct is_positive {
  template <class T> __host__ __device__ bool operator()(const T& x) const { return x > 0; }
};
struct is_number {
  __host__ __device__ bool operator()(float x) const { return x == x; }
};

struct selection {
  std::vector<float> items;
  std::vector<std::uint8_t> mask;  // any byte but 0 selects
  explicit selection(std::int64_t count, int of = 3) : items(wf_test::random_items<float>(count)) {
    wf_test::random_source random(static_cast<std::uint64_t>(count));
    for (std::int64_t i = 0; i < count; ++i) mask.push_back(random.below(of) == 0 ? 0x80 : 0);
  }
  /// Items [first, end), those that are not selected missing.
  std::vector<std::optional<float>> leaves(std::size_t first, std::size_t end, std::size_t step = 1) const {
    std::vector<std::optional<float>> all;
    for (std::size_t i = first; i < end; i += step)
      all.push_back(mask[i] != 0 ? std::optional<float>(items[i]) : std::nullopt);
    return all;
  }
  float sum(std::size_t first, std::size_t end) const {
    return node(leaves(first, end), 0, 40, wf::plus{}).value_or(0);
  }
};

TEST(where, sums_have_the_bits_of_the_tree_without_other_leaves) {
  for (const std::int64_t count : {0, 1, 2, 31, 700, 5'000, 40'003})
    for (const int of : {1, 3, 1000}) {
      const selection of_items(count, of);
      const device_array<float> in(of_items.items, 1);
      const device_array<std::uint8_t> mask(of_items.mask, 1);
      const float expected = of_items.sum(0, of_items.items.size());
      for (const int max_blocks : {0, 2})
        EXPECT_TRUE(
            same_bits(wf::reduce_value(in.items(), wf::where(static_cast<const std::uint8_t*>(mask.data()), wf::plus{}),
                                       {.max_blocks = max_blocks}),
                      expected))
            << count << ' ' << of;
      EXPECT_TRUE(
          same_bits(wf::reduce_value(in.items(), wf::where(static_cast<const std::uint8_t*>(mask.data()), wf::plus{}),
                                     {.init = 2.5f}),
                    node(of_items.leaves(0, of_items.items.size()), 0, 40, wf::plus{}) ? 2.5f + expected : 2.5f));
    }
}

TEST(where, masks_of_bits_and_others_beside) {
  const selection of(9'001);
  std::vector<std::uint32_t> words(of.items.size() / 32 + 1);
  for (std::size_t i = 0; i < of.mask.size(); ++i) words[i / 32] |= (of.mask[i] != 0 ? 1u : 0u) << (i % 32);
  const device_array<float> in(of.items), sum(1), most(1), all(1);
  const device_array<std::uint32_t> bits(words);
  const wf::bit_mask mask{bits.data()};
  wf::reduce(in.items(), wf::outputs(sum.data(), most.data(), all.data()),
             wf::fuse(wf::where(mask, wf::plus{}), wf::where(mask, wf::maximum{}, -1.f), wf::plus{}));
  EXPECT_TRUE(same_bits(sum.value(), of.sum(0, of.items.size())));
  EXPECT_TRUE(same_bits(most.value(), *node(of.leaves(0, of.items.size()), 0, 40, wf::maximum{})));
  EXPECT_TRUE(same_bits(all.value(), wf::reduce_value(in.items())));
}

struct is_sound {
  __host__ __device__ bool operator()(const wf_test::interval<std::int64_t>& x) const { return !x.is_poison(); }
};

TEST(where, order_is_that_of_the_items) {
  using interval = wf_test::interval<std::int64_t>;
  constexpr std::int64_t count = 20'000;
  // Every third item is poison, and its neighbours meet without it.
  std::vector<interval> items;
  std::int64_t sound = 0;
  for (std::int64_t i = 0; i < count; ++i) items.push_back(i % 3 == 1 ? interval::poison() : interval::of(sound++));
  const device_array<interval> in(items, 1);
  const interval whole = wf::reduce_value(in.items(), wf::where(is_sound{}, wf_test::join{}, interval::poison()));
  EXPECT_TRUE(same_bits(whole, interval::of(0, sound - 1)));
}

TEST(where, none_selected_gives_otherwise_or_the_identity) {
  const device_array<std::int8_t> in(std::vector<std::int8_t>{-3, -4, 0}), out(1);
  wf::reduce(in.items(), out.data(), wf::where(is_positive{}, wf::maximum{}, -128));
  EXPECT_EQ(out.value(), -128);
  EXPECT_EQ(wf::reduce_value(in.items(), wf::where(is_positive{}, wf::plus{})), 0);
  EXPECT_EQ(wf::reduce_value(in.items(), wf::where(is_positive{}, wf::maximum{}, 7), {.init = -9}), -9);
  EXPECT_EQ(wf::reduce_value(in.items(), wf::where(is_positive{}, wf::arg_minimum{})).index, -1);
  const device_array<std::int8_t> some(std::vector<std::int8_t>{-3, 9, 4, 9});
  const auto best = wf::reduce_value(some.items(), wf::where(is_positive{}, wf::arg_minimum{}));
  EXPECT_EQ(best.index, 2);
  EXPECT_EQ(best.value, 4);
}

TEST(where, of_segments_columns_keys_and_prefixes) {
  constexpr std::int64_t rows = 90, columns = 40, count = rows * columns;
  const selection of(count);
  const device_array<float> in(of.items), by_segment(rows), by_column(columns), by_key(rows), prefixes(count);
  const device_array<std::uint8_t> device_mask(of.mask);
  const std::uint8_t* const mask = device_mask.data();
  std::vector<int> offsets, keys;
  for (int r = 0; r <= rows; ++r) offsets.push_back(r * static_cast<int>(columns));
  for (int i = 0; i < count; ++i) keys.push_back(i / static_cast<int>(columns));
  const device_array<int> device_offsets(offsets), device_keys(keys), out_keys(rows), runs(1);
  const auto op = wf::where(mask, wf::plus{});
  wf::segmented_reduce(in.items(), device_offsets.items(), std::span<float>(by_segment.data(), rows), op);
  wf::inclusive_scan(in.items(), std::span<float>(prefixes.data(), count), op);
  wf::reduce_by_key(device_keys.items(), in.items(), std::span<int>(out_keys.data(), rows),
                    std::span<float>(by_key.data(), rows), runs.data(), op);
  const auto segments = by_segment.to_host(), scanned = prefixes.to_host(), of_keys = by_key.to_host();
  std::vector<float> kept = of.items;
  for (std::size_t r = 0; r < rows; ++r) {
    EXPECT_TRUE(same_bits(segments[r], of.sum(r * columns, (r + 1) * columns))) << r;
    auto run = of.leaves(0, (r + 1) * columns);  // a run takes its part of the tree over all items
    std::fill_n(run.begin(), r * columns, std::nullopt);
    EXPECT_TRUE(same_bits(of_keys[r], *node(run, 0, 40, wf::plus{}))) << r;
  }
  for (std::size_t i = 0; i < count; i += 37) EXPECT_TRUE(same_bits(scanned[i], of.sum(0, i + 1))) << i;

  // Means of the numbers of each column.
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (of.mask[i] == 0) kept[i] = std::numeric_limits<float>::quiet_NaN();
  const device_array<float> with_nan(kept);
  wf::reduce_columns(wf::strided(static_cast<const float*>(with_nan.data()), {rows, columns}),
                     std::span<float>(by_column.data(), columns), wf::where(is_number{}, wf::arithmetic_mean{}));
  const auto means = by_column.to_host();
  const wf::arithmetic_mean mean;
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<std::optional<wf::accumulator_t<wf::arithmetic_mean, float>>> lifted;
    for (const auto& leaf : of.leaves(c, count, columns)) {
      lifted.emplace_back();
      if (leaf) lifted.back() = mean.lift(*leaf);
    }
    EXPECT_TRUE(same_bits(means[c], mean.lower(*node(lifted, 0, 40, mean)))) << c;
  }
}

}  // namespace where_tests
