// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The promises at the head of scan_axes.cuh, in small.
#include <gtest/gtest.h>
#include <warpfold/arg_operators.hpp>
#include <warpfold/fuse.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/scan_axes.cuh>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "axes/arrays.cuh"
#include "common/interval.hpp"
#include "common/monoids.hpp"
#include "common/random_cases.hpp"
#include "common/refusal.hpp"

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::arrays::layout;

namespace scan_axes_operators {
struct negated {
  __host__ __device__ int operator()(int x) const { return -x; }
};
/// Associative, without an identity.
struct left_one {
  __host__ __device__ int operator()(int a, int) const { return a; }
};
}  // namespace scan_axes_operators

namespace scan_axes_at_a_glance {

TEST(scan_axes, the_examples) {
  const device_array<int> in(std::vector<int>{1, 2, 3, 4, 5, 6}), out(6);
  const wf::strided matrix(in.data(), {2, 3}), to(out.data(), {2, 3});
  wf::inclusive_scan_axes(matrix, to, wf::axes{0});
  EXPECT_EQ(out.to_host(), (std::vector<int>{1, 2, 3, 5, 7, 9}));
  wf::inclusive_scan_axes(matrix, to, wf::axes{1});
  EXPECT_EQ(out.to_host(), (std::vector<int>{1, 3, 6, 4, 9, 15}));
  wf::inclusive_scan_axes(matrix, to, wf::backwards{-1}, wf::maximum{});
  EXPECT_EQ(out.to_host(), (std::vector<int>{3, 3, 3, 6, 6, 6}));
  wf::exclusive_scan_axes(matrix, to, wf::axes{1}, {.init = 10});
  EXPECT_EQ(out.to_host(), (std::vector<int>{10, 11, 13, 10, 14, 19}));
  wf::exclusive_scan_axes(matrix, to, wf::backwards{0});
  EXPECT_EQ(out.to_host(), (std::vector<int>{4, 5, 6, 0, 0, 0}));
  wf::transform_inclusive_scan_axes(matrix, to, wf::axes{0}, wf::plus{}, scan_axes_operators::negated{});
  EXPECT_EQ(out.to_host(), (std::vector<int>{-1, -2, -3, -5, -7, -9}));
  wf::inclusive_scan_axes(matrix, wf::strided(in.data(), {2, 3}), wf::axes{0});  // in place
  EXPECT_EQ(in.to_host(), (std::vector<int>{1, 2, 3, 5, 7, 9}));
}

// Several results of one scan, and places along the axis: sums, and where the largest item so far is.
TEST(scan_axes, fused_and_numbered) {
  const device_array<int> in(std::vector<int>{5, 1, 2, 7, 9, 0}), sums(6), most(6);
  const device_array<wf::indexed_value<int>> where(6);
  const wf::strided matrix(in.data(), {3, 2});
  wf::inclusive_scan_axes(matrix, wf::outputs(wf::strided(sums.data(), {3, 2}), wf::strided(most.data(), {3, 2})),
                          wf::axes{0}, wf::fuse(wf::plus{}, wf::maximum{}));
  EXPECT_EQ(sums.to_host(), (std::vector<int>{5, 1, 7, 8, 16, 8}));
  EXPECT_EQ(most.to_host(), (std::vector<int>{5, 1, 5, 7, 9, 7}));
  for (const bool rows : {false, true}) {
    if (rows) wf::inclusive_scan_axes(matrix, wf::strided(where.data(), {3, 2}), wf::axes{1}, wf::arg_maximum{});
    else wf::inclusive_scan_axes(matrix, wf::strided(where.data(), {3, 2}), wf::axes{0}, wf::arg_maximum{});
    std::vector<std::int64_t> places;
    for (const auto& each : where.to_host()) places.push_back(each.index);
    EXPECT_EQ(places,
              rows ? (std::vector<std::int64_t>{0, 0, 0, 1, 0, 0}) : (std::vector<std::int64_t>{0, 0, 0, 1, 2, 1}));
  }
}

}  // namespace scan_axes_at_a_glance

