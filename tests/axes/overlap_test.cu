// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs of any strides: accepted if no two results share a place, and then right.
#include <warpfold/axes/overlap.hpp>

#include <algorithm>
#include <map>

#include "axes/arrays.cuh"
#include "common/refusal.hpp"

namespace axes_overlap {

namespace wf = warpfold;
namespace ax = warpfold::axis_reduction;
using ax::array_axes, ax::overlap;
using wf_test::random_source;
using wf_test::arrays::layout;

overlap found(const array_axes& array) { return ax::overlap_search(array).result(); }

/// The same by listing all places.
bool shares_places(const array_axes& array) {
  std::vector<std::int64_t> places{0};
  for (int i = 0; i < array.rank; ++i) {
    std::vector<std::int64_t> all;
    for (const auto place : places)
      for (std::int64_t k = 0; k < array.extent[i]; ++k) all.push_back(place + k * array.stride[i]);
    places.swap(all);
  }
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) != places.end();
}

/// A few items, whose strides are small, large, nearly nested, or multiples of few numbers.
array_axes random_small(random_source& random) {
  array_axes array{static_cast<int>(random.below(9)), {}, {}};
  const std::int64_t kind = random.below(4), most = array.rank > 5 ? 3 : array.rank > 3 ? 4 : 12;
  std::int64_t nested = 1;
  for (int i = 0; i < array.rank; ++i) {
    const std::int64_t extent = 1 + random.below(most);
    const std::int64_t strides[] = {random.below(61) - 30, random.below(4001) - 2000,
                                    random.below(2) ? nested : -nested,
                                    (random.below(2001) - 1000) * (random.below(2) ? 1 : 12)};
    array.extent[i] = extent, array.stride[i] = strides[kind];
    nested = std::max<std::int64_t>(1, nested * extent + random.below(3) - 1);
  }
  return array;
}

TEST(axes_overlap, of_small_arrays) {
  random_source random(17);
  std::map<std::pair<bool, int>, int> seen;  // by the answer and the axes that have strides
  for (int round = 0; round < 20'000; ++round) {
    const array_axes array = random_small(random);
    const bool expected = shares_places(array);
    ASSERT_EQ(found(array), expected ? overlap::some : overlap::none)
        << "extents " << ax::listed(array.extent, array.rank) << ", strides " << ax::listed(array.stride, array.rank);
    ++seen[{expected, array.rank}];
  }
  for (int rank = 2; rank <= wf::max_axes; ++rank)
    EXPECT_TRUE(seen[std::pair(true, rank)] > 100 && seen[std::pair(false, rank)] > 100) << rank;
}

TEST(axes_overlap, of_large_arrays) {
  constexpr std::int64_t tera = std::int64_t{1} << 40, quintillion = 1'000'000'007ll * 998'244'353;
  // Each axis has another prime, by which the strides of all others are divisible.
  EXPECT_EQ(found({2, {998'244'353, 1'000'000'007}, {1'000'000'007, 998'244'353}}), overlap::none);
  EXPECT_EQ(found({2, {998'244'354, 1'000'000'008}, {1'000'000'007, 998'244'353}}), overlap::some);
  EXPECT_EQ(found({3, {1009, 1013, 1019}, {1013 * 1019, -1009 * 1019, 1009 * 1013}}), overlap::none);
  EXPECT_EQ(found({3, {1010, 1013, 1014}, {1013 * 1019, -1009 * 1019, 1009 * 1013}}), overlap::none);
  EXPECT_EQ(found({3, {1010, 1014, 1019}, {1013 * 1019, -1009 * 1019, 1009 * 1013}}), overlap::some);
  EXPECT_EQ(found({2, {3, 4}, {quintillion, -quintillion / 2}}), overlap::none) << "odd: twice the half is one less";
  EXPECT_EQ(found({2, {3, 4}, {quintillion - 1, -quintillion / 2}}), overlap::some);
  EXPECT_EQ(found({3, {tera, 2, 1 << 20}, {1, -(tera - 1), tera + 5}}), overlap::some);
  EXPECT_EQ(found({3, {tera, 2, 1 << 20}, {1, -tera << 20, -tera}}), overlap::none);
  EXPECT_EQ(found({0, {}, {}}), overlap::none);
  EXPECT_EQ(found({2, {1, 1}, {0, 0}}), overlap::none);
  EXPECT_EQ(found({2, {1, 2}, {7, 0}}), overlap::some);
}

