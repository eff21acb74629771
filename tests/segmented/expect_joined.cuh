// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interval monoid through one kernel: it shows any leak between segments, loss, duplicate or reorder.
#pragma once
#include "common/interval.hpp"
#include "kernels.cuh"

namespace wf_test {

/// Through one form, as a way asks: reduce(items, the way's offset, out, options). Items are their places; those that
/// belong to no segment join nothing.
template <class Interval = interval<>, class Reduce>
void expect_joined(const layout& where, const segmented_way& asked, Reduce reduce) {
  segmented_way way = asked;
  way.init = from::nothing, way.empty = way.empty == from::nothing ? from::value : way.empty;
  std::vector<Interval> items, joined;
  for (std::int64_t i = 0; i < where.items; ++i) items.push_back(Interval::of(i));
  for (std::size_t s = 0; s < where.begins.size(); ++s)
    joined.push_back(Interval::of(where.begins[s], where.ends[s] - 1));
  const device_array<Interval> in(items, way.offset);
  const auto empty = Interval::of(-9, -7);
  const auto results = results_of(way, where.segments(), Interval::of(-1), empty,
                                  [&](auto out, const auto& options) { reduce(in.items(), way.offset, out, options); });
  EXPECT_TRUE(same_segments(results, expected_of(way, joined, where, empty, empty, join{}))) << where << ", " << way;
}

template <class Kernel, class Interval = interval<>, class Offset = int>
void expect_joined_by_offsets(const layout& where, const segmented_way& way) {
  expect_joined<Interval>(where, way, [&](auto in, std::int64_t offset, auto out, const auto& options) {
    const device_array<Offset> offsets(where.offsets<Offset>(), offset);
    Kernel::reduce(in, offsets.items(), out, join{}, options);
  });
}
template <class Kernel> void expect_joined_by_bounds(const layout& where, const segmented_way& way) {
  expect_joined(where, way, [&](auto in, std::int64_t offset, auto out, const auto& options) {
    const device_array<int> begins(narrowed<int>(where.begins), offset), ends(narrowed<int>(where.ends));
    Kernel::reduce(in, warpfold::bounds{begins.items(), ends.items()}, out, join{}, options);
  });
}
template <class Kernel, class Interval = interval<>>
void expect_joined_by_owners(const layout& where, const segmented_way& way) {
  expect_joined<Interval>(where, way, [&](auto in, std::int64_t offset, auto out, const auto& options) {
    const device_array<int> ids(where.owners<int>(), offset);
    Kernel::reduce(in, warpfold::owners{ids.items()}, out, join{}, options);
  });
}

}  // namespace wf_test