namespace scan_axes_bits {

/// One way to ask for a scan.
struct asked {
  layout in, out;
  int axis = 0;
  bool is_exclusive = false, is_backwards = false, has_init = false, in_place = false;
  int max_blocks = 0;

  std::string text() const {
    return "in " + in.text() + ", out " + out.text() + ", axis " + std::to_string(axis) +
           (is_exclusive ? ", exclusive" : "") + (is_backwards ? ", backwards" : "") + (has_init ? ", init" : "") +
           (in_place ? ", in place" : "") + ", max_blocks " + std::to_string(max_blocks);
  }
  unsigned scanned() const { return 1u << axis; }

  /// The memory of `out`, now `held`, as it is afterwards: the canonical tree over each prefix.
  template <class A, class T, class Op>
  std::vector<A> expected(const std::vector<T>& memory, Op op, A init, std::vector<A> held) const {
    std::vector<std::int64_t> places;
    wf_test::arrays::for_items(out, ~scanned(), out.origin, [&](std::int64_t place) { places.push_back(place); });
    std::size_t column = 0;
    wf_test::arrays::for_items(in, ~scanned(), in.origin, [&](std::int64_t from) {
      const std::int64_t to = places[column++], items = in.extent[axis];
      wf::canonical_tree::counter<A, Op> tree(op);
      for (std::int64_t i = 0; i < items; ++i) {
        const std::int64_t item = is_backwards ? items - 1 - i : i;
        A& result = held[static_cast<std::size_t>(to + item * out.stride[axis])];
        const auto joined = [&] { return has_init ? op(init, tree.root()) : tree.root(); };
        if (is_exclusive) result = i > 0 ? joined() : init;
        tree.push(wf::detail::convert<A>(memory[static_cast<std::size_t>(from + item * in.stride[axis])]));
        if (!is_exclusive) result = joined();
      }
    });
    return held;
  }

  /// Scans, and compares all memory of `out`. An exclusive scan has an init.
  template <class T, class Op, class A = wf::accumulator_t<Op, T>>
  testing::AssertionResult check(const std::vector<T>& memory, Op op, A init, A untouched) const {
    const device_array<T> from(memory);
    std::vector<A> held(static_cast<std::size_t>(out.length), untouched);
    if constexpr (std::is_same_v<T, A>)
      if (in_place) held = memory;
    const device_array<A> to(held);
    wf::reduce_options<A> options;
    if (has_init) options.init = init;
    options.max_blocks = max_blocks;
    const auto view = wf_test::arrays::view_of(from.data(), in);
    const auto scan = [&](const auto& results) {
      const auto along = [&](const auto& named) {
        if (is_exclusive) wf::exclusive_scan_axes(view, results, named, op, options);
        else wf::inclusive_scan_axes(view, results, named, op, options);
      };
      if (is_backwards) along(wf::backwards{axis - in.rank});
      else along(wf::axes{axis - in.rank});
    };
    std::vector<A> actual;
    if constexpr (std::is_same_v<T, A>)
      if (in_place) {
        scan(view);
        actual = from.to_host();
      }
    if (actual.empty()) {
      scan(wf_test::arrays::view_of(to.data(), out));
      actual = to.to_host();
    }
    const auto all = expected(memory, op, init, held);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (const auto same = wf_test::same_bits(actual[i], all[i]); !same)
        return testing::AssertionFailure() << text() << ": place " << i << " of out: " << same.message();
    return testing::AssertionSuccess();
  }
  /// The same of intervals, which show any reorder, loss or duplicate.
  template <class interval = wf_test::interval<>, class Join = wf_test::join>
  testing::AssertionResult check_intervals() const {
    std::vector<interval> memory(static_cast<std::size_t>(in.length), interval::poison());
    wf_test::arrays::for_items(in, ~scanned(), in.origin, [&](std::int64_t from) {
      for (std::int64_t i = 0; i < in.extent[axis]; ++i) {
        const std::int64_t item = is_backwards ? in.extent[axis] - 1 - i : i;
        memory[static_cast<std::size_t>(from + item * in.stride[axis])] = interval::of(i);
      }
    });
    return check(memory, Join{}, interval::of(-1), interval::of(7, 7));
  }
};

/// A random permutation of the first `count` numbers; half of the time they stay in order.
std::vector<int> random_order(int count, wf_test::random_source& source) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (source.below(2) == 0)
    for (int i = count - 1; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(source.below(i + 1))]);
  return order;
}

