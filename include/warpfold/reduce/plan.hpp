// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans a reduction: a pure function of the device's limits and the item count, testable without a GPU.
#pragma once
#include <bit>
#include <cstdint>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/reduce/policy.hpp>
#include <warpfold/reduce/unit_schedule.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The limits of the device and of the kernel on it.
struct reduce_limits {
  int multiprocessors;
  int blocks_per_multiprocessor;  ///< from the occupancy query
  int cluster_blocks;             ///< 1 where there are no clusters
};

/// How tiles are joined. Selects the kernel.
enum class reduce_shape { block, cluster, wave, shares };

/// Why a plan has its shape.
constexpr const char* why(reduce_shape shape) {
  switch (shape) {
    case reduce_shape::block: return "the items fit a block";
    case reduce_shape::cluster: return "the items fit the tiles of a cluster";
    case reduce_shape::wave: return "the items fit one tile for each resident block";
    case reduce_shape::shares: break;
  }
  return "more items than one tile for each resident block";
}

struct reduce_plan {
  reduce_shape shape;
  int block_warps;         ///< a power of two
  int rows;                ///< rows of 32 chunks in a warp's batch, a power of two
  int blocks;              ///< of the grid
  unit_schedule schedule;  ///< without persistent blocks, each block folds a unit of one tile
  int last_warps;          ///< warps that have items in the last tile
};

/// Chooses the grid for `items` > 0 items in chunks of `chunk_items`. With growing size it is one block; one cluster,
/// which joins its tiles faster than a last block would; one wave of blocks with a tile each; persistent blocks. Up to
/// one wave, tiles have as few rows as the number of blocks allows, so that many blocks load at once. Units of
/// persistent blocks are as small as the last block can join. A positive `max_blocks` bounds the grid. No result
/// depends on the plan.
inline reduce_plan plan_reduce(const reduce_limits& limits, std::int64_t items, int chunk_items,
                               const kernel_policy& policy, std::size_t accumulator_bytes, int max_blocks = 0) {
  const auto power_of_two = [](std::int64_t least) {
    return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(least)));
  };
  const std::int64_t row_items = std::int64_t{warp_lanes} * chunk_items;
  const std::int64_t rows = host_side::divide_up(items, row_items);
  int most = limits.multiprocessors * limits.blocks_per_multiprocessor;
  if (max_blocks > 0) most = least_of(most, max_blocks);
  const int warps = policy.block_warps();
  const int cluster = static_cast<int>(std::bit_floor(static_cast<unsigned>(least_of(limits.cluster_blocks, most))));
  int wave = least_of(most, max_wave_blocks);
  if (policy.share_threads < policy.block_threads)
    wave = least_of(wave, limits.multiprocessors * policy.blocks_per_multiprocessor);

  reduce_plan plan{reduce_shape::shares, policy.share_warps(), policy.share_rows, most, {}, 0};
  if (rows <= warps * policy.quick_rows) {
    plan.shape = reduce_shape::block;
    plan.block_warps = least_of<int>(warps, power_of_two(least_of<std::int64_t>(rows, warps)));
    plan.rows = power_of_two(host_side::divide_up(rows, plan.block_warps));
  } else if (cluster > 1 && rows <= std::int64_t{cluster} * warps * policy.quick_rows) {
    plan.shape = reduce_shape::cluster;
    plan.block_warps = warps;
    plan.rows = power_of_two(host_side::divide_up(rows, std::int64_t{cluster} * warps));
  } else if (rows <= std::int64_t{wave} * warps * policy.max_rows) {
    plan.shape = reduce_shape::wave;
    plan.block_warps = warps;
    plan.rows = power_of_two(host_side::divide_up(rows, std::int64_t{wave} * warps));
  }
  const std::int64_t tile_items = row_items * plan.rows * plan.block_warps,
                     tiles = host_side::divide_up(items, tile_items);
  const auto units = [&](int level) { return host_side::divide_up(tiles, std::int64_t{1} << level); };
  int& level = plan.schedule.level;
  if (plan.shape == reduce_shape::shares) {
    const auto longest_share = [&](int at) { return host_side::divide_up(units(at), most) << at; };
    const std::int64_t shortest = longest_share(0);
    plan.schedule.draws = shortest > max_even_tiles;
    const int most_level = plan.schedule.draws ? drawn_level_for(accumulator_bytes) : max_even_level;
    while (level < most_level && longest_share(level + 1) <= shortest + shortest / 16) ++level;
    while (units(level) > max_units(accumulator_bytes, plan.block_warps)) ++level;
  }
  plan.schedule.tiles = tiles;
  plan.schedule.units = static_cast<int>(units(level));
  plan.blocks = least_of(most, plan.schedule.units);
  const std::int64_t items_of_last = items - (tiles - 1) * tile_items;
  plan.last_warps = static_cast<int>(host_side::divide_up(items_of_last, row_items * plan.rows));
  return plan;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
