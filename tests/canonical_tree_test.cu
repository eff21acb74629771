// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The binary counter against the definition of the canonical tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <warpfold/canonical_tree.hpp>

#include "common/interval.hpp"
#include "common/monoids.hpp"
#include "common/same_bits.hpp"
#include "common/sizes.hpp"
#include "common/tree_hash.hpp"

namespace wf = warpfold;

namespace {

/// Node (level, k) as it is defined; the node must not be empty.
template <class A, class Op> A node(const std::vector<A>& leaves, int level, std::size_t k, Op op) {
  if (level == 0) return leaves[k];
  const A left = node(leaves, level - 1, 2 * k, op);
  const bool right_is_empty = (2 * k + 1) << (level - 1) >= leaves.size();
  return right_is_empty ? left : op(left, node(leaves, level - 1, 2 * k + 1, op));
}
template <class A, class Op> A root(const std::vector<A>& leaves, Op op) {
  int level = 0;
  while (std::size_t{1} << level < leaves.size()) ++level;
  return node(leaves, level, 0, op);
}

using hash = wf_test::tree_hash<8>;

TEST(canonical_tree, the_definition_by_hand) {
  const std::vector<hash> x = wf_test::hash_items<hash>(7);
  const wf_test::hash_pair op{};
  const hash expected = op(op(op(x[0], x[1]), op(x[2], x[3])), op(op(x[4], x[5]), x[6]));
  EXPECT_EQ(root(x, op), expected);
  EXPECT_EQ(wf::canonical_tree::replay(x.data(), 7, op), expected);
}

TEST(canonical_tree, the_hash_tells_trees_apart) {
  const std::vector<hash> x = wf_test::hash_items<hash>(4);
  const wf_test::hash_pair op{};
  EXPECT_NE(op(op(op(x[0], x[1]), x[2]), x[3]), op(op(x[0], x[1]), op(x[2], x[3])));
  EXPECT_NE(op(x[0], x[1]), op(x[1], x[0]));
}

TEST(canonical_tree, the_counter_follows_the_definition) {
  std::vector<std::int64_t> counts;
  for (std::int64_t count = 1; count <= 300; ++count) counts.push_back(count);
  wf_test::random_source source(1);
  for (int i = 0; i < 30; ++i) counts.push_back(1 + source.below(1 << 15));
  for (const std::int64_t count : counts) {
    const auto leaves = wf_test::hash_items<hash>(count);
    ASSERT_EQ(wf::canonical_tree::replay(leaves.data(), count, wf_test::hash_pair{}),
              root(leaves, wf_test::hash_pair{}))
        << count;
  }
}

TEST(canonical_tree, the_counter_keeps_order_and_loses_nothing) {
  wf::canonical_tree::counter<wf_test::interval<>, wf_test::join> tree{wf_test::join{}};
  for (std::int32_t i = 0; i < 3000; ++i) {
    EXPECT_EQ(tree.count(), static_cast<std::uint64_t>(i));
    tree.push(wf_test::interval<>::of(i));
    ASSERT_EQ(tree.root(), wf_test::interval<>::of(0, i)) << "the root may be asked for at any time";
  }
}

TEST(canonical_tree, segments_of_a_power_of_two_are_nodes) {
  const auto leaves = wf_test::hash_items<hash>(1000);
  std::vector<hash> tiles;
  for (std::int64_t begin = 0; begin < 1000; begin += 64)
    tiles.push_back(wf::canonical_tree::replay(leaves.data() + begin, std::min<std::int64_t>(64, 1000 - begin),
                                               wf_test::hash_pair{}));
  EXPECT_EQ(wf::canonical_tree::replay(tiles.data(), std::ssize(tiles), wf_test::hash_pair{}),
            wf::canonical_tree::replay(leaves.data(), 1000, wf_test::hash_pair{}));
}

TEST(canonical_tree, replay_accumulates_as_reduce_does) {
  const std::int8_t bytes[] = {127, 127, 127, -1};
  EXPECT_EQ(wf::canonical_tree::replay(bytes, 4, wf::plus{}), 380);
  const float floats[] = {0x1p24f, 1, 1};
  EXPECT_EQ(wf::canonical_tree::replay(floats, 3, wf::plus{}), 0x1p24f) << "1 is lost twice";
  EXPECT_EQ(wf::canonical_tree::replay(floats, 3, wf::accumulate_in<double>(wf::plus{})), 0x1p24 + 2);
  EXPECT_EQ(wf::canonical_tree::replay(floats, 1, wf::plus{}), 0x1p24f);
}

/// Anything with [] will do.
struct squares {
  std::int64_t operator[](std::int64_t i) const { return i * i; }
};

TEST(canonical_tree, replay_takes_iterators) {
  EXPECT_EQ(wf::canonical_tree::replay(squares{}, 1001, wf::plus{}), 1000 * 1001 / 2 * 2001 / 3);
}

// Each item passes ceil(log2 N) additions, each of which adds at most half an ulp of its sum.
TEST(canonical_tree, rounding_error_grows_with_the_logarithm) {
  constexpr int count = 1 << 16;
  const auto items = wf_test::random_items<float>(count);
  long double exact = 0, magnitudes = 0;
  for (const float x : items) exact += x, magnitudes += std::fabs(x);
  const float sum = wf::canonical_tree::replay(items.data(), count, wf::plus{});
  const long double unit = 0x1p-24L, factor = 16 * unit / (1 - 16 * unit);
  EXPECT_LE(std::fabs(static_cast<long double>(sum) - exact), factor * magnitudes);
}

}  // namespace