asked random_case(wf_test::random_source& source) {
  const int rank = 1 + static_cast<int>(source.below(4));
  std::vector<std::int64_t> extents(static_cast<std::size_t>(rank), 1);
  std::int64_t left = wf_test::emulated ? 12'000 : 200'000;
  const std::int64_t kinds[] = {2, 5, 17, 40, 300, left};
  for (int tries = 0; tries < rank; ++tries) {
    auto& extent = extents[static_cast<std::size_t>(source.below(rank))];
    if (extent == 1) extent = std::min(left, 1 + source.below(kinds[source.below(6)])), left /= extent;
  }
  const auto random_layout = [&] {
    const bool is_plain = source.below(2) == 0;
    std::vector<std::int64_t> padding(extents.size());
    for (auto& p : padding) p = is_plain ? 0 : source.below(4);
    return wf_test::arrays::make_layout(extents, random_order(rank, source), is_plain ? 1 : 1 + source.below(4) / 3,
                                        padding, is_plain ? 0 : static_cast<unsigned>(source.below(1 << rank)), 0);
  };
  asked drawn{random_layout(), random_layout()};
  drawn.axis = static_cast<int>(source.below(rank));
  drawn.is_exclusive = source.below(2) == 0;
  drawn.is_backwards = source.below(2) == 0;
  drawn.has_init = drawn.is_exclusive || source.below(3) == 0;
  drawn.in_place = source.below(3) == 0;
  if (drawn.in_place || source.below(2) == 0) drawn.out = drawn.in;
  drawn.max_blocks = source.below(3) == 0 ? 1 + static_cast<int>(source.below(7)) : 0;
  return drawn;
}

TEST(scan_axes_bits, few_columns_under_many_schedules) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const wf_test::schedule_seed schedule(seed);
    asked scan{wf_test::arrays::contiguous({5'000, 7}), wf_test::arrays::contiguous({5'000, 7})};
    scan.max_blocks = seed == 2 ? 5 : 0;
    EXPECT_TRUE(scan.check_intervals()) << seed;
  }
}

TEST(scan_axes_bits, random_intervals) {
  wf_test::for_all_seeds(
      [](std::uint64_t, wf_test::random_source& source) { return random_case(source).check_intervals(); });
}

TEST(scan_axes_bits, random_intervals_of_an_exact_operator) {
  wf_test::for_all_seeds([](std::uint64_t, wf_test::random_source& source) {
    return random_case(source).check_intervals<wf_test::interval<>, wf_test::exact_join>();
  });
}

template <class T, class Op, class A = wf::accumulator_t<Op, T>> void check_random_items(Op op, A init) {
  wf_test::for_all_seeds([&](std::uint64_t seed, wf_test::random_source& source) {
    const asked drawn = random_case(source);
    return drawn.check(wf_test::random_items<T>(drawn.in.length, seed), op, init, A{});
  });
}
TEST(scan_axes_bits, float_sums) { check_random_items<float>(wf::plus{}, 0.1f); }
TEST(scan_axes_bits, int8_sums) { check_random_items<std::int8_t>(wf::accumulate_in<int>(wf::plus{}), 1000); }
TEST(scan_axes_bits, double_maxima) { check_random_items<double>(wf::maximum{}, 0.5); }
TEST(scan_axes_bits, twelve_bytes) {
  check_random_items<wf_test::triple>(wf_test::add_triples{}, wf_test::triple{1, 2, 3});
}

