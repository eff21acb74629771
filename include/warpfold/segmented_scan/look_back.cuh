// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks back from a piece of a long segment to the nodes of the units before it.
#pragma once
#include <warpfold/segmented_scan/arguments.cuh>
#include <warpfold/segmented_scan/storage.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Waits for the nodes of the `units_before` units of the segment before a piece that begins in `tile`, and puts them
/// into `before`: one for each digit of their number, the lowest first. If the piece is a unit that `is_published`, it
/// publishes the longer nodes that it completes. All lanes of the warp call it.
template <class A, class Op, class Before>
__device__ void look_back(const unit_ring<A>& units, int tile, int units_before, bool is_published, Before& before,
                          Op op) {
  const int lane = arch::lane_id(), first_tile = tile - units_before;
  __syncwarp();  // all have read the nodes of the piece before
  for (int level = 0; level < grid::ring_levels && units_before >> (grid::log_window * level) != 0; ++level) {
    const int log = grid::log_window * level, digit = units_before >> log, rank = digit & (warp_lanes - 1);
    const std::int64_t joined_units = std::int64_t{warp_lanes} << log;
    const bool completes = is_published && ((std::int64_t{units_before} + 1) & (joined_units - 1)) == 0;
    const std::int64_t units_through = (std::int64_t{digit} - rank + lane + 1) << log;
    const int place = units.node_place(level, static_cast<int>(first_tile + units_through - 1) >> log);
    units.look_back(level, rank, place, completes, tile >> (log + grid::log_window), op, [&](int bit, const A& node) {
      const unsigned lower_digits = static_cast<unsigned>(units_before) & ((1u << (log + bit)) - 1);
      if (lane == 0) before[__popc(lower_digits)] = node;
    });
    if (completes) units.fence();
  }
  __syncwarp();
}

/// Calls each(node) for the nodes that look_back found, the nearest to the piece first.
template <class Before, class Each>
__device__ void each_node_before(int units_before, const Before& before, Each each) {
  const int count = __popc(static_cast<unsigned>(units_before));
  WARPFOLD_NO_UNROLL
  for (int i = 0; i < count; ++i) each(before[i]);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
