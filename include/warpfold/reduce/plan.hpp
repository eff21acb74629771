// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a reduction is laid on a device: a pure function, testable without a GPU.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/reduce/node_schedule.cuh>
#include <warpfold/reduce/policy.hpp>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// What of the device and its kernel matters.
struct reduce_limits {
  int multiprocessors;
  int blocks_per_multiprocessor;  ///< from the occupancy query
  int cluster_blocks;             ///< 1 where there are no clusters
};

/// How the tiles come together, which is also the choice of the kernel.
enum class reduce_shape { block, cluster, wave, shares };

struct reduce_plan {
  reduce_shape shape;
  int block_warps;         ///< a power of two
  int rows;                ///< rows of 32 chunks in a warp's batch, a power of two
  int blocks;              ///< of the grid
  node_schedule schedule;  ///< who folds what
};

/// Chooses the grid for `items` > 0 items in chunks of `chunk_items`. By size: one block; one cluster, whose hand-over is
/// quicker than the last block's; one wave of blocks, a tile each; persistent blocks. Up to the wave, tiles are as low as
/// the blocks allow, so that many load at once. Memory does not need the last few multiprocessors, so that even shares are
/// worth more than blocks: of 264, 1024 tiles take 256, 4 on each. `max_blocks` > 0 bounds the grid. The result does not depend on any of it.
inline reduce_plan plan_reduce(const reduce_limits& limits, std::int64_t items, int chunk_items,
                               const kernel_policy& policy, int max_blocks = 0) {
  const auto power_of_two = [](std::int64_t least) {
    return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(least)));
  };
  const std::int64_t row_items = std::int64_t{warp_lanes} * chunk_items;
  const std::int64_t rows = host::divide_up(items, row_items);
  int most = std::min(limits.multiprocessors * limits.blocks_per_multiprocessor, policy.list_capacity - 1);
  if (max_blocks > 0) most = std::min(most, max_blocks);
  const int warps = policy.block_warps();
  const int cluster = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::min(limits.cluster_blocks, most))));
  const int wave = std::min(most, max_wave_blocks);

  reduce_plan plan{reduce_shape::shares, warps, policy.max_rows, most, {}};
  if (rows <= warps * policy.quick_rows) {
    plan.shape = reduce_shape::block;
    plan.block_warps = std::min<int>(warps, power_of_two(std::min<std::int64_t>(rows, warps)));
    plan.rows = power_of_two(host::divide_up(rows, plan.block_warps));
  } else if (cluster > 1 && rows <= std::int64_t{cluster} * warps * policy.quick_rows) {
    plan.shape = reduce_shape::cluster;
    plan.rows = power_of_two(host::divide_up(rows, std::int64_t{cluster} * warps));
  } else if (rows <= std::int64_t{wave} * warps * policy.max_rows) {
    plan.shape = reduce_shape::wave;
    plan.rows = power_of_two(host::divide_up(rows, std::int64_t{wave} * warps));
  }
  const std::int64_t tile_items = row_items * plan.rows * plan.block_warps, tiles = host::divide_up(items, tile_items);
  // No more blocks than the longest share needs, whose tiles are rounded up to four significant bits: the last block has
  // a level to join for each bit.
  const auto longest = static_cast<std::uint64_t>(host::divide_up(tiles, most));
  const auto step = static_cast<std::int64_t>(std::max<std::uint64_t>(std::bit_floor(longest) / 8, 1));
  plan.blocks =
      static_cast<int>(host::divide_up(tiles, host::divide_up(static_cast<std::int64_t>(longest), step) * step));
  plan.schedule = deal(items / tile_items, items % tile_items != 0, plan.blocks);
  return plan;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
