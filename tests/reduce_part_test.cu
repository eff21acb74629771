// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of an input: their lists are those that the CPU makes item by item, and join to the bits of reduce.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <warpfold/arg_operators.hpp>
#include <warpfold/exact_plus.cuh>
#include <warpfold/fuse.hpp>
#include <warpfold/log_sum_exp_operator.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_part.cuh>
#include <warpfold/statistics.hpp>
#include <warpfold/top_k_operators.hpp>
#include <warpfold/vector_operators.hpp>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "common/refusal.hpp"
#include "common/same_results.hpp"
#include "common/samples.hpp"
#include "common/tree_hash.hpp"
#include "reduce/stream.cuh"

namespace reduce_part_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::interval, wf_test::join;
using hash = wf_test::tree_hash<8>;

/// The borders of `parts` parts of `count` items, some of them empty.
std::vector<std::int64_t> random_borders(std::int64_t count, int parts, wf_test::random_source& source) {
  std::vector<std::int64_t> borders{0, count};
  for (int i = 1; i < parts; ++i) {
    const std::int64_t border = source.below(count + 1);
    borders.push_back(source.below(2) == 0 ? border : border >> source.below(14) << source.below(14));
    borders.back() = std::min(borders.back(), count);
  }
  std::sort(borders.begin(), borders.end());
  return borders;
}

/// Joins neighbours in a random order.
template <class Nodes, class Op> Nodes joined(std::vector<Nodes> lists, Op op, wf_test::random_source& source) {
  while (lists.size() > 1) {
    const std::int64_t i = source.below(static_cast<std::int64_t>(lists.size()) - 1);
    lists[static_cast<std::size_t>(i)].append(lists[static_cast<std::size_t>(i) + 1], op);
    lists.erase(lists.begin() + i + 1);
  }
  return lists[0];
}

TEST(reduce_part, pieces_are_nodes_and_cover_the_part_once) {
  wf_test::random_source source(1);
  namespace reduction = wf::reduction;
  for (int round = 0; round < 20'000; ++round) {
    const std::int64_t begin = source.below(std::int64_t{1} << source.below(30)),
                       end = begin + 1 + source.below(std::int64_t{1} << source.below(24));
    const int batch = 5 + static_cast<int>(source.below(5)), tile = batch + static_cast<int>(source.below(5)),
              unit = tile + static_cast<int>(source.below(4));
    const reduction::part_cuts cuts = reduction::cut_part(begin, end, batch, tile, unit);
    if (cuts.pieces > 5000) continue;
    ASSERT_LT(cuts.edges(), 62);
    std::vector<reduction::part_piece> pieces;
    for (int i = 0; i < cuts.tiles; ++i) pieces.push_back(cuts.edge_piece(i));
    for (int i = 0; i < cuts.all_units(); ++i) pieces.push_back(cuts.unit_piece(i));
    for (int i = cuts.right_batches; i < cuts.pieces; ++i) pieces.push_back(cuts.edge_piece(i));
    std::int64_t next = begin;
    for (const auto& [first, items] : pieces) {
      ASSERT_EQ(first, next);
      ASSERT_TRUE(items > 0 && (items & (items - 1)) == 0 && first % items == 0) << first << ' ' << items;
      next += items;
    }
    ASSERT_EQ(next, end);
    ASSERT_EQ(cuts.unit_piece(cuts.all_units()).first, cuts.tiles_end);
    int covered = 0;
    next = begin;
    for (int i = 0; i < cuts.list().count(); ++i) {
      const auto [first, count] = cuts.pieces_of(i);
      ASSERT_EQ(first, covered);
      covered += count;
      std::int64_t length = 1;
      while (next % (2 * length) == 0 && next + 2 * length <= end) length *= 2;
      std::int64_t items = 0;
      for (int k = first; k < covered; ++k) items += pieces[static_cast<std::size_t>(k)].items;
      ASSERT_EQ(items, length) << begin << " to " << end;
      for (int k = first; k < covered; ++k)
        ASSERT_EQ(pieces[static_cast<std::size_t>(k)].items, pieces[static_cast<std::size_t>(first)].items);
      next += length;
    }
    ASSERT_EQ(covered, cuts.pieces);
  }
}

template <class T, class Op>
void expect_list(const std::vector<T>& items, std::int64_t first, std::int64_t offset, Op op, int max_blocks) {
  using nodes = wf::part_nodes<T, Op>;
  const device_array<T> in(items, offset);
  const device_array<nodes> out(1);
  wf::reduce_part(in.items(), {.first = first}, out.data(), op, {.max_blocks = max_blocks});
  nodes expected(first);
  expected.append_items(items.data(), std::ssize(items), op);
  const std::vector<nodes> lists = out.to_host();
  const nodes& list = lists[0];
  ASSERT_EQ(list.first(), first);
  ASSERT_EQ(list.end(), expected.end());
  for (int i = 0; i < list.size(); ++i)
    ASSERT_TRUE(wf_test::same_result(list[i], expected[i]))
        << "node " << i << " of items " << first << " to " << expected.end() << ", max_blocks " << max_blocks;
}

