// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of a call of top_k_items: a pure function of its sizes.
#pragma once
#include <cstdint>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/top_k/policy.hpp>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

struct grid_plan {
  int blocks;
  int parts;  ///< blocks for each segment
};

/// Warps of a block, a power of two: fewer where segments have few batches, and enough for a list of k keys. `alone`:
/// whether each segment has one block. Then blocks are smaller, so that the pauses of more of them overlap.
inline int plan_block_warps(std::int64_t items, std::int64_t segments, int batch_items, int k, bool alone) {
  const std::int64_t batches = host_side::divide_up(host_side::divide_up(items, segments), batch_items);
  const std::int64_t wanted = greatest_of<std::int64_t>(batches, k / (4 * warp_lanes));
  const int most = alone && k <= most_small_block_k ? small_block_warps : most_block_warps;
  int warps = 1;
  while (warps < most && warps < wanted) warps *= 2;
  return warps;
}

/// Blocks for `segments` > 0 segments, of which the device holds `resident_blocks`, and the most that may share
/// segments. A part has a tile at least, and enough items for its list. A positive `max_blocks` bounds the blocks.
inline grid_plan plan_grid(std::int64_t items, std::int64_t segments, int tile_items, int k, int resident_blocks,
                           int most_shared_blocks, int max_blocks) {
  const std::int64_t most = max_blocks > 0 ? least_of(max_blocks, resident_blocks) : resident_blocks;
  const std::int64_t per_segment = least_of<std::int64_t>(most, most_shared_blocks) / segments;
  const std::int64_t part_items = greatest_of<std::int64_t>(tile_items, 4 * k);
  const std::int64_t parts = least_of(per_segment, host_side::divide_up(items / segments, part_items));
  if (parts > 1) return {static_cast<int>(parts * segments), static_cast<int>(parts)};
  return {static_cast<int>(least_of(most, segments)), 1};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
