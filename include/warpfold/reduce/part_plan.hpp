// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans the reduction of a part: a pure function of the device's limits and the part's first and last number.
#pragma once
#include <warpfold/reduce/part_cuts.hpp>
#include <warpfold/reduce/plan.hpp>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

struct part_plan {
  reduce_plan plan;  ///< its shape is `wave` or `shares`
  part_cuts cuts;
};

/// The grid for `items` > 0 items from number `first` on: that of plan_reduce for as many items, with tiles that begin
/// at multiples of their size. Blocks beyond those with tiles fold the edges.
inline part_plan plan_part(reduce_limits limits, std::int64_t first, std::int64_t items, int chunk_items,
                           const kernel_policy& policy, std::size_t accumulator_bytes, int max_blocks = 0) {
  const auto level_of = [](std::int64_t power) { return std::countr_zero(static_cast<std::uint64_t>(power)); };
  limits.cluster_blocks = 1;
  reduce_plan plan = plan_reduce(limits, items, chunk_items, policy, accumulator_bytes, max_blocks);
  const bool shares = plan.shape == reduce_shape::shares;
  if (!shares) plan.shape = reduce_shape::wave;
  const std::int64_t batch_items = std::int64_t{warp_lanes} * chunk_items * plan.rows;
  const int batch_level = level_of(batch_items), tile_level = level_of(batch_items * plan.block_warps);
  int& level = plan.schedule.level;
  part_cuts cuts = cut_part(first, first + items, batch_level, tile_level, tile_level + level);
  while (shares && level <= max_unit_level && cuts.pieces > max_units(accumulator_bytes, plan.block_warps))
    cuts = cut_part(first, first + items, batch_level, tile_level, tile_level + ++level);

  plan.schedule.tiles = cuts.tiles_end >> tile_level;
  plan.schedule.units = cuts.all_units();
  plan.last_warps = plan.block_warps;
  int most = limits.multiprocessors * limits.blocks_per_multiprocessor;
  if (max_blocks > 0) most = least_of(most, max_blocks);
  const int of_edges = static_cast<int>(host_side::divide_up(cuts.edges(), plan.block_warps));
  const int wanted = shares ? greatest_of(cuts.all_units(), of_edges) : cuts.all_units() + of_edges;
  plan.blocks = clamped(wanted, 1, greatest_of(most, shares ? 1 : cuts.all_units()));
  return {plan, cuts};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
