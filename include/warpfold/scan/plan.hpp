// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans a scan: a pure function, testable without a GPU.
#pragma once
#include <cstdint>
#include <warpfold/grid/node_ring.cuh>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/scan/policy.hpp>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr std::int64_t most_tiles = grid::most_ring_tiles;

struct scan_plan {
  bool is_quick;       ///< which shape
  bool low_occupancy;  ///< full tiles in blocks with more registers: one block fewer fits a multiprocessor
  std::int64_t tiles;
  int blocks;
  bool is_staged = false;  ///< staged tiles, by blocks that stay
};

/// How the items lie for bulk copies.
enum class staging { impossible, aligned, misaligned };

/// Why a plan has its shape.
constexpr const char* why(const scan_plan& plan) {
  return plan.tiles == 1      ? "the items fit one tile"
         : plan.is_staged     ? "very many items: bulk copies bring tiles ahead"
         : plan.is_quick      ? "few items: small tiles reach more multiprocessors"
         : plan.low_occupancy ? "few tiles for each multiprocessor, or max_blocks"
                              : "many tiles for each multiprocessor";
}

constexpr std::int64_t tile_items(const tile_shape& shape, int chunk_items) {
  return std::int64_t{shape.rows} * shape.threads() * chunk_items;
}
constexpr std::int64_t tile_items(const staged_shape& shape, int chunk_items) {
  return std::int64_t{shape.rows} * shape.warps * warp_lanes * chunk_items;
}

/// The plan in stages, of no tiles if that does not pay: a block for each multiprocessor, or `max_blocks`.
inline scan_plan plan_stages(int multiprocessors, std::int64_t items, int chunk_items, const staged_policy& policy,
                             int max_blocks, staging how) {
  if (policy.shape.stages == 0 || how == staging::impossible) return {};
  const std::int64_t tiles = host_side::divide_up(items, tile_items(policy.shape, chunk_items));
  const int most = max_blocks > 0 ? least_of(max_blocks, multiprocessors) : multiprocessors,
            least_tiles = how == staging::aligned ? policy.tiles_per_block : policy.misaligned_tiles_per_block;
  if (tiles <= std::int64_t{least_tiles} * most || tiles == 1) return {};
  return {false, false, tiles, static_cast<int>(least_of<std::int64_t>(tiles, most)), true};
}

/// Chooses shape and grid for `items` > 0 items in chunks of `chunk_items`: a block for each tile, or, with a positive
/// `max_blocks`, at most as many at low occupancy, which take full tiles one after another. The results do not depend
/// on the plan. Plans of more than most_tiles tiles cannot be run. If staging is possible, large inputs are staged.
inline scan_plan plan_scan(int multiprocessors, std::int64_t items, int chunk_items, const kernel_policy& policy,
                           int max_blocks = 0, staging how = staging::impossible) {
  if (const auto in_stages = plan_stages(multiprocessors, items, chunk_items, policy.staged, max_blocks, how);
      in_stages.is_staged)
    return in_stages;
  const std::int64_t quick_tiles = host_side::divide_up(items, tile_items(policy.quick, chunk_items)),
                     most_quick = std::int64_t{policy.quick_tiles_per_multiprocessor} * multiprocessors,
                     tiles = host_side::divide_up(items, tile_items(policy.full, chunk_items));
  if (quick_tiles == 1) return {true, false, 1, 1};
  if (tiles == 1) return {false, false, 1, 1};                                // no other block has to be waited for
  const bool is_one_group = tiles <= warp_lanes && quick_tiles > warp_lanes;  // only full tiles look back once
  if (!is_one_group && quick_tiles <= (max_blocks > 0 ? least_of<std::int64_t>(most_quick, max_blocks) : most_quick))
    return {true, false, quick_tiles, static_cast<int>(quick_tiles)};
  const auto blocks = static_cast<int>(least_of<std::int64_t>(tiles, max_blocks > 0 ? max_blocks : most_tiles));
  const bool low_occupancy =
      blocks < tiles || tiles <= std::int64_t{policy.low_occupancy_tiles_per_multiprocessor} * multiprocessors;
  return {false, low_occupancy, tiles, blocks};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
