// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The partition of segmented reduction. A warp takes the segments that begin in its range, and of segments that are cut
// the units that begin there. Units are counted from the segment's first item, so a unit is a node of the segment's
// canonical tree.
#pragma once
#include <warpfold/segmented/policy.hpp>
#include <warpfold/segments/partition.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

using segment::index_of, segment::span_of, segment::segment_span, segment::bounds_spans, segment::offset_spans;

struct load_balance_partition : segment::partition<load_balance_partition> {
  std::int64_t positions_per_warp;
  int segment_cost;
  int log_unit;                  ///< a unit is 2^log_unit items: a power of two of batches
  bool are_mostly_long = false;  ///< whether the mean segment is longer than 32 chunks
  /// Longer segments are cut into units. At least a unit, and no less than a segment has that a kernel takes for short:
  /// another warp must not take units of what the first one folds whole.
  std::int64_t max_uncut_items = 0;

  /// The range of the calling warp.
  __device__ segment_span own_positions() const {
    return positions_of(std::int64_t{blockIdx.x} * (blockDim.x / warp_lanes) + arch::uniform_warp());
  }
  /// The same partition of fewer `positions` among all warps of the grid. Units stay as long as they are.
  __device__ load_balance_partition of_fewer(std::int64_t positions) const {
    const std::int64_t warps = std::int64_t{gridDim.x} * (blockDim.x / warp_lanes),
                       even_share = greatest_of((positions + warps - 1) / warps, std::int64_t{min_items_per_warp});
    load_balance_partition fewer = *this;
    fewer.positions_per_warp = least_of(positions_per_warp, even_share);
    return fewer;
  }
  __device__ std::int64_t unit_items() const { return std::int64_t{1} << log_unit; }
  __device__ std::int64_t unit_count(std::int64_t items) const { return ((items - 1) >> log_unit) + 1; }
  /// The number of units that begin before position `end`, of a segment that begins at position `first`.
  __device__ std::int64_t units_before(std::int64_t first, std::int64_t end) const {
    return end <= first ? 0 : unit_count(end - first);
  }
};

/// The grid of the kernel with a team of warps for each segment of unknown length: team s folds segment s, and needs no
/// search to find it. (Of segments of one length, each block is a team.)
struct warp_teams {
  int log_warps;         ///< a team is 2^log_warps neighbouring warps of a block
  int log_block_warps;   ///< of a block of the grid
  int partition_blocks;  ///< the first blocks, whose warps fold the units of segments that are too long for a team
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
