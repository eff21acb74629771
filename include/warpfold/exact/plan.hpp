// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of exact sums over segments: a pure function, testable without a GPU.
#pragma once
#include <warpfold/exact/policy.hpp>
#include <warpfold/exact/segment_partition.cuh>
#include <warpfold/host/divide_up.hpp>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The grid for sums of segments, and how it is partitioned.
struct segment_sum_plan {
  int blocks;
  segment_partition partition;
};

/// No result depends on the plan. There is scratch for `max_warps` warps.
inline segment_sum_plan plan_segment_sums(std::int64_t items, std::int64_t segments, int resident_blocks,
                                          std::int64_t max_warps, int max_blocks) {
  const std::int64_t positions = segment_partition{}.position(segments, items);
  std::int64_t blocks = host_side::divide_up(positions, std::int64_t{min_positions_per_warp * segment_block_warps});
  blocks = least_of(least_of(blocks, resident_blocks), max_warps / segment_block_warps);
  if (max_blocks > 0) blocks = least_of<std::int64_t>(blocks, max_blocks);
  const std::int64_t per_warp = host_side::divide_up(positions, blocks * segment_block_warps);
  return {static_cast<int>(blocks),
          {{}, per_warp, greatest_of<std::int64_t>(per_warp / uncut_segments_per_warp, min_uncut_items)}};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