TEST(reduce_part, lists_are_those_of_the_items_at_every_border) {
  wf_test::random_source source(2);
  std::vector<std::pair<std::int64_t, std::int64_t>> parts{{0, 0}, {7, 0},    {0, 1},   {1, 1},
                                                           {3, 4}, {0, 1024}, {1, 1023}};
  for (const std::int64_t size : {1, 31, 500, 2048, 9'000, 40'000, 140'000})
    for (int k = 0; k < wf_test::share_of(8); ++k) {
      const std::int64_t first = source.below(std::int64_t{1} << source.below(40));
      parts.emplace_back(k % 4 == 0 ? first >> 12 << 12 : first, size + source.below(size));
    }
  for (const auto& [first, count] : parts)
    for (const int max_blocks : {0, 1, 5}) {
      std::vector<interval<std::int64_t>> items;
      for (std::int64_t i = 0; i < count; ++i) items.push_back(interval<std::int64_t>::of(first + i));
      expect_list(items, first, first % 3, join{}, max_blocks);
      if (HasFatalFailure()) return;
    }
  for (const auto& [first, count] : parts) {
    const auto floats = wf_test::random_items<float>(count, static_cast<std::uint64_t>(first));
    expect_list(floats, first, first % 5, wf::plus{}, count % 2);
    if (HasFatalFailure()) return;
  }
}

template <class T, class Op> void expect_bits_of_reduce(const std::vector<T>& items, Op op, int rounds = 3) {
  using nodes = wf::part_nodes<T, Op>;
  const device_array<T> in(items);
  const auto expected = wf::reduce_value(in.items(), op);
  wf_test::random_source source(items.size());
  for (int round = 0; round < wf_test::share_of(rounds); ++round) {
    const auto borders = random_borders(std::ssize(items), 1 + static_cast<int>(source.below(9)), source);
    const auto parts = static_cast<std::int64_t>(borders.size()) - 1;
    const device_array<nodes> out(parts);
    for (std::size_t i = 0; i < static_cast<std::size_t>(parts); ++i)
      wf::reduce_part(in.items().subspan(static_cast<std::size_t>(borders[i]),
                                         static_cast<std::size_t>(borders[i + 1] - borders[i])),
                      {.first = borders[i]}, out.data() + i, op, {.max_blocks = static_cast<int>(source.below(4))});
    ASSERT_TRUE(wf_test::same_result(joined(out.to_host(), op, source).value(op), expected))
        << items.size() << " items";
  }
}

TEST(reduce_part, operators_of_all_kinds_have_the_bits_of_reduce) {
  for (const std::int64_t count : {1, 130, 5003, 50'021}) {
    const auto floats = wf_test::random_items<float>(count, 3);
    expect_bits_of_reduce(floats, wf::plus{}, 20);
    expect_bits_of_reduce(floats, wf::maximum{});
    expect_bits_of_reduce(floats, wf::accumulate_in<double>(wf::plus{}));
    expect_bits_of_reduce(floats, wf::moments<2>{});
    expect_bits_of_reduce(floats, wf::log_sum_exp{});
    expect_bits_of_reduce(floats, wf::exact_plus{});
    expect_bits_of_reduce(floats, wf::fuse(wf::plus{}, wf::arg_maximum{}));
    expect_bits_of_reduce(wf_test::random_items<std::int8_t>(count, 5), wf::plus{});
    expect_bits_of_reduce(wf_test::random_items<std::int64_t>(count, 5), wf::exact_plus{});
    std::vector<float> repeated;
    for (const float x : floats) repeated.push_back(std::floor(x / 64));
    expect_bits_of_reduce(repeated, wf::arg_minimum<wf::ties::last>{});
    expect_bits_of_reduce(repeated, wf::top_k<5>{});
    expect_bits_of_reduce(wf_test::random_items<double>(count, 6), wf::bottom_k<3>{}, 1);
  }
}

TEST(reduce_part, thousands_of_splits_have_the_bits_of_reduce) {
  wf_test::random_source source(9);
  for (int round = 0; round < wf_test::share_of(60); ++round) {
    const auto items = wf_test::random_items<float>(1 + source.below(4000), static_cast<std::uint64_t>(round));
    expect_bits_of_reduce(items, wf::plus{}, 20);
    if (HasFatalFailure()) return;
  }
}

struct difference {
  __host__ __device__ double operator()(float a, std::int16_t b) const { return static_cast<double>(a) - b; }
};
struct twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};
struct numbers {
  using value_type = std::int64_t;
  using difference_type = std::int64_t;
  std::int64_t first;
  __host__ __device__ std::int64_t operator[](std::int64_t i) const { return first + i; }
};

TEST(reduce_part, reads_transforms_pairs_and_iterators) {
  constexpr std::int64_t count = 40'003;
  const auto left = wf_test::random_items<float>(count, 1);
  const auto right = wf_test::random_items<std::int16_t>(count, 2);
  const device_array<float> l(left);
  const device_array<std::int16_t> r(right);
  using nodes = wf::canonical_nodes<double, wf::plus>;
  using float_nodes = wf::canonical_nodes<float, wf::plus>;
  using hashes = wf::canonical_nodes<interval<std::int64_t>, join>;
  const device_array<nodes> out(2);
  const device_array<float_nodes> out_twice(2);
  const device_array<hashes> out_numbers(2);
  for (const std::int64_t b : {1, 5, 20'000}) {
    for (int i = 0; i < 2; ++i) {
      const std::int64_t first = i == 0 ? 0 : b, size = i == 0 ? b : count - b;
      wf::transform_reduce_part(l.data() + first, r.data() + first, size, {.first = first}, out.data() + i, wf::plus{},
                                difference{});
      wf::transform_reduce_part(l.data() + first, size, {.first = first}, out_twice.data() + i, wf::plus{}, twice{});
      wf::transform_reduce_part(numbers{first}, size, {.first = first}, out_numbers.data() + i, join{},
                                wf_test::to_interval<interval<std::int64_t>>{});
    }
    wf_test::random_source source(3);
    EXPECT_TRUE(wf_test::same_result(joined(out.to_host(), wf::plus{}, source).value(wf::plus{}),
                                     wf::transform_reduce_value(l.items(), r.items(), wf::plus{}, difference{})));
    EXPECT_TRUE(wf_test::same_result(joined(out_twice.to_host(), wf::plus{}, source).value(wf::plus{}),
                                     wf::transform_reduce_value(l.items(), wf::plus{}, twice{})));
    EXPECT_EQ(joined(out_numbers.to_host(), join{}, source).value(join{}), interval<std::int64_t>::of(0, count - 1));
  }
}

// So many units that nodes of the list are joined from chunks of them (write_list).
TEST(reduce_part, joins_many_units) {
  using whole = interval<std::int32_t>;
  using nodes = wf::canonical_nodes<whole, join>;
  const std::int64_t count = wf_test::emulated ? 5'000'011 : 300'000'011;
  std::int64_t number = 0;
  for (const std::int64_t first : {4'194'304 - 77, 0, 12'345}) {
    if (!wf_test::in_sample(number++)) continue;
    const device_array<nodes> out(1);
    wf::transform_reduce_part(numbers{first}, count, {.first = first}, out.data(), join{}, wf_test::to_interval<>{});
    const nodes list = out.to_host()[0];
    std::int64_t next = first;
    for (int i = 0; i < list.size(); ++i) {
      std::int64_t length = 1;
      while (next % (2 * length) == 0 && next + 2 * length <= first + count) length *= 2;
      ASSERT_EQ(list[i], whole::of(next, next + length - 1));
      next += length;
    }
    EXPECT_EQ(next, first + count);
  }
}

TEST(reduce_part, is_one_node_of_a_graph) {
  const std::int64_t count = 60'007, first = 12'345;
  device_array<float> in(wf_test::random_items<float>(count, 1));
  using nodes = wf::part_nodes<float, wf::plus>;
  const device_array<nodes> out(1);
  const wf_test::graph graph(
      [&](cudaStream_t s) { wf::reduce_part(in.items(), {.first = first}, out.data(), wf::plus{}, {.stream = s}); });
  EXPECT_EQ(graph.nodes(), 1u);
  const wf_test::stream stream;
  for (const float x : {1.5f, 1e5f}) {
    in.set(0, x);
    graph.launch(stream);
    stream.wait();
    nodes expected(first);
    const auto items = in.to_host();
    expected.append_items(items.data(), count, wf::plus{});
    const auto list = out.to_host();
    ASSERT_EQ(list[0].size(), expected.size());
    for (int i = 0; i < expected.size(); ++i) EXPECT_TRUE(wf_test::same_result(list[0][i], expected[i]));
  }
}

TEST(reduce_part, refusals_name_function_argument_and_value) {
  const device_array<float> in(5);
  using nodes = wf::part_nodes<float, wf::plus>;
  const device_array<nodes> out(1);
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(wf_test::refusal([&] { wf::reduce_part(in.items(), {.first = -3}, out.data(), wf::plus{}); }),
                  "reduce_part: part.first is -3"));
  EXPECT_TRUE(has(
      wf_test::refusal([&] { wf::reduce_part(in.items(), {.first = nodes::most_items - 4}, out.data(), wf::plus{}); }),
      "items are numbered below"));
  EXPECT_TRUE(
      has(wf_test::refusal([&] { wf::reduce_part(in.data(), -1, {}, out.data(), wf::plus{}); }), "count is -1"));
  EXPECT_TRUE(has(wf_test::refusal([&] { wf::reduce_part(in.items(), {}, static_cast<nodes*>(nullptr), wf::plus{}); }),
                  "out is a null pointer"));
  EXPECT_TRUE(
      has(wf_test::refusal([&] { wf::reduce_part(in.items(), {}, out.data(), wf::plus{}, {.max_blocks = -2}); }),
          "max_blocks is -2"));
}

}  // namespace reduce_part_tests
