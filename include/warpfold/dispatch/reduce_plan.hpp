// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a reduction is laid on a device: a pure function, testable without a GPU.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <warpfold/grid/node_schedule.cuh>
#include <warpfold/tuning/reduce_policy.hpp>

namespace warpfold::dispatch {

/// What of the device and its kernel matters.
struct reduce_limits {
  int multiprocessors;
  int blocks_per_multiprocessor;  ///< from the occupancy query
  int cluster_blocks;             ///< 1 where there are no clusters
};

struct reduce_plan {
  int block_warps;                ///< a power of two
  int rows;                       ///< rows of 32 chunks in a warp's batch, a power of two
  bool cluster;                   ///< the whole grid is one cluster
  int blocks;                     ///< of the grid
  grid::node_schedule schedule;   ///< who folds what
};

/// Chooses the grid for `items` > 0 items in chunks of `chunk_items`. By size: one block; one cluster (its hand-over is
/// quicker than the last block's); a wave of blocks with as few rows as reach every multiprocessor; persistent blocks.
/// `max_blocks` > 0 bounds the grid. The result of the reduction does not depend on any of this.
inline reduce_plan plan_reduce(const reduce_limits& limits, std::int64_t items, int chunk_items,
                               const tuning::reduce_policy& policy, int max_blocks = 0) {
  const std::int64_t row_items = std::int64_t{warp_lanes} * chunk_items;
  const std::int64_t rows = (items - 1) / row_items + 1;
  int most = std::min(limits.multiprocessors * limits.blocks_per_multiprocessor, policy.list_capacity - 1);
  if (max_blocks > 0) most = std::min(most, max_blocks);
  const std::int64_t full_warps = policy.block_warps();
  reduce_plan plan{};
  plan.block_warps = policy.block_warps();

  if (rows <= full_warps * policy.quick_rows) {
    plan.block_warps = static_cast<int>(std::min<std::int64_t>(full_warps, std::bit_ceil(static_cast<std::uint64_t>(rows))));
    plan.blocks = 1;
    plan.rows = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>((rows - 1) / plan.block_warps + 1)));
  } else if (const int cluster = std::bit_floor(static_cast<unsigned>(std::min(limits.cluster_blocks, most)));
             cluster > 1 && rows <= full_warps * policy.quick_rows * cluster) {
    plan.cluster = true;
    plan.rows = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>((rows - 1) / (full_warps * cluster) + 1)));
    plan.blocks = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>((rows - 1) / (full_warps * plan.rows) + 1)));
  } else {
    // The longest share, in rows a warp, decides; of equals the tallest batch, which costs fewest instructions.
    std::int64_t best = 0;
    for (int height = policy.max_rows; height >= 1; height /= 2) {
      const std::int64_t tiles = (rows - 1) / (full_warps * height) + 1;
      const std::int64_t share = ((tiles - 1) / most + 1) * height;
      if (best == 0 || share < best) best = share, plan.rows = height;
      if (tiles > std::int64_t{16} * most) break;  // no more to gain
    }
    plan.blocks = static_cast<int>(std::min<std::int64_t>(most, (rows - 1) / (full_warps * plan.rows) + 1));
  }
  const std::int64_t tile_items = row_items * plan.rows * plan.block_warps;
  plan.schedule = grid::deal(items / tile_items, items % tile_items != 0, plan.blocks);
  return plan;
}

}  // namespace warpfold::dispatch
