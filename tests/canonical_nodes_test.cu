// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of nodes: what they hold, and that no split and no order of joining changes a bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <warpfold/arg_operators.hpp>
#include <warpfold/canonical_nodes.hpp>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_axes.cuh>
#include <warpfold/statistics.hpp>
#include <warpfold/vector_operators.hpp>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "common/refusal.hpp"
#include "common/same_bits.hpp"
#include "common/tree_hash.hpp"

namespace wf = warpfold;

namespace {

using hash = wf_test::tree_hash<8>;
using interval = wf_test::interval<>;

/// The list of items[first] … items[end - 1].
template <class A, class Op, class T>
wf::canonical_nodes<A, Op> nodes_of(const std::vector<T>& items, std::int64_t first, std::int64_t end, Op op) {
  wf::canonical_nodes<A, Op> nodes(first);
  nodes.append_items(items.data() + first, end - first, op);
  return nodes;
}

/// The borders of `parts` parts of `count` items, some of them empty.
std::vector<std::int64_t> random_borders(std::int64_t count, int parts, wf_test::random_source& source) {
  std::vector<std::int64_t> borders{0, count};
  for (int i = 1; i < parts; ++i) borders.push_back(source.below(count + 1));
  std::sort(borders.begin(), borders.end());
  return borders;
}

/// Splits the items at random, and joins neighbours in a random order.
template <class A, class Op, class T>
wf::canonical_nodes<A, Op> joined_at_random(const std::vector<T>& items, Op op, wf_test::random_source& source) {
  const auto count = static_cast<std::int64_t>(items.size());
  const std::vector<std::int64_t> borders = random_borders(count, 1 + static_cast<int>(source.below(20)), source);
  std::vector<wf::canonical_nodes<A, Op>> lists;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i)
    lists.push_back(nodes_of<A>(items, borders[i], borders[i + 1], op));
  while (lists.size() > 1) {
    const std::int64_t i = source.below(static_cast<std::int64_t>(lists.size()) - 1);
    lists[i].append(lists[i + 1], op);
    lists.erase(lists.begin() + i + 1);
  }
  return lists[0];
}

TEST(canonical_nodes, are_the_maximal_complete_nodes) {
  wf_test::random_source source(3);
  for (int round = 0; round < 300; ++round) {
    const std::int64_t first = source.below(200), end = first + source.below(200);
    wf::canonical_nodes<interval, wf_test::join> nodes(first);
    for (std::int64_t i = first; i < end; ++i) nodes.append_node(0, interval::of(i), {});
    std::vector<interval> expected;
    for (std::int64_t begin = first; begin < end;) {
      std::int64_t length = 1;
      while (begin % (2 * length) == 0 && begin + 2 * length <= end) length *= 2;
      expected.push_back(interval::of(begin, begin + length - 1));
      begin += length;
    }
    ASSERT_EQ(nodes.size(), static_cast<int>(expected.size())) << first << " to " << end;
    for (int i = 0; i < nodes.size(); ++i) ASSERT_EQ(nodes[i], expected[i]) << first << " to " << end;
  }
}

TEST(canonical_nodes, intervals_survive_every_split) {
  wf_test::random_source source(4);
  for (int round = 0; round < 300; ++round) {
    const auto items = wf_test::interval_items<interval>(1 + source.below(3000));
    const auto nodes = joined_at_random<interval>(items, wf_test::join{}, source);
    ASSERT_EQ(nodes.value({}, interval::of(-1)), interval::of(-1, static_cast<std::int64_t>(items.size()) - 1));
  }
}

TEST(canonical_nodes, every_split_follows_the_tree) {
  wf_test::random_source source(5);
  for (int round = 0; round < 200; ++round) {
    const auto items = wf_test::hash_items<hash>(1 + source.below(2000));
    const auto count = static_cast<std::int64_t>(items.size());
    const auto nodes = joined_at_random<hash>(items, wf_test::hash_pair{}, source);
    ASSERT_EQ(nodes.value({}), wf::canonical_tree::replay(items.data(), count, wf_test::hash_pair{})) << count;
  }
}

