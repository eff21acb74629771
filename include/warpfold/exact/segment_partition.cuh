// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The partition of exact sums over segments. Long segments are cut wherever a warp's range ends, since any part of a
// segment has an exact sum.
#pragma once
#include <warpfold/exact/policy.hpp>
#include <warpfold/segments/partition.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

using segment::segment_span;

struct segment_partition : segment::partition<segment_partition> {
  std::int64_t positions_per_warp;
  std::int64_t max_uncut_items;  ///< segments of at most this many items go to the warp in whose range they begin
  int segment_cost = exact::segment_cost;

  /// Whether a segment is cut at the end of the range in which it begins, or before `range`, in which it goes on.
  __device__ bool is_cut(std::int64_t segment, const segment_span& items, const segment_span& range) const {
    return items.end - items.begin > max_uncut_items && position(segment, items.end) > range.end;
  }
  __device__ bool goes_on(std::int64_t segment, const segment_span& items, const segment_span& range) const {
    return items.end - items.begin > max_uncut_items && position(segment, items.end) > range.begin;
  }
  /// The items of a cut segment that lie in `range`.
  __device__ segment_span part_of(std::int64_t segment, const segment_span& items, const segment_span& range) const {
    return {greatest_of(items.begin, range.begin - segment_cost * segment),
            least_of(items.end, range.end - segment_cost * segment)};
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
