// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grids of segmented reductions: pure functions of the device and the shape, testable without a GPU.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/segmented/equal_teams_plan.hpp>
#include <warpfold/segmented/load_balance_partition.cuh>
#include <warpfold/segmented/policy.hpp>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The grid of load_balance_kernel, and how it is partitioned.
struct load_balance_plan {
  int blocks;
  load_balance_partition partition;
};

/// The logarithm of the smallest power of two of items that a unit can have, if a warp has `length` positions.
inline int log_unit_for(std::int64_t positions, std::int64_t length, int chunk_items, std::size_t accumulator_bytes,
                        const kernel_policy& policy) {
  const std::int64_t min_unit = greatest_of(std::int64_t{policy.long_rows} * warp_lanes * chunk_items,
                                            greatest_of(host_side::divide_up(length, max_units_per_warp),
                                                        host_side::divide_up(positions, max_units(accumulator_bytes))));
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(min_unit) - 1));
}

/// The grid for `items` items in `segments` > 0 segments of unknown lengths. The device holds `max_resident_blocks`
/// blocks at once; `accumulator_bytes` bounds the number of units. `may_have_waves`: segments are listed, and folds
/// are quick. Segments of up to `max_short_items` items are not cut. No result depends on the plan.
inline load_balance_plan plan_load_balance(int max_resident_blocks, std::int64_t items, std::int64_t segments,
                                           bool may_have_waves, int chunk_items, std::size_t accumulator_bytes,
                                           const kernel_policy& policy, int max_blocks = 0,
                                           std::int64_t max_short_items = 0) {
  const int block_warps = policy.block_threads / warp_lanes;
  const int segment_cost = least_of(chunk_items, max_segment_cost);  // even an empty segment takes a lane
  const std::int64_t positions = items + segment_cost * segments;
  const bool are_mostly_long = items / segments > warp_lanes * chunk_items;
  const std::int64_t two_waves = std::int64_t{2} * max_resident_blocks * block_warps;  // warps
  int most = max_resident_blocks;
  if (may_have_waves && are_mostly_long && segments >= two_waves && positions >= min_two_wave_positions * two_waves / 2)
    most *= 2;
  most = least_of(most, max_warps / block_warps);
  if (max_blocks > 0) most = least_of(most, max_blocks);
  load_balance_plan plan{};
  const auto min_items = static_cast<std::int64_t>(
      clamped<double>(std::sqrt(static_cast<double>(positions)), min_items_per_warp, max_min_items_per_warp));
  plan.blocks =
      static_cast<int>(least_of<std::int64_t>(most, host_side::divide_up(positions, min_items * block_warps)));
  plan.partition.positions_per_warp = host_side::divide_up(positions, std::int64_t{plan.blocks} * block_warps);
  plan.partition.segment_cost = segment_cost;
  plan.partition.are_mostly_long = are_mostly_long;
  plan.partition.log_unit =
      log_unit_for(positions, plan.partition.positions_per_warp, chunk_items, accumulator_bytes, policy);
  const std::int64_t unit = std::int64_t{1} << plan.partition.log_unit;
  plan.partition.max_uncut_items = greatest_of(unit, max_short_items);
  if (plan.partition.are_mostly_long)
    plan.partition.max_uncut_items =
        greatest_of(plan.partition.max_uncut_items, plan.partition.positions_per_warp / uncut_segments_per_warp);
  return plan;
}

/// Whether staging tiles in shared memory is faster, on a device that holds `warps` warps, for items of `item_bytes`
/// bytes. `listed`: whether the spans of segments are read, not found among the owners of their items. `packs_all`:
/// whether tiny segments would be packed otherwise, too. `bounds`: see policy.hpp.
inline bool gains_by_staging(std::int64_t items, std::int64_t segments, std::size_t item_bytes, std::int64_t warps,
                             bool listed, bool packs_all, const staging_bounds& bounds = staging_bounds_of_items) {
  const std::int64_t mean = items / segments, tiles = segments / (tile_segments_per_lane * warp_lanes);
  if (mean == 0) return listed && tiles >= min_staged_empty_tiles * warps;
  const bool are_too_short = !packs_all && 2 * items < min_staged_mean_halves(item_bytes) * segments;
  return !are_too_short && mean < bounds.max_mean_items && tiles >= bounds.min_tiles * warps;
}

/// The logarithm of the warps that a segment gets if the input fills the device about once; nothing for other inputs.
inline std::optional<int> log_warps_of_small_input(std::int64_t warps, std::int64_t block_warps, std::int64_t items,
                                                   std::int64_t segments, std::int64_t row) {
  const std::int64_t mean = items / segments, even_share = items / warps;
  if (4 * mean < 3 * row || mean > max_mean_segment_rows * row) return {};
  if (2 * segments > 3 * warps || even_share > max_even_share_rows * row) return {};
  int log_warps = 0;
  while (2 << log_warps <= block_warps && segments << (log_warps + 1) <= warps &&
         mean > target_share_rows * row << log_warps)
    ++log_warps;
  if (mean >> log_warps > greatest_of(max_mean_share_rows * row, even_share * 3 / 2)) return {};
  return log_warps;
}