/// The scan of a padded array whose axes lie in the order `from`, into one whose axes lie in the order `to`.
asked padded(const std::vector<std::int64_t>& extents, const std::vector<int>& from, const std::vector<int>& to,
             int axis, int way) {
  const std::vector<std::int64_t> padding(extents.size(), 3);
  asked scan{wf_test::arrays::make_layout(extents, from, 1, padding, 0, 0),
             wf_test::arrays::make_layout(extents, to, 1, padding, 0, 0), axis};
  scan.is_exclusive = scan.has_init = way & 1;
  scan.is_backwards = way >> 1;
  scan.max_blocks = way == 2 ? 3 : 0;
  return scan;
}

// Long columns of few and some neighbours; padded rows; and what is turned on its way.
TEST(scan_axes_bits, many_tiles_of_a_column) {
  const std::int64_t length = wf_test::emulated ? 9'001 : 200'003;
  for (const int way : {0, 1, 2, 3}) {
    EXPECT_TRUE(padded({length, 3}, {0, 1}, {0, 1}, 0, way).check_intervals());
    EXPECT_TRUE(padded({length, 40}, {0, 1}, {0, 1}, 0, way).check_intervals());
    EXPECT_TRUE(padded({2, length, 5}, {0, 1, 2}, {0, 1, 2}, 1, way).check_intervals());
    EXPECT_TRUE(padded({3, length}, {0, 1}, {1, 0}, 1, way).check_intervals());
    EXPECT_TRUE(padded({length, 9}, {0, 1}, {1, 0}, 0, way).check_intervals());
    EXPECT_TRUE(padded({5, length}, {0, 1}, {0, 1}, 1, way).check_intervals());
    const asked floats = padded({length, 5}, {0, 1}, {0, 1}, 0, way);
    EXPECT_TRUE(floats.check(wf_test::random_items<float>(floats.in.length), wf::plus{}, 0.3f, 0.0f));
  }
}

// Tiles of wide items have few rows: blocks go down strips, tile after tile; or bands use the places of earlier ones.
TEST(scan_axes_bits, many_tiles_of_wide_items) {
  using wide = wf_test::interval<std::int32_t, 64>;
  using wider = wf_test::interval<std::int32_t, 600>;
  const std::int64_t more = wf_test::emulated ? 1 : 20;
  for (const int way : {0, 1, 2, 3}) {
    const wf_test::schedule_seed schedule(static_cast<std::uint64_t>(way) + 1);
    EXPECT_TRUE(padded({330, 40 * more}, {0, 1}, {0, 1}, 0, way).check_intervals<wide>());
    EXPECT_TRUE(padded({40 * more, 330}, {0, 1}, {0, 1}, 1, way).check_intervals<wide>());
    EXPECT_TRUE(padded({500, 5}, {0, 1}, {0, 1}, 0, way).check_intervals<wider>());
    EXPECT_TRUE(padded({64 * 150 * more + 9}, {0}, {0}, 0, way).check_intervals<wide>());
    EXPECT_TRUE(padded({64 * 40 * more, 3}, {0, 1}, {0, 1}, 0, way).check_intervals<wide>());
  }
}

/// Lifts items to intervals of 48 bytes.
struct wide_intervals {
  using wide = wf_test::interval<std::int32_t, 48>;
  __host__ __device__ wide lift(int item) const { return wide::of(item); }
  __host__ __device__ wide operator()(const wide& a, const wide& b) const { return wf_test::join{}(a, b); }
};
// A tile of columns of one item, few of them side by side, has as many threads as items.
TEST(scan_axes_bits, columns_of_one_item) {
  constexpr std::int64_t count = 50, inner = 4;
  std::vector<int> items(16 * count);
  std::iota(items.begin(), items.end(), 0);
  const device_array<int> in(items);
  const device_array<wide_intervals::wide> out(count * inner);
  wf::inclusive_scan_axes(wf::strided<const int, 3>(in.data(), {count, 1, inner}, {16, 1, 2}),
                          wf::strided<wide_intervals::wide, 3>(out.data(), {count, 1, inner}), wf::axes{1},
                          wide_intervals{});
  const auto found = out.to_host();
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t k = 0; k < inner; ++k)
      EXPECT_EQ(found[static_cast<std::size_t>(i * inner + k)], wide_intervals::wide::of(16 * i + 2 * k));
}

}  // namespace scan_axes_bits

