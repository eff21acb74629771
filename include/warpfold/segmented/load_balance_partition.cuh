// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How segments are dealt to the warps of a grid, so that neither one giant segment nor any number of empty ones is too
// much for a warp: each warp takes a range of *positions*. Segment s begins at position begin(s) + weight * s: its items
// count one each, and the segment itself `weight`. What a warp takes is what begins in its range: segments, and, of
// those that are cut, the units, which are counted from the segment's first item and therefore nodes of its
// canonical tree. The positions of the segments' begins ascend, so a warp finds its first one by a search.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/segmented/policy.hpp>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Items [begin, end).
template <class Index> struct span_of {
  Index begin, end;

  __device__ bool within(std::int64_t items) const { return 0 <= begin && begin <= end && end <= items; }
};

using segment_span = span_of<std::int64_t>;

struct load_balance_partition {
  std::int64_t positions_per_warp;           ///< positions a warp
  int segment_cost;                    ///< positions that a segment counts beside its items
  int log_unit;                  ///< a unit is 2^log_unit items: a power of two of batches
  bool are_mostly_long = false;         ///< segments on average: more than 32 chunks
  std::int64_t max_uncut_items = 0;  ///< segments of so many items at most are not cut in units: at least a unit

  __device__ std::int64_t position(std::int64_t segment, std::int64_t item) const { return item + segment_cost * segment; }
  /// The item at which the segment would have to begin to have that position.
  __device__ std::int64_t item_at(std::int64_t segment, std::int64_t position) const {
    return position - segment_cost * segment;
  }
  /// Of the warp with this number in the grid.
  __device__ segment_span positions_of(std::int64_t warp) const {
    return {warp * positions_per_warp, (warp + 1) * positions_per_warp};
  }
  /// Of the calling warp.
  __device__ segment_span own_positions() const {
    return positions_of(std::int64_t{blockIdx.x} * (blockDim.x / warp_lanes) + arch::uniform_warp());
  }
  __device__ std::int64_t warp_of(std::int64_t position) const { return position / positions_per_warp; }
  __device__ std::int64_t unit_items() const { return std::int64_t{1} << log_unit; }
  __device__ std::int64_t unit_count(std::int64_t items) const { return ((items - 1) >> log_unit) + 1; }
  /// How many units of a segment that begins at position `first` begin before position `end`.
  __device__ std::int64_t units_before(std::int64_t first, std::int64_t end) const {
    return end <= first ? 0 : unit_count(end - first);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