/// As same_bits, of the members where a result has padding.
template <class R> testing::AssertionResult same_result(const R& actual, const R& expected) {
  if constexpr (requires { actual.index; }) {
    const testing::AssertionResult same = wf_test::same_bits(actual.value, expected.value);
    return same ? wf_test::same_bits(actual.index, expected.index) : same;
  } else {
    return wf_test::same_bits(actual, expected);
  }
}
template <class Op> void expect_results_of_reduce(Op op) {
  using A = wf::accumulator_t<Op, float>;
  using R = wf::lowered_t<Op, A>;
  wf_test::random_source source(6);
  for (const std::int64_t count : {1, 2, 1000, 4097}) {
    const auto items = wf_test::random_items<float>(count, 7);
    const wf_test::device_array<float> in(items);
    wf_test::device_array<R> out(1);
    wf::reduce(in.items(), out.data(), op);
    for (int round = 0; round < 10; ++round) {
      const R value = joined_at_random<A>(items, op, source).value(op);
      ASSERT_TRUE(same_result(value, out.value())) << count;
    }
  }
}
TEST(canonical_nodes, sums_means_moments_and_places_have_the_bits_of_reduce) {
  expect_results_of_reduce(wf::plus{});
  expect_results_of_reduce(wf::maximum{});
  expect_results_of_reduce(wf::arithmetic_mean{});
  expect_results_of_reduce(wf::arg_maximum{});
  expect_results_of_reduce(wf::moments<2>{});
}

TEST(canonical_nodes, parts_of_empty_lists_join) {
  wf::canonical_nodes<interval, wf_test::join> nodes(5);
  nodes.append(wf::canonical_nodes<interval, wf_test::join>(5), {});
  EXPECT_EQ(nodes.size(), 0);
  nodes.append_node(0, interval::of(5), {});
  nodes.append(wf::canonical_nodes<interval, wf_test::join>(6), {});
  EXPECT_EQ(nodes.size(), 1);
  EXPECT_EQ(nodes.end(), 6);
  EXPECT_EQ((wf::canonical_nodes<interval, wf_test::join>().value({}, interval::of(-1))), interval::of(-1));
}

TEST(canonical_nodes, lists_have_room_for_the_most_items) {
  wf::canonical_nodes<std::int64_t, wf::plus> nodes(1);
  for (int level = 0; level < 61; ++level) nodes.append_node(level, std::int64_t{1} << level, {});
  for (int level = 60; level >= 0; --level) nodes.append_node(level, std::int64_t{1} << level, {});
  EXPECT_EQ(nodes.end(), (std::int64_t{1} << 62) - 1);
  EXPECT_EQ(nodes.size(), 122);
  wf::canonical_nodes<std::int64_t, wf::plus> all;
  all.append_node(0, 1, {});
  all.append(nodes, {});
  all.append_node(0, 1, {});
  EXPECT_EQ(all.size(), 1);
  EXPECT_EQ(all.end(), all.most_items);
  EXPECT_EQ(all.root({}), all.most_items);
  EXPECT_THROW(all.append_node(0, 1, {}), std::invalid_argument);
}

TEST(canonical_nodes, the_first_bytes_are_the_message) {
  wf_test::random_source source(8);
  const auto items = wf_test::hash_items<hash>(1000);
  for (int round = 0; round < 50; ++round) {
    const std::int64_t border = source.below(1001);
    auto left = nodes_of<hash>(items, 0, border, wf_test::hash_pair{});
    const auto right = nodes_of<hash>(items, border, 1000, wf_test::hash_pair{});
    wf::canonical_nodes<hash, wf_test::hash_pair> received;
    std::memcpy(static_cast<void*>(&received), &right, right.byte_count());
    left.append(received, {});
    ASSERT_EQ(left.value({}), wf::canonical_tree::replay(items.data(), 1000, wf_test::hash_pair{})) << border;
  }
  struct header {
    std::int64_t first, end;
    double nodes[2];
  } seen;
  wf::canonical_nodes<double, wf::plus> sums(3);
  const double five[] = {1, 2, 3, 4, 5};
  sums.append_items(five, 5, {});
  ASSERT_EQ(sums.byte_count(), sizeof seen);
  std::memcpy(&seen, &sums, sizeof seen);
  EXPECT_EQ(seen.first, 3);
  EXPECT_EQ(seen.end, 8);
  EXPECT_EQ(seen.nodes[0], 1);
  EXPECT_EQ(seen.nodes[1], 14);
}