namespace scan_axes_errors {

TEST(scan_axes_errors, axes_and_extents) {
  const device_array<int> in(24), out(24);
  const wf::strided cube(in.data(), {2, 3, 4});
  const auto scan = [&](const auto& to, const auto& axis) {
    return wf_test::refusal([&] { wf::inclusive_scan_axes(cube, to, axis); });
  };
  const wf::strided to(out.data(), {2, 3, 4});
  EXPECT_EQ(scan(to, wf::axes{3}), "warpfold::inclusive_scan_axes: axis 3 of an array of 3 dimensions");
  EXPECT_EQ(scan(to, wf::axes{0, 1}), "warpfold::inclusive_scan_axes: 2 axes are named; a scan runs along one");
  EXPECT_EQ(scan(to, wf::backwards{}), "warpfold::inclusive_scan_axes: 0 axes are named; a scan runs along one");
  EXPECT_EQ(scan(wf::strided(out.data(), {2, 4, 3}), wf::axes{0}),
            "warpfold::inclusive_scan_axes: out has the extents (2, 4, 3); in has (2, 3, 4)");
  EXPECT_EQ(scan(wf::strided(out.data(), {6, 4}), wf::axes{0}),
            "warpfold::inclusive_scan_axes: out has the extents (6, 4); in has (2, 3, 4)");
}

TEST(scan_axes_errors, memory_and_options) {
  const device_array<int> in(24), out(24);
  const wf::strided matrix(in.data(), {4, 6}), to(out.data(), {4, 6});
  const auto scan = [&](const auto& from, const auto& results) {
    return wf_test::refusal([&] { wf::inclusive_scan_axes(from, results, wf::axes{0}); });
  };
  EXPECT_EQ(scan(matrix, wf::strided(static_cast<int*>(nullptr), {4, 6})),
            "warpfold::inclusive_scan_axes: out is a null pointer");
  EXPECT_EQ(scan(wf::strided(static_cast<int*>(nullptr), {4, 6}), to),
            "warpfold::inclusive_scan_axes: in is a null pointer");
  EXPECT_EQ(scan(wf::strided<int, 2>(in.data(), {2, 6}), wf::strided<int, 2>(in.data() + 6, {2, 6})),
            "warpfold::inclusive_scan_axes: out lies within in");
  EXPECT_EQ(scan(wf::strided<int, 2>(in.data(), {4, 4}), wf::strided<int, 2>(in.data(), {4, 4}, {1, 4})),
            "warpfold::inclusive_scan_axes: out lies within in");
  EXPECT_EQ(scan(matrix, wf::strided<int, 2>(out.data(), {4, 6}, {0, 1})),
            "warpfold::inclusive_scan_axes: out overlaps itself: extents (4, 6), strides (0, 1)");
  EXPECT_EQ(wf_test::refusal([&] { wf::inclusive_scan_axes(matrix, to, wf::axes{0}, {.init = out.data() + 3}); }),
            "warpfold::inclusive_scan_axes: init lies within out");
  EXPECT_EQ(
      wf_test::refusal([&] { wf::exclusive_scan_axes(matrix, to, wf::axes{0}, scan_axes_operators::left_one{}); }),
      "warpfold::exclusive_scan_axes: the operator has no identity, and no .init was given");
  EXPECT_EQ(wf_test::refusal([&] { wf::inclusive_scan_axes(matrix, to, wf::axes{0}, {.max_blocks = -1}); }),
            "warpfold::inclusive_scan_axes: max_blocks is -1");
}

TEST(scan_axes_errors, nothing_to_scan) {
  const wf::strided<int, 2> nothing(nullptr, {3, 0});
  for (const int axis : {0, 1})
    EXPECT_EQ(wf_test::refusal([&] { wf::inclusive_scan_axes(nothing, nothing, wf::axes{axis}); }), "accepted");
}

}  // namespace scan_axes_errors
