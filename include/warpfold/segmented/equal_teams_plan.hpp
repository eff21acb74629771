// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams of warps for segments of one length: a pure function of the device and the shape, testable without a GPU.
#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/segmented/load_balance_partition.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The grid of segment_per_warp_team_kernel, and how it is partitioned.
struct segment_per_warp_team_plan {
  int blocks, block_threads;
  warp_teams teams;
  load_balance_partition partition;
};

/// A team, in how many rounds of blocks the device is done, and how long that takes: the KiB of items that a warp folds
/// one after another, and as many for each time that it starts.
struct equal_team {
  int warps;
  std::int64_t rounds;
  double kib;
};

/// Segments of one length, `length` > 0 items each.
struct equal_segments {
  std::int64_t count, length;
  std::int64_t row;  ///< items of a row of 32 chunks
  std::size_t item_bytes;

  double kib(std::int64_t items) const { return static_cast<double>(items) * static_cast<double>(item_bytes) / 1024; }
};

/// The team, of `least` to `most` warps, by which the device is done first. A multiprocessor holds `resident_warps`
/// warps at once. Shares are powers of two of rows. If the second of two warps idles, so do two of four schedulers,
/// which seem to have second warps only. (On an H200, a warp takes 0.2 to 0.4 us for a KiB, whatever the operator,
/// unless memory or the arithmetic limit all warps. Of all teams for 2^22 to 2^26 floats in segments of 1030 to 500009,
/// the one that this chooses takes 1.01 times as long as the best, in the mean, and 1.13 times at most.)
inline equal_team fastest_equal_team(std::int64_t multiprocessors, int resident_warps, int least, int most,
                                     const equal_segments& segments, int start_kib) {
  equal_team best{};
  for (int warps = least; warps <= most; ++warps) {
    std::int64_t share = segments.row;
    while (share * warps < segments.length) share *= 2;
    const std::int64_t at_once = clamped(std::int64_t{resident_warps / warps}, std::int64_t{1}, most_blocks_at_once),
                       rounds = host_side::divide_up(segments.count, multiprocessors * at_once);
    double kib = static_cast<double>(rounds) * (start_kib + segments.kib(share));
    if (warps == 2) kib *= 0.5 + static_cast<double>(share) / static_cast<double>(segments.length);
    if (best.warps == 0 || kib <= best.kib) best = {warps, rounds, kib};
  }
  return best;
}

/// The grid for the segments with a team each, in a block of its own, if that is the faster kernel and `max_blocks`
/// allows it. The device holds `max_resident_blocks` whole blocks at once.
inline std::optional<segment_per_warp_team_plan> plan_equal_teams(int multiprocessors, int max_resident_blocks,
                                                                  const equal_segments& segments,
                                                                  std::size_t accumulator_bytes,
                                                                  const kernel_policy& policy, int max_blocks = 0) {
  const int block_warps = policy.block_threads / warp_lanes,
            resident_warps = max_resident_blocks / multiprocessors * block_warps;
  const std::int64_t batch = policy.long_rows * segments.row;
  const bool joins_slowly = accumulator_bytes > max_quick_join_bytes,
             are_narrow = segments.row > warp_lanes * max_wide_item_chunk,
             have_slow_tails = are_narrow || (policy.folds_halves_in_turn && 2 * (segments.length % batch) > batch);
  const team_bounds bounds = joins_slowly      ? slow_join_team_bounds
                             : have_slow_tails ? slow_tail_team_bounds
                                               : quick_team_bounds;
  if (4 * segments.length < 3 * segments.row) return {};
  if (segments.count > (max_blocks > 0 ? max_blocks : max_team_blocks)) return {};
  if (segments.kib(2 * segments.length) < bounds.min_half_kib &&
      segments.count > std::int64_t{bounds.most} * multiprocessors)
    return {};
  const equal_team team = fastest_equal_team(
      multiprocessors, resident_warps, are_narrow ? least_of(min_warps_of_narrow_items, block_warps) : 1, block_warps,
      segments, policy.has_long_joins || policy.folds_halves_in_turn ? slow_start_kib : quick_start_kib);
  const auto mean_blocks = static_cast<double>(segments.count) / static_cast<double>(multiprocessors);
  const double even_share = mean_blocks * segments.kib(segments.length), by_position = even_share + position_start_kib;
  const int lone_cost = are_narrow ? narrow_lone_warp_cost : lone_warp_cost;
  if (team.rounds <= max_lone_rounds && team.kib * lone_cost > by_position) return {};
  // In one round, some multiprocessors have a block more than others.
  if (mean_blocks * team.warps <= resident_warps) {
    const double more = (std::ceil(mean_blocks) / mean_blocks - 1) * even_share;
    if (more > (policy.has_long_joins ? most_uneven_joins_kib : most_uneven_reads_kib + even_share / 4)) return {};
  }
  segment_per_warp_team_plan plan{};
  plan.block_threads = team.warps * warp_lanes;
  plan.blocks = static_cast<int>(segments.count);
  plan.partition.max_uncut_items = segments.length;
  return plan;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
