// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extrema and their indices in an order of the caller's: those of the standard library's algorithms, the first or the
// last of equal items, of sequences, segments, keys and axes.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>
#include <warpfold/arg_reduce.cuh>
#include <warpfold/reduce_axes.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/segmented_reduce.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace arg_reduce_by_tests {

namespace wf = warpfold;
using wf_test::device_array;

/// Items of which many are equal in the order, though their other members differ.
struct point {
  int x, y;
  friend bool operator==(const point&, const point&) = default;
};
struct closer {
  __host__ __device__ bool operator()(const point& a, const point& b) const {
    return a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y;
  }
};

std::vector<point> make_points(std::int64_t count) {
  wf_test::random_source random(static_cast<unsigned>(count));
  std::vector<point> points(static_cast<std::size_t>(count));
  for (point& p : points) p = {static_cast<int>(random.below(21)) - 10, static_cast<int>(random.below(21)) - 10};
  return points;
}

/// The index in [begin, end) of the least or greatest point, counted from begin.
std::int64_t place_of(const std::vector<point>& points, std::int64_t begin, std::int64_t end, bool least,
                      wf::ties among_equals) {
  std::int64_t best = begin;
  for (std::int64_t i = begin + 1; i < end; ++i) {
    const point &p = points[static_cast<std::size_t>(i)], &q = points[static_cast<std::size_t>(best)];
    const bool before = least ? closer{}(p, q) : closer{}(q, p), after = least ? closer{}(q, p) : closer{}(p, q);
    if (before || (!after && among_equals == wf::ties::last)) best = i;
  }
  return best - begin;
}
void expect_extremum(const wf::indexed_value<point>& found, const std::vector<point>& points, std::int64_t begin,
                     std::int64_t end, bool least, wf::ties among_equals = wf::ties::first) {
  const std::int64_t place = place_of(points, begin, end, least, among_equals);
  EXPECT_EQ(found.index, place) << end - begin << " items";
  EXPECT_EQ(found.value, points[static_cast<std::size_t>(begin + place)]) << end - begin << " items";
}

template <wf::ties Ties> void expect_extrema_of_sequences() {
  for (const std::int64_t count : {1, 2, 33, 1000, 4097, 70'001}) {
    const auto points = make_points(count);
    const device_array<point> in(points);
    const device_array<wf::indexed_value<point>> out(2);
    const device_array<wf::indexed_extrema<point>> both(1);
    wf::argmin<Ties>(in.items(), out.data(), closer{});
    wf::argmax<Ties>(in.data(), count, out.data() + 1, closer{});
    wf::arg_minmax<Ties>(in.items(), both.data(), closer{});
    expect_extremum(out.value(0), points, 0, count, true, Ties);
    expect_extremum(out.value(1), points, 0, count, false, Ties);
    expect_extremum(both.value().minimum, points, 0, count, true, Ties);
    expect_extremum(both.value().maximum, points, 0, count, false, Ties);
    expect_extremum(wf::argmin_value<Ties>(in.data(), in.data() + count, closer{}), points, 0, count, true, Ties);
    expect_extremum(wf::argmax_value<Ties>(in.items(), closer{}), points, 0, count, false, Ties);
    expect_extremum(wf::arg_minmax_value<Ties>(in.items(), closer{}).maximum, points, 0, count, false, Ties);
  }
}
TEST(arg_reduce_by, finds_the_first_of_equal_items) { expect_extrema_of_sequences<wf::ties::first>(); }
TEST(arg_reduce_by, finds_the_last_of_equal_items) { expect_extrema_of_sequences<wf::ties::last>(); }

TEST(arg_reduce_by, segments_count_from_their_begin) {
  const auto points = make_points(3000);
  const std::vector<int> offsets{0, 1, 40, 40, 41, 500, 2900, 3000};
  const device_array<point> in(points);
  const device_array<int> device_offsets(offsets);
  const device_array<wf::indexed_value<point>> out(7);
  const device_array<wf::indexed_extrema<point>> both(7);
  wf::segmented_reduce(in.items(), device_offsets.items(), std::span(out.data(), out.size()),
                       wf::within_segment{wf::arg_minimum_by(closer{})});
  wf::segmented_reduce(in.items(), device_offsets.items(), std::span(both.data(), both.size()),
                       wf::within_segment{wf::arg_extrema_by<wf::ties::last>(closer{})});
  for (std::size_t s = 0; s < 7; ++s) {
    const auto found = out.value(static_cast<std::int64_t>(s));
    const auto extrema = both.value(static_cast<std::int64_t>(s));
    if (offsets[s] == offsets[s + 1]) {
      EXPECT_EQ(found.index, -1);
      EXPECT_EQ(extrema.maximum.index, -1);
      continue;
    }
    expect_extremum(found, points, offsets[s], offsets[s + 1], true);
    expect_extremum(extrema.minimum, points, offsets[s], offsets[s + 1], true, wf::ties::last);
    expect_extremum(extrema.maximum, points, offsets[s], offsets[s + 1], false, wf::ties::last);
  }
}

/// An order that has a state.
struct closer_to {
  int x, y;
  __host__ __device__ bool operator()(const point& a, const point& b) const {
    return closer{}({a.x - x, a.y - y}, {b.x - x, b.y - y});
  }
};
TEST(arg_reduce_by, runs_count_from_their_begin_in_an_order_with_a_state) {
  const auto points = make_points(2000);
  std::vector<int> keys;
  for (int i = 0; i < 2000; ++i) keys.push_back(i / 300);
  const device_array<point> in(points);
  const device_array<int> device_keys(keys), out_keys(7), runs(1);
  const device_array<wf::indexed_value<point>> out(7);
  wf::reduce_by_key(device_keys.items(), in.items(), std::span(out_keys.data(), out_keys.size()), out.data(),
                    runs.data(), wf::within_run{wf::arg_minimum_by(closer_to{3, -2})});
  ASSERT_EQ(runs.value(), 7);
  std::vector<point> moved = points;
  for (point& p : moved) p = {p.x - 3, p.y + 2};
  for (std::int64_t run = 0; run < 7; ++run) {
    const std::int64_t begin = 300 * run, end = std::min<std::int64_t>(begin + 300, 2000),
                       place = place_of(moved, begin, end, true, wf::ties::first);
    EXPECT_EQ(out.value(run).index, place) << "run " << run;
    EXPECT_EQ(out.value(run).value, points[static_cast<std::size_t>(begin + place)]) << "run " << run;
  }
}

TEST(arg_reduce_by, rows_count_along_the_axis) {
  const auto points = make_points(7 * 300);
  const device_array<point> in(points);
  const device_array<wf::indexed_value<point>> out(7);
  wf::reduce_rows(wf::strided<const point, 2>(in.data(), {7, 300}), std::span(out.data(), out.size()),
                  wf::arg_maximum_by(closer{}));
  for (std::int64_t row = 0; row < 7; ++row) expect_extremum(out.value(row), points, row * 300, (row + 1) * 300, false);
}

TEST(arg_reduce_by, an_empty_sequence_has_the_index_less_than_any) {
  const device_array<wf::indexed_value<point>> out(1);
  wf::argmin(static_cast<const point*>(nullptr), 0, out.data(), closer{});
  EXPECT_EQ(out.value().index, -1);
  EXPECT_EQ(wf::arg_minmax_value(static_cast<const point*>(nullptr), 0, closer{}).maximum.index, -1);
}

}  // namespace arg_reduce_by_tests
