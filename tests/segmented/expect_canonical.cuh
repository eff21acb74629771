// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One type and operator through segments of every length that is cut differently, by offsets.
#pragma once
#include "common/samples.hpp"
#include "ways.cuh"

namespace wf_test {

/// Lengths around chunks, rows, groups of lanes, batches and units; a giant; and runs of empties.
inline std::vector<layout> some_layouts(std::int64_t batch) {
  lengths every, mixed, up_to_8, up_to_16;
  for (int i = 0; i < 300; ++i) up_to_8.push_back(i * 7 % 9), up_to_16.push_back(i * 5 % 17);
  for (std::int64_t length = 0; length <= 70; ++length) every.push_back(length * 37 % 71);
  for (std::int64_t unit = 32; unit <= 8 * batch; unit *= 2)
    mixed.insert(mixed.end(), {unit - 1, 0, unit, 1, unit + 1});
  return {
      {"every short length", every}, {"powers of two", mixed}, {"a giant", {3, 0, 0, emulated ? 9'007 : 300'007, 1, 0}},
      {"up to 8", up_to_8},          {"up to 16", up_to_16},   {"power law", power_law(emulated ? 300 : 20'000, 5000)},
      {"nothing", lengths(100, 0)}};
}

/// The results of reduce(in, offsets, out, options), called as `way` says, have the bits of the canonical tree over
/// each of
/// `segments`. make(where) gives the items.
template <class T, class Op, class Make, class Reduce, class A = warpfold::accumulator_t<Op, T>>
void expect_canonical_segments(Make make, Op op, const A& init, const A& empty, Reduce reduce) {
  std::int64_t turn = 0;
  for (const layout& where : some_layouts(256)) {
    const std::vector<T> items = make(where);
    const auto roots = canonical_segments(items, where, op, empty);
    for (std::int64_t i = share_of(5); i > 0; --i) {
      const segmented_way way = way_of(turn++);
      const device_array<T> in(items, way.offset);
      const device_array<int> offsets(where.offsets<int>(), turn % 3);
      const auto results = results_of(way, where.segments(), init, empty, [&](auto out, const auto& options) {
        reduce(in.items(), offsets.items(), out, options);
      });
      EXPECT_TRUE(same_segments(results, expected_of(way, roots, where, init, empty, op), true))
          << where << ", " << way;
    }
  }
}
template <class T, class Op, class Make, class A = warpfold::accumulator_t<Op, T>>
void expect_canonical_segments(Make make, Op op, const A& init, const A& empty) {
  expect_canonical_segments<T>(make, op, init, empty, [&](auto in, auto offsets, auto out, const auto& options) {
    warpfold::segmented_reduce(in, offsets, out, op, options);
  });
}

}  // namespace wf_test