// Two items share a place by construction: the last stride makes up for random differences of the other indices.
TEST(axes_overlap, of_planted_pairs) {
  random_source random(19);
  for (int round = 0; round < 2'000; ++round) {
    array_axes array{2 + static_cast<int>(random.below(3)), {}, {}};
    std::int64_t sum = 0;
    const int last = array.rank - 1;
    for (int i = 0; i < last; ++i) {
      const std::int64_t difference = random.below(50) - 25;
      array.extent[i] = std::abs(difference) + 1 + random.below(5);
      array.stride[i] = random.below(std::int64_t{1} << (10 + 10 * random.below(5))) + 1;
      sum += difference * array.stride[i];
    }
    array.extent[last] = 2 + random.below(5), array.stride[last] = sum;
    ASSERT_EQ(found(array), overlap::some)
        << "extents " << ax::listed(array.extent, array.rank) << ", strides " << ax::listed(array.stride, array.rank);
  }
}

TEST(axes_overlap, what_cannot_be_decided_is_refused) {
  random_source random(20);
  array_axes hard{wf::max_axes, {}, {}};
  for (int i = 0; i < hard.rank; ++i) {
    hard.extent[i] = 12;
    hard.stride[i] = (std::int64_t{1} << 50) + random.below(std::int64_t{1} << 50);
  }
  EXPECT_EQ(found(hard), overlap::unknown);
  EXPECT_EQ(wf_test::refusal([&] { ax::check_apart_from_itself("f", "out", hard); }).substr(0, 78),
            "warpfold::f: out may overlap itself, which is too hard to decide: extents (12,");
  const wf_test::device_array<int> in(4), out(4);
  EXPECT_EQ(wf_test::refusal([&] {
              wf::reduce_axes(wf::strided<int, 2>(in.data(), {3, 3}, {1, std::int64_t{1} << 56}),
                              wf::strided(out.data(), {3}), wf::axes{1});
            }),
            "warpfold::reduce_axes: in has the extents (3, 3) and the strides (1, 72057594037927936), by which items "
            "are more than 2^56 apart");
}

/// Reduces an array of the given kept axes and 5 items for each into `out`, and compares all of its memory.
void expect_sums(const layout& out) {
  std::vector<std::int64_t> extents(out.extent, out.extent + out.rank);
  extents.push_back(5);
  const layout in = wf_test::arrays::contiguous(extents);
  std::vector<int> items;
  for (std::int64_t i = 0; i < in.length; ++i) items.push_back(static_cast<int>(i * i % 1009));
  const unsigned reduced = 1u << out.rank;
  const wf_test::device_array<int> from(items), to(std::vector<int>(static_cast<std::size_t>(out.length), -1));
  wf::reduce_axes(wf_test::arrays::view_of(static_cast<const int*>(from.data()), in),
                  wf_test::arrays::view_of(to.data(), wf_test::arrays::with_reduced(in, reduced, out)),
                  wf_test::arrays::named(reduced, in.rank));
  std::vector<int> expected(static_cast<std::size_t>(out.length), -1);
  const auto sums = wf_test::arrays::expected<int>(in, reduced, items, wf::plus{});
  std::size_t next = 0;
  wf_test::arrays::for_items(out, ~0u, out.origin,
                             [&](std::int64_t place) { expected[static_cast<std::size_t>(place)] = sums[next++]; });
  EXPECT_EQ(to.to_host(), expected) << out.text();
}
layout layout_of(const array_axes& array) {
  layout made;
  made.rank = array.rank;
  for (int i = 0; i < array.rank; ++i) {
    made.extent[i] = array.extent[i], made.stride[i] = array.stride[i];
    const std::int64_t reach = (array.extent[i] - 1) * array.stride[i];
    made.length += std::abs(reach);
    made.origin -= std::min<std::int64_t>(0, reach);
  }
  return made;
}
TEST(axes_overlap, results_that_interlock) {
  expect_sums(layout_of({2, {3, 3}, {-11, 18}}));
  random_source random(18);
  for (int tested = 0; tested < 60;) {
    array_axes array = random_small(random);
    if (array.rank > 6 || shares_places(array)) continue;
    ++tested;
    expect_sums(layout_of(array));
  }
}

}  // namespace axes_overlap