/// The same for long segments, if there are so many that their blocks fill the `multiprocessors` evenly, which hold
/// `warps` warps at once. `may_idle`: whether warps of a team may idle, though segments are not very long.
inline std::optional<int> log_warps_of_long_segments(std::int64_t multiprocessors, std::int64_t block_warps,
                                                     std::int64_t items, std::int64_t segments, std::int64_t row,
                                                     bool may_idle) {
  const std::int64_t mean = items / segments;
  if (mean < min_long_mean_rows * row) return {};
  if (row > warp_lanes * max_wide_item_chunk && mean < min_narrow_mean) return {};
  int log_warps = 0;
  while (2 << log_warps <= block_warps && mean > long_share_rows * row << log_warps) ++log_warps;
  const std::int64_t blocks = host_side::divide_up(segments << log_warps, block_warps),
                     even_blocks = host_side::divide_up(blocks, multiprocessors) * multiprocessors;
  if (blocks > max_team_blocks || 100 * blocks < min_filled_percent * even_blocks) return {};
  std::int64_t share = row;
  while (share << log_warps < mean) share *= 2;
  const bool are_busy = log_warps == 0 || 100 * mean >= min_team_percent * (share << log_warps);
  if (!may_idle && mean < min_idling_mean_rows * row && !are_busy) return {};
  return log_warps;
}

/// Whether segments go to single warps: they are neither short nor long, and there are some for each of the `warps`
/// warps that the device holds.
inline bool go_to_single_warps(std::int64_t warps, std::int64_t items, std::int64_t segments, std::int64_t row) {
  const std::int64_t mean = items / segments;
  const bool are_narrow = row > warp_lanes * max_wide_item_chunk;
  return !are_narrow && min_single_items <= mean && mean < max_single_rows * row &&
         min_single_segments * warps <= segments && segments <= max_team_blocks;
}

/// The grid for `segments` > 0 segments of unknown lengths with a team of warps each, if that is the faster kernel and
/// `max_blocks` allows it. `min_rows`, if it is not 0: for fewer rows a mean segment, and by single warps, this kernel
/// is not the faster one.
inline std::optional<segment_per_warp_team_plan> plan_segment_per_warp_team(int max_resident_blocks, std::int64_t items,
                                                                            std::int64_t segments, int chunk_items,
                                                                            std::size_t accumulator_bytes,
                                                                            const kernel_policy& policy,
                                                                            int max_blocks = 0, int min_rows = 0) {
  const std::int64_t row = warp_lanes * chunk_items, all_block_warps = policy.block_threads / warp_lanes,
                     mean = items / segments;
  const std::int64_t warps = max_resident_blocks * all_block_warps;
  const bool may_idle = items < min_two_wave_positions * warps;
  const bool are_single = min_rows == 0 && go_to_single_warps(warps, items, segments, row);
  const auto for_small = log_warps_of_small_input(warps, all_block_warps, items, segments, row);
  std::optional<int> for_long;
  if (mean >= min_rows * row)
    for_long =
        log_warps_of_long_segments(greatest_of(max_resident_blocks / policy.load_balance_blocks_per_multiprocessor, 1),
                                   all_block_warps, items, segments, row, may_idle);
  if (!for_small && !for_long && !are_single) return {};
  const int log_warps = are_single ? 0 : for_small.value_or(0) > 0 ? *for_small : for_long.value_or(0);
  const std::int64_t block_warps = are_single ? single_block_warps : all_block_warps;
  if (are_single) max_resident_blocks *= static_cast<int>(all_block_warps / block_warps);

  // Blocks for units take at most 3/4 of the device, so that teams start while these look for long segments. A warp's
  // range has at least one unit.
  const std::int64_t max_partition_blocks =
      least_of<std::int64_t>(greatest_of(max_resident_blocks * 3 / 4, 1), max_warps / block_warps);
  const std::int64_t partition_blocks =
      least_of(max_partition_blocks, host_side::divide_up(items, policy.long_rows * row * block_warps));
  segment_per_warp_team_plan plan{};
  plan.teams = {log_warps, std::countr_zero(static_cast<unsigned>(block_warps)), static_cast<int>(partition_blocks)};
  plan.block_threads = static_cast<int>(block_warps) * warp_lanes;
  plan.blocks = static_cast<int>(partition_blocks + host_side::divide_up(segments << log_warps, block_warps));
  if (max_blocks > 0 && plan.blocks > max_blocks) return {};
  plan.partition.positions_per_warp =
      host_side::divide_up(items, greatest_of<std::int64_t>(partition_blocks, 1) * block_warps);
  plan.partition.log_unit =
      log_unit_for(items, plan.partition.positions_per_warp, chunk_items, accumulator_bytes, policy);
  plan.partition.max_uncut_items =
      greatest_of(greatest_of(max_share_rows * row << log_warps, 2 * mean + mean / 4),
                  greatest_of(2 * plan.partition.positions_per_warp, std::int64_t{1} << plan.partition.log_unit));
  return plan;
}

/// Blocks for `segments` > 0 segments of one length, of which a warp folds `segments_per_warp` at a time.
inline int plan_fixed_length(int max_resident_blocks, std::int64_t segments, int segments_per_warp,
                             const kernel_policy& policy, int max_blocks = 0) {
  const std::int64_t block_segments = std::int64_t{segments_per_warp} * (policy.block_threads / warp_lanes);
  const int most = max_blocks > 0 ? least_of(max_resident_blocks, max_blocks) : max_resident_blocks;
  return static_cast<int>(least_of<std::int64_t>(most, host_side::divide_up(segments, block_segments)));
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
