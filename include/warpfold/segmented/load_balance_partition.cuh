// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divides items and segments evenly among the warps of a grid, so that neither one giant segment nor a long run of
// empty ones overloads a warp. This is the load-balancing search of moderngpu and of Merrill and Garland 2016, with a
// cost per segment.
//
// Work is measured in positions: an item counts 1, a segment counts `segment_cost` more. Segment s begins at position
// begin(s) + segment_cost * s. Each warp owns an equal range of positions and folds what begins there: whole segments,
// and the units of segments that are cut. Units are counted from the segment's first item, so a unit is a node of the
// segment's canonical tree. The begins of segments ascend, so that a warp finds its first segment by a search.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/grid/segment_spans.cuh>
#include <warpfold/segmented/policy.hpp>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

using grid::index_of, grid::span_of, grid::segment_span, grid::bounds_spans, grid::offset_spans;

struct load_balance_partition {
  std::int64_t positions_per_warp;
  int segment_cost;                  ///< positions that a segment counts beside its items
  int log_unit;                      ///< a unit is 2^log_unit items: a power of two of batches
  bool are_mostly_long = false;      ///< whether the mean segment is longer than 32 chunks
  std::int64_t max_uncut_items = 0;  ///< longer segments are cut into units; at least a unit

  __device__ std::int64_t position(std::int64_t segment, std::int64_t item) const {
    return item + segment_cost * segment;
  }
  /// The item at which `segment` would begin if its position were `position`.
  __device__ std::int64_t item_at(std::int64_t segment, std::int64_t position) const {
    return position - segment_cost * segment;
  }
  /// The range of the warp with this number in the grid.
  __device__ segment_span positions_of(std::int64_t warp) const {
    return {warp * positions_per_warp, (warp + 1) * positions_per_warp};
  }
  /// The range of the calling warp.
  __device__ segment_span own_positions() const {
    return positions_of(std::int64_t{blockIdx.x} * (blockDim.x / warp_lanes) + arch::uniform_warp());
  }
  __device__ std::int64_t warp_of(std::int64_t position) const { return position / positions_per_warp; }
  __device__ std::int64_t unit_items() const { return std::int64_t{1} << log_unit; }
  __device__ std::int64_t unit_count(std::int64_t items) const { return ((items - 1) >> log_unit) + 1; }
  /// The number of units that begin before position `end`, of a segment that begins at position `first`.
  __device__ std::int64_t units_before(std::int64_t first, std::int64_t end) const {
    return end <= first ? 0 : unit_count(end - first);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
