// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divides items and segments evenly among the warps of a grid: an item counts 1, a segment `segment_cost` more. Long
// segments are cut wherever a warp's range ends, since any part of a segment has an exact sum.
#pragma once
#include <cstdint>
#include <warpfold/grid/segment_spans.cuh>
#include <warpfold/warp/search.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

using grid::segment_span;

inline constexpr int segment_cost = 16;

struct segment_partition {
  std::int64_t positions_per_warp;
  std::int64_t max_uncut_items;  ///< segments of at most this many items go to the warp in whose range they begin

  __host__ __device__ static std::int64_t position(std::int64_t segment, std::int64_t item) {
    return item + segment_cost * segment;
  }
  __device__ segment_span range_of(std::int64_t warp) const {
    return {warp * positions_per_warp, (warp + 1) * positions_per_warp};
  }
  __device__ std::int64_t warp_of(std::int64_t position) const { return position / positions_per_warp; }

  /// The first segment that begins in `range`, or the first one after it. All lanes call it.
  template <class Segments>
  __device__ std::int64_t first_segment(const Segments& segments, const segment_span& range, std::int64_t items) const {
    return warp::interpolation_search(segments.count, position(segments.count, items), range.begin,
                                      [&](std::int64_t s) { return position(s, segments.span(s).begin); });
  }
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
