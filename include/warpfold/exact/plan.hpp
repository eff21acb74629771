// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grids of exact sums over segments: pure functions, testable without a GPU.
#pragma once
#include <cmath>
#include <warpfold/exact/policy.hpp>
#include <warpfold/exact/segment_partition.cuh>
#include <warpfold/host/divide_up.hpp>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The grid for sums of segments, and how it is partitioned.
struct segment_sum_plan {
  int blocks;
  segment_partition partition;
  bool cuts = true;  ///< whether segments may be cut
};

/// The warps of a team for each of `segments` > 0 segments of `length` items; 0 if the partition by position is faster,
/// or if `max_blocks` allows no block for each. The device holds `resident_blocks` blocks of segment_block_warps warps.
/// The first wave of blocks takes as long as a warp for its share; another one takes half of that, since warps do not
/// all wait for memory at once. (On an H200, us by this rule and measured, 2^26 floats in rows of 5000: 97 and 88; of
/// 17000, 92 and 91; of 50257, 92 and 90; of 200003, 161 and 159.)
inline int warps_of_sum_team(int multiprocessors, int resident_blocks, std::int64_t segments, std::int64_t length,
                             int max_blocks) {
  if (segments > (max_blocks > 0 ? max_blocks : max_whole_blocks)) return 0;
  const bool are_few = segments <= std::int64_t{max_teams_of_few} * multiprocessors;
  if (length < (are_few ? min_items_of_few : min_team_items)) return 0;
  const int warps = static_cast<int>(
      least_of(host_side::divide_up(length, std::int64_t{max_team_share}), std::int64_t{segment_block_warps}));
  const auto count = static_cast<double>(segments), items = static_cast<double>(length);
  const double waves = count * warps / (double{segment_block_warps} * resident_blocks),
               by_teams = (1 + std::floor(waves + 1 - full_wave) / 2) * (items / warps + team_start_items) * share_cost,
               by_position = count * items / multiprocessors + position_start_items;
  return by_teams <= by_position ? warps : 0;
}

/// A warp for each of the segments of `length` items, `pitch` apart, if that keeps the `warps` busy that the device
/// holds: a cut segment has parts, which are summed more slowly, and joined. No blocks if it does not. `per_warp` is a
/// warp's range otherwise.
inline segment_sum_plan plan_whole_segments(std::int64_t segments, std::int64_t length, std::int64_t pitch,
                                            std::int64_t per_warp, std::int64_t warps, int max_blocks) {
  const std::int64_t each = pitch + segment_cost, waves = host_side::divide_up(segments, warps),
                     blocks = host_side::divide_up(segments, std::int64_t{segment_block_warps});
  const bool are_few = max_whole_eighths * each >= 8 * per_warp,
             are_busy = 100 * segments >= min_whole_percent * waves * warps;
  if (!are_few || !are_busy || blocks > max_whole_blocks || (max_blocks > 0 && blocks > max_blocks)) return {};
  return {static_cast<int>(blocks), {{}, each, length}, false};
}

/// No result depends on the plan. There is scratch for the cut segments of `max_warps` warps. `length`: that of all
/// segments, `pitch` apart, or 0. `cost`: that of a segment.
inline segment_sum_plan plan_segment_sums(std::int64_t items, std::int64_t segments, int resident_blocks,
                                          std::int64_t max_warps, int max_blocks, std::int64_t length = 0,
                                          std::int64_t pitch = 0, int cost = segment_cost) {
  const std::int64_t positions = segment_partition{{}, 0, 0, cost}.position(segments, items);
  std::int64_t blocks = host_side::divide_up(positions, std::int64_t{min_positions_per_warp * segment_block_warps});
  blocks = least_of(least_of(blocks, resident_blocks), max_warps / segment_block_warps);
  if (max_blocks > 0) blocks = least_of<std::int64_t>(blocks, max_blocks);
  const std::int64_t per_warp = host_side::divide_up(positions, blocks * segment_block_warps),
                     max_uncut = greatest_of<std::int64_t>(per_warp / uncut_segments_per_warp, min_uncut_items);
  if (length > max_uncut) {
    const std::int64_t warps = std::int64_t{resident_blocks} * segment_block_warps;
    if (const auto plan = plan_whole_segments(segments, length, pitch, per_warp, warps, max_blocks); plan.blocks > 0)
      return plan;
  }
  return {static_cast<int>(blocks), {{}, per_warp, max_uncut, cost}};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