TEST(canonical_nodes, numbers_that_do_not_fit_are_named) {
  using nodes = wf::canonical_nodes<int, wf::plus>;
  nodes left, right(7);
  left.append_node(0, 1, {});
  EXPECT_EQ(wf_test::refusal([&] { left.append(right, {}); }),
            "warpfold::canonical_nodes::append: the right list begins with item 7 and the left one ends before item 1");
  EXPECT_EQ(wf_test::refusal([&] { left.append_node(3, 1, {}); }),
            "warpfold::canonical_nodes::append_node: a node cannot begin with item 1 on level 3");
  EXPECT_EQ(wf_test::refusal([&] { (void)right.root({}); }),
            "warpfold::canonical_nodes::root: items must go from 0 on; they go from 7 to 7");
  EXPECT_EQ(wf_test::refusal([] { nodes negative(-2); }),
            "warpfold::canonical_nodes: the first item is -2 not in 0 to 4611686018427387904");
  EXPECT_EQ(left.size(), 1);
  EXPECT_EQ(left.end(), 1);
}

template <class A, class Op>
__global__ void fold_parts_kernel(const A* items, const std::int64_t* borders, int parts,
                                  wf::canonical_nodes<A, Op>* lists, A* out, Op op) {
  const int part = static_cast<int>(threadIdx.x);
  if (part < parts) {
    wf::canonical_nodes<A, Op> nodes(borders[part]);
    nodes.append_items(items + borders[part], borders[part + 1] - borders[part], op);
    lists[part] = nodes;
  }
  __syncthreads();
  if (part != 0) return;
  for (int i = 1; i < parts; ++i) lists[0].append(lists[i], op);
  *out = lists[0].root(op);
}
TEST(canonical_nodes, threads_of_a_kernel_build_and_join_them) {
  constexpr int parts = 13;
  wf_test::random_source source(9);
  const auto items = wf_test::hash_items<hash>(777);
  const wf_test::device_array<hash> in(items);
  const wf_test::device_array<std::int64_t> borders(random_borders(777, parts, source));
  const wf_test::device_array<wf::canonical_nodes<hash, wf_test::hash_pair>> lists(parts);
  const wf_test::device_array<hash> out(1);
  wf::launch(&fold_parts_kernel<hash, wf_test::hash_pair>, wf::host_side::launch_config(1, 32, 0, nullptr), in.data(),
             borders.data(), parts, lists.data(), out.data(), wf_test::hash_pair{});
  EXPECT_EQ(out.value(), wf::canonical_tree::replay(items.data(), 777, wf_test::hash_pair{}));
}

// WG21's P4016 ("canonical parallel reduction") publishes two sums of 10^6 doubles, over 16 and 128 lanes: item i
// belongs to lane i mod L, and lanes are folded, too. Lanes are columns of an array.
std::vector<double> items_of_p4016() {
  std::vector<double> items;
  std::uint64_t s = 0x243F6A8885A308D3u;
  for (int i = 0; i < 1000000; ++i) {
    s = s * 6364136223846793005u + 1442695040888963407u;
    items.push_back(static_cast<double>(static_cast<std::int64_t>(s >> 11) - (std::int64_t{1} << 52)) * 0x1p-52);
  }
  return items;
}
std::uint64_t sum_of_lanes(const std::vector<double>& items, std::int64_t lanes) {
  const wf_test::device_array<double> in(items), sums(lanes), sum(1);
  const auto count = static_cast<std::int64_t>(items.size());
  const std::int64_t rows = count / lanes, longer = count % lanes;  // the first `longer` lanes have one item more
  const auto reduce_lanes = [&](std::int64_t first, std::int64_t columns, std::int64_t items_of_lane) {
    if (columns > 0)
      wf::reduce_columns(wf::strided<const double, 2>(in.data() + first, {items_of_lane, columns}, {lanes, 1}),
                         std::span(sums.data() + first, static_cast<std::size_t>(columns)));
  };
  reduce_lanes(0, longer, rows + 1);
  reduce_lanes(longer, lanes - longer, rows);
  wf::reduce(sums.items(), sum.data());
  return __builtin_bit_cast(std::uint64_t, sum.value());
}
TEST(canonical_nodes, published_sums_of_p_4016_are_reproduced) {
  const std::vector<double> items = items_of_p4016();
  EXPECT_EQ(sum_of_lanes(items, 16), 0x40618f71f6379380u);
  EXPECT_EQ(sum_of_lanes(items, 128), 0x40618f71f6379397u);
}

}  // namespace
