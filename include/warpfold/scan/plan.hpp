// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans a scan: a pure function, testable without a GPU.
#pragma once
#include <bit>
#include <cstdint>
#include <warpfold/grid/node_ring.cuh>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/scan/policy.hpp>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr std::int64_t most_tiles = grid::most_ring_tiles;

/// Which tiles a scan has. Selects the kernel.
enum class scan_tiles {
  quick,
  middle,
  low_occupancy,  ///< full tiles in blocks with more registers: one block fewer fits a multiprocessor
  full,
  staged  ///< by blocks that stay
};

struct scan_plan {
  scan_tiles shape;
  std::int64_t tiles = 0;
  int blocks = 0;
  bool in_cluster = false;  ///< the blocks of quick or middle tiles are one cluster
};

/// Why a plan has its shape.
constexpr const char* why(const scan_plan& plan) {
  if (plan.tiles == 1) return "the items fit one tile";
  if (plan.in_cluster) return "the items fit the tiles of a cluster";
  switch (plan.shape) {
    case scan_tiles::quick: return "few items: small tiles reach more multiprocessors";
    case scan_tiles::middle: return "few items for full tiles, many for the smallest";
    case scan_tiles::low_occupancy: return "few tiles for each multiprocessor, or max_blocks";
    case scan_tiles::staged: return "very many items: bulk copies bring tiles ahead";
    case scan_tiles::full: break;
  }
  return "many tiles for each multiprocessor";
}

/// How the items lie for bulk copies.
enum class staging { impossible, aligned, misaligned };

/// What a scan may use of the device.
struct scan_limits {
  int multiprocessors;
  int most_listed_tiles;   ///< quick or middle tiles (grid/node_list.cuh)
  int cluster_blocks = 1;  ///< 1 where there are no clusters
  int max_blocks = 0;      ///< of the caller; 0 for no bound
  staging stages = staging::impossible;
};

constexpr std::int64_t tile_items(const tile_shape& shape, int chunk_items) {
  return std::int64_t{shape.rows} * shape.threads() * chunk_items;
}
constexpr std::int64_t tile_items(const staged_shape& shape, int chunk_items) {
  return std::int64_t{shape.rows} * shape.warps * warp_lanes * chunk_items;
}

/// The plan in stages, of no tiles if that does not pay: a block for each multiprocessor, or max_blocks.
inline scan_plan plan_stages(const scan_limits& limits, std::int64_t items, int chunk_items,
                             const staged_policy& policy) {
  const std::int64_t tiles = host_side::divide_up(items, tile_items(policy.shape, chunk_items));
  const int most = limits.max_blocks > 0 ? least_of(limits.max_blocks, limits.multiprocessors) : limits.multiprocessors,
            least_tiles =
                limits.stages == staging::aligned ? policy.tiles_per_block : policy.misaligned_tiles_per_block;
  if (tiles <= std::int64_t{least_tiles} * most || tiles == 1) return {};
  return {scan_tiles::staged, tiles, static_cast<int>(least_of<std::int64_t>(tiles, most))};
}

/// Chooses shape and grid for `items` > 0 items in chunks of `chunk_items`: a block for each tile, or, with a positive
/// max_blocks, at most as many at low occupancy, which take full tiles one after another. The results do not depend on
/// the plan. Plans of more than most_tiles tiles cannot be run. If staging is possible, large inputs are staged.
inline scan_plan plan_scan(const scan_limits& limits, std::int64_t items, int chunk_items,
                           const kernel_policy& policy) {
  if (policy.has_stages() && limits.stages != staging::impossible)
    if (const scan_plan in_stages = plan_stages(limits, items, chunk_items, policy.staged); in_stages.tiles > 0)
      return in_stages;
  const std::int64_t most_blocks = limits.max_blocks > 0 ? limits.max_blocks : most_tiles;
  const auto tiles_of = [&](const tile_shape& shape) {
    return host_side::divide_up(items, tile_items(shape, chunk_items));
  };
  const auto in_cluster = [&](scan_tiles shape, std::int64_t tiles) -> scan_plan {
    const auto blocks = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tiles)));
    if (blocks > limits.cluster_blocks || blocks > most_blocks) return {};
    return {shape, tiles, static_cast<int>(blocks), true};
  };
  const auto in_list = [&](scan_tiles shape, std::int64_t tiles, int tiles_per_multiprocessor) -> scan_plan {
    const auto most = least_of<std::int64_t>(std::int64_t{tiles_per_multiprocessor} * limits.multiprocessors,
                                             limits.most_listed_tiles);
    if (tiles > least_of(most, most_blocks)) return {};
    return {shape, tiles, static_cast<int>(tiles)};
  };

  const std::int64_t quick = tiles_of(policy.quick), tiles = tiles_of(policy.full);
  if (quick == 1) return {scan_tiles::quick, 1, 1};
  if (const auto plan = in_cluster(scan_tiles::quick, quick); plan.tiles > 0) return plan;
  const std::int64_t middle = policy.has_middle() ? tiles_of(policy.middle) : 0;
  if (middle > 1 && policy.has_middle_clusters)
    if (const auto plan = in_cluster(scan_tiles::middle, middle); plan.tiles > 0) return plan;
  if (tiles > 1) {  // else no other block has to be waited for
    if (const auto plan = in_list(scan_tiles::quick, quick, policy.quick_tiles_per_multiprocessor); plan.tiles > 0)
      return plan;
    if (middle > 1)
      if (const auto plan = in_list(scan_tiles::middle, middle, policy.middle_tiles_per_multiprocessor); plan.tiles > 0)
        return plan;
  }
  const auto blocks = static_cast<int>(least_of(tiles, most_blocks));
  const bool has_many = tiles > std::int64_t{policy.low_occupancy_tiles_per_multiprocessor} * limits.multiprocessors;
  return {has_many && blocks == tiles && !policy.has_stages() ? scan_tiles::full : scan_tiles::low_occupancy, tiles,
          blocks};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
