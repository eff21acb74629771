// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of a segmented reduction as a pure function: whatever the device, the items, the segments and the bound,
// every position has a warp, and the warps' partial results fit the scratch.
#include <warpfold/segmented/fixed_length_kernel.cuh>
#include <warpfold/segmented/plan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>
#include <warpfold/workspace.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace {

using namespace warpfold;

/// Chunks and accumulators as they meet in practice.
struct problem_kind {
  const char* name;
  int chunk_items;
  std::size_t accumulator_bytes;
  segmented::kernel_policy policy;
};
const problem_kind kinds[] = {{"float", 8, 4, segmented::kernel_policy_for(32, 4)},
                              {"int8 in int", 16, 4, segmented::kernel_policy_for(16, 4)},
                              {"double", 4, 8, segmented::kernel_policy_for(32, 8)},
                              {"12 bytes", 4, 12, segmented::kernel_policy_for(48, 12)},
                              {"iterator", 8, 4, segmented::kernel_policy_for(32, 4)},
                              {"100 bytes", 1, 100, segmented::kernel_policy_for(100, 100)},
                              {"4 KiB", 1, 4096, segmented::kernel_policy_for(4096, 4096)}};
constexpr int devices[] = {1, 8, 132 * 4, 132 * 2, 78, 100'000};  // blocks at once

/// Says what is wrong with the plan; empty if nothing is.
std::string problem(const segmented::load_balance_plan& plan, int max_resident_blocks, std::int64_t items,
                    std::int64_t segments, const problem_kind& kind, int max_blocks) {
  const int block_warps = kind.policy.block_threads / warp_lanes;
  const std::int64_t warps = std::int64_t{plan.blocks} * block_warps,
                     positions = items + std::int64_t{plan.partition.segment_cost} * segments;
  const auto& [length, segment_cost, log_unit, are_mostly_long, max_uncut_items] = plan.partition;
  const std::int64_t unit = std::int64_t{1} << log_unit,
                     batch = std::int64_t{kind.policy.long_rows} * warp_lanes * kind.chunk_items;

  if (plan.blocks < 1 || plan.blocks > 2 * max_resident_blocks) return "the grid is too large, or empty";
  if (plan.blocks > max_resident_blocks &&
      (!are_mostly_long || segments < warps || 2 * length < segmented::min_two_wave_positions))
    return "a second wave that has little to do";
  if (max_blocks > 0 && plan.blocks > max_blocks) return "the caller's bound";
  if (warps > segmented::max_warps) return "more warps than counters";
  if (segment_cost < 1) return "segments without weight: a warp could have any number of empty ones";
  if (length * warps < positions) return "positions without a warp";
  if ((length - 1) * warps >= positions) return "partition are longer than they need be";
  if (plan.blocks > 1 && 2 * length < segmented::min_items_per_warp)
    return "partition are too short to be worth a warp";
  if (are_mostly_long && items <= segments) return "no segment can be expected to be long";
  if (unit % batch != 0) return "units are not made of batches, or no power of two of them";
  if (max_uncut_items < unit) return "what is shorter than a unit is cut";
  if (max_uncut_items > std::max(unit, length)) return "a warp could have much more than its range";
  if ((positions - 1) / unit + 1 > segmented::max_units(kind.accumulator_bytes)) return "more units than scratch";
  if ((length - 1) / unit + 1 > segmented::max_units_per_warp) return "a range has too many units";
  if (segmented::max_units_per_warp * 2 > segmented::units_per_bundle)
    return "a range has the begin of more than one bundle";
  // Among the counters of a range are those of one later bundle: bundles begin at least a range apart.
  if (unit * segmented::units_per_bundle <= length) return "a range has the begin of two bundles";
  if (unit > 2 * batch && length >= unit * 2 * segmented::max_units_per_warp) return "units are too short";
  if (plan.blocks < max_resident_blocks && (max_blocks == 0 || plan.blocks < max_blocks) &&
      warps < segmented::max_warps - block_warps && length > segmented::max_min_items_per_warp)
    return "part of the device is left idle";
  return "";
}

TEST(segmented_plan, holds_whatever_the_shape) {
  wf_test::random_source source(1);
  std::vector<std::int64_t> counts{0,
                                   1,
                                   2,
                                   31,
                                   32,
                                   33,
                                   127,
                                   128,
                                   129,
                                   1000,
                                   1 << 20,
                                   std::int64_t{1} << 31,
                                   (std::int64_t{1} << 31) + 1,
                                   5'000'000'029};
  for (int i = 0; i < 60; ++i) counts.push_back(static_cast<std::int64_t>(source() >> 1 >> (source.below(38) + 23)));
  for (const problem_kind& kind : kinds)
    for (const int max_resident_blocks : devices)
      for (const int max_blocks : {0, 1, 7, 1'000'000})
        for (const std::int64_t items : counts)
          for (const std::int64_t segments : counts) {
            if (segments == 0) continue;
            const bool is_listed = items % 2 == 0;
            const auto plan =
                segmented::plan_load_balance(max_resident_blocks, items, segments, is_listed, kind.chunk_items,
                                             kind.accumulator_bytes, kind.policy, max_blocks);
            ASSERT_EQ(problem(plan, max_resident_blocks, items, segments, kind, max_blocks), "")
                << kind.name << ", " << items << " items, " << segments << " segments, " << max_resident_blocks
                << " blocks at once, max_blocks " << max_blocks;
          }
}

TEST(segmented_plan, small_inputs_take_few_blocks) {
  const problem_kind& k = kinds[0];
  EXPECT_EQ(segmented::plan_load_balance(528, 0, 1, true, k.chunk_items, k.accumulator_bytes, k.policy).blocks, 1);
  EXPECT_EQ(segmented::plan_load_balance(528, 900, 6, true, k.chunk_items, k.accumulator_bytes, k.policy).blocks, 1);
  EXPECT_EQ(segmented::plan_load_balance(528, 1 << 24, 1, true, k.chunk_items, k.accumulator_bytes, k.policy).blocks,
            528);
  EXPECT_EQ(segmented::plan_load_balance(528, 0, 1 << 24, true, k.chunk_items, k.accumulator_bytes, k.policy).blocks,
            528);
}

TEST(segmented_plan, many_long_segments_take_two_waves) {
  const problem_kind& k = kinds[0];
  const auto blocks = [&](std::int64_t items, std::int64_t segments, bool is_listed = true) {
    return segmented::plan_load_balance(528, items, segments, is_listed, k.chunk_items, k.accumulator_bytes, k.policy)
        .blocks;
  };
  EXPECT_EQ(blocks(1 << 26, 11585), 2 * 528);
  EXPECT_EQ(blocks(1 << 26, 11585, false), 528) << "owners take long to search";
  EXPECT_EQ(blocks(1 << 26, 8447), 528) << "a warp of the second wave would have no segment";
  EXPECT_EQ(blocks(1 << 24, 11585), 528) << "the ranges are too short";
  EXPECT_EQ(blocks(1 << 26, 1 << 20), 528) << "the segments are short";
}

TEST(segmented_plan, short_segments_are_not_cut) {
  const problem_kind& k = kinds[0];
  const auto uncut = [&](std::int64_t items, std::int64_t segments, std::int64_t max_short_items) {
    return segmented::plan_load_balance(528, items, segments, true, k.chunk_items, k.accumulator_bytes, k.policy, 0,
                                        max_short_items)
        .partition.max_uncut_items;
  };
  for (const std::int64_t segments : {1, 3000, 1 << 20})
    for (const std::int64_t items : {10'000, 1 << 26}) {
      const std::int64_t least = uncut(items, segments, 0);
      EXPECT_EQ(uncut(items, segments, least), least);
      EXPECT_EQ(uncut(items, segments, least + 1), least + 1);
    }
}

TEST(segmented_plan, stages_few_items_a_segment_on_a_full_device) {
  constexpr std::int64_t warps = 4224, tile = segmented::tile_segments_per_lane * 32 * warps;
  for (const auto& bounds : {segmented::staging_bounds_of_items, segmented::staging_bounds_of_terms})
    for (const bool listed : {false, true}) {
      const std::int64_t full = bounds.min_tiles * tile, most = bounds.max_mean_items;
      const auto gains = [&](std::int64_t items, std::int64_t segments, std::size_t item_bytes = 4,
                             bool packs_all = false) {
        return segmented::gains_by_staging(items, segments, item_bytes, warps, listed, packs_all, bounds);
      };
      for (const std::int64_t segments : {full, 3 * full, std::int64_t{1} << 33}) {
        EXPECT_TRUE(gains((7 * segments + 1) / 2, segments));
        EXPECT_FALSE(gains((7 * segments - 1) / 2, segments));
        EXPECT_TRUE(gains(4 * segments, segments, 8));
        EXPECT_FALSE(gains(4 * segments - 1, segments, 8));
        EXPECT_TRUE(gains(most * segments - 1, segments));
        EXPECT_FALSE(gains(most * segments, segments));
        EXPECT_FALSE(gains(segments, segments));
        EXPECT_TRUE(gains(segments, segments, 4, true)) << "they would be packed otherwise";
        EXPECT_FALSE(gains(most * segments, segments, 4, true));
      }
      EXPECT_FALSE(gains(8 * (full - 1), full - 1)) << "too few steps a warp";
      const std::int64_t many = segmented::min_staged_empty_tiles * tile;
      for (const std::int64_t items : {std::int64_t{0}, many / 4, many - 1}) {
        EXPECT_EQ(gains(items, many), listed) << items << " items";
        EXPECT_FALSE(gains(items * (many - 1) / many, many - 1)) << "too few steps a warp";
      }
    }
  EXPECT_GT(segmented::staging_bounds_of_terms.max_mean_items, segmented::staging_bounds_of_items.max_mean_items);
}

// ---- segments dealt by number ---------------------------------------------------------------------------------------

std::string problem(const segmented::segment_per_warp_team_plan& plan, int max_resident_blocks, std::int64_t items,
                    std::int64_t segments, const problem_kind& kind, int max_blocks) {
  const int block_warps = plan.block_threads / warp_lanes;
  const auto& [length, segment_cost, log_unit, are_mostly_long, max_uncut_items] = plan.partition;
  if (plan.block_threads != kind.policy.block_threads && plan.block_threads != warp_lanes) return "odd blocks";
  const std::int64_t ranged_warps = std::int64_t{plan.teams.partition_blocks} * block_warps,
                     unit = std::int64_t{1} << log_unit;

  const std::int64_t least = block_warps == 1
                                 ? segmented::min_single_items
                                 : std::int64_t{segmented::min_long_mean_rows} * warp_lanes * kind.chunk_items;
  if (plan.blocks > 3 * max_resident_blocks && items / segments < least)
    return "the grid is too large for segments that are not long";
  if (max_blocks > 0 && plan.blocks > max_blocks) return "the caller's bound";
  if (plan.teams.log_warps < 0 || 1 << plan.teams.log_warps > block_warps) return "a team is no part of a block";
  if (std::int64_t{plan.blocks - plan.teams.partition_blocks} * block_warps < segments << plan.teams.log_warps)
    return "segments without a team";
  if (segment_cost != 0 || are_mostly_long) return "partition are not of items alone";
  if (ranged_warps < 1 || length * ranged_warps < items) return "items without a range";
  if (ranged_warps > segmented::max_warps) return "more warps than counters";
  if (max_uncut_items < 2 * length)
    return "a segment that is too long may go on at the begin of no range, or two begin in one";
  if (max_uncut_items < unit || max_uncut_items < items / segments) return "what is not long is cut";
  if (unit % (std::int64_t{kind.policy.long_rows} * warp_lanes * kind.chunk_items) != 0)
    return "units are not made of batches";
  if ((items - 1) / unit + 1 > segmented::max_units(kind.accumulator_bytes)) return "more units than scratch";
  if (unit * segmented::units_per_bundle <= length) return "a range has the begin of two bundles of units";
  return "";
}

TEST(segmented_plan, dealt_holds_whatever_the_shape) {
  wf_test::random_source source(2);
  std::vector<std::int64_t> counts{0, 1, 2, 33, 1000, 4096, 1 << 20, std::int64_t{1} << 31, std::int64_t{1} << 40};
  for (int i = 0; i < 120; ++i) counts.push_back(static_cast<std::int64_t>(source() >> 1 >> (source.below(40) + 23)));
  int per_warp_team = 0;
  for (const problem_kind& kind : kinds)
    for (const int max_resident_blocks : devices)
      for (const int max_blocks : {0, 1, 7, 1'000'000})
        for (const std::int64_t items : counts)
          for (const std::int64_t segments : counts) {
            if (segments == 0) continue;
            const auto plan =
                segmented::plan_segment_per_warp_team(max_resident_blocks, items, segments, kind.chunk_items,
                                                      kind.accumulator_bytes, kind.policy, max_blocks);
            if (!plan) continue;
            ++per_warp_team;
            ASSERT_EQ(problem(*plan, max_resident_blocks, items, segments, kind, max_blocks), "")
                << kind.name << ", " << items << " items, " << segments << " segments, " << max_resident_blocks
                << " blocks at once, max_blocks " << max_blocks;
          }
  EXPECT_GT(per_warp_team, 1000);
}

TEST(segmented_plan, deals_what_a_device_does_at_once) {
  const problem_kind& k = kinds[0];  // rows of 256 items
  const auto warps_of_team = [&](std::int64_t items, std::int64_t length) {
    const auto plan =
        segmented::plan_segment_per_warp_team(528, items, items / length, k.chunk_items, k.accumulator_bytes, k.policy);
    return plan ? 1 << plan->teams.log_warps : 0;
  };
  constexpr std::int64_t mega = 1 << 20;
  EXPECT_EQ(warps_of_team(mega, 100), 0) << "lanes do better";
  EXPECT_EQ(warps_of_team(mega, 200), 1);
  EXPECT_EQ(warps_of_team(mega, 1000), 2);
  EXPECT_EQ(warps_of_team(mega, 4096), 8);
  EXPECT_EQ(warps_of_team(mega, 1 << 14), 8);
  EXPECT_EQ(warps_of_team(mega, 20'000), 8);
  EXPECT_EQ(warps_of_team(mega, 1 << 15), 0) << "too few teams";
  EXPECT_EQ(warps_of_team(4 * mega, 600), 0) << "more segments than warps";
  EXPECT_EQ(warps_of_team(4 * mega, 1000), 1);
  EXPECT_EQ(warps_of_team(16 * mega, 1000), 0) << "bytes count, not trips";
}

TEST(segmented_plan, deals_long_segments_that_fill_the_multiprocessors_evenly) {
  const problem_kind& k = kinds[0];  // rows of 256 items, 4 blocks a multiprocessor
  const auto warps_of_team = [&](std::int64_t segments, std::int64_t length) {
    const auto plan = segmented::plan_segment_per_warp_team(528, segments * length, segments, k.chunk_items,
                                                            k.accumulator_bytes, k.policy);
    return plan ? 1 << plan->teams.log_warps : 0;
  };
  EXPECT_EQ(warps_of_team(1 << 13, 2047), 0);
  EXPECT_EQ(warps_of_team(1 << 13, 2048), 2);
  EXPECT_EQ(warps_of_team(1 << 13, 4096), 4);
  EXPECT_EQ(warps_of_team(1 << 13, 2500), 4);
  EXPECT_EQ(warps_of_team(1 << 14, 7000), 8);
  EXPECT_EQ(warps_of_team(2 * 132, 1 << 20), 8);
  EXPECT_EQ(warps_of_team(2 * 132 + 1, 1 << 20), 0) << "three rounds over the multiprocessors, the last nearly empty";
  EXPECT_EQ(warps_of_team(64, 1 << 20), 0) << "half of the multiprocessors would be idle";
  EXPECT_EQ(warps_of_team(std::int64_t{1} << 34, 4096), 0) << "more blocks than a grid has";
  const auto takes_narrow = [&](std::int64_t length) {
    return segmented::plan_segment_per_warp_team(528, length << 15, 1 << 15, 2 * k.chunk_items, k.accumulator_bytes,
                                                 k.policy)
        .has_value();
  };
  EXPECT_FALSE(takes_narrow(8191)) << "rows of 512 items: few warps for a segment";
  EXPECT_TRUE(takes_narrow(8192));
}

TEST(segmented_plan, segments_of_some_thousand_items_go_to_single_warps) {
  const auto block_threads = [&](std::int64_t segments, std::int64_t length, const segmented::kernel_policy& policy,
                                 int min_rows = 0, int chunk_items = 8) {
    const auto plan =
        segmented::plan_segment_per_warp_team(528, segments * length, segments, chunk_items, 4, policy, 0, min_rows);
    return plan ? plan->block_threads : 0;
  };
  const auto& policy = kinds[0].policy;  // rows of 256 items; the device holds 4224 warps
  EXPECT_EQ(block_threads(1 << 15, 1023, policy), 0) << "by position";
  EXPECT_EQ(block_threads(1 << 15, 1024, policy), 32);
  EXPECT_EQ(block_threads(2 * 4224, 3000, policy), 32);
  EXPECT_EQ(block_threads(2 * 4224 - 1, 3000, policy), 256) << "too few for single warps";
  EXPECT_EQ(block_threads(1 << 15, 6143, policy), 32);
  EXPECT_EQ(block_threads(1 << 15, 6144, policy), 256);
  EXPECT_EQ(block_threads(1 << 15, 3000, policy, 0, 16), 0) << "narrow items";
  EXPECT_EQ(block_threads(1 << 15, 1023, policy, 0, 4), 0) << "rows of 128 items";
  EXPECT_EQ(block_threads(1 << 15, 1024, policy, 0, 4), 32);
  EXPECT_EQ(block_threads(1 << 15, 3072, policy, 0, 4), 256);
  // Operators with long joins.
  EXPECT_EQ(block_threads(1 << 15, 24 * 256 - 1, policy, 24), 0);
  EXPECT_EQ(block_threads(1 << 15, 24 * 256, policy, 24), 256);
  EXPECT_EQ(block_threads(1 << 15, 256 * 256 - 1, policy, 256), 0);
  EXPECT_EQ(block_threads(1 << 15, 256 * 256, policy, 256), 256);
}

TEST(segmented_plan, warps_share_segments_of_one_length_evenly) {
  struct algorithm {
    static constexpr int segments_per_warp(std::int64_t) { return 32; }
    static constexpr int min_segments_per_warp(std::int64_t) { return 1; }
  };
  for (const std::int64_t count : {1, 3, 100, 4224, 9586, 4224 * 33, 1'000'003})
    for (const unsigned warps : {1u, 7u, 4224u}) {
      SCOPED_TRACE(testing::Message() << count << " segments, " << warps << " warps");
      const bool are_neighbours = count <= std::int64_t{2} * 32 * warps;  // in two rounds
      std::vector<int> taken(static_cast<std::size_t>(count));
      std::int64_t next = 0, least = count, most = 0;
      int at_a_time = 0;
      for (unsigned warp = 0; warp < warps; ++warp) {
        const auto own = segmented::segments_of_warp<algorithm>(5000, count, warp, warps);
        std::int64_t segments = 0;
        for (std::int64_t first = own.first; first < own.last; first += own.step)
          for (std::int64_t i = first; i < std::min(first + own.at_a_time, own.last); ++i, ++segments)
            ++taken[static_cast<std::size_t>(i)];
        if (are_neighbours) {
          EXPECT_EQ(own.first, next);
          EXPECT_TRUE(own.step == own.at_a_time && own.first + 2 * own.step >= own.last);
        }
        next = own.last, at_a_time = own.at_a_time;
        least = std::min(least, segments), most = std::max(most, segments);
      }
      EXPECT_TRUE(0 < at_a_time && at_a_time <= 32);
      EXPECT_EQ(std::ranges::count(taken, 1), count) << "each is taken once";
      EXPECT_LE(most - least, are_neighbours ? 1 : at_a_time);
    }
  const auto in_rounds = segmented::segments_of_warp<algorithm>(24, 100 * 65, 3, 100);
  EXPECT_EQ(in_rounds.at_a_time, 22);
  EXPECT_EQ(in_rounds.first, 3 * 22);
  EXPECT_EQ(in_rounds.step, 100 * 22);
}

TEST(segmented_plan, equal_segments_take_no_more_blocks_than_they_fill) {
  const segmented::kernel_policy& policy = kinds[0].policy;
  const int warps = policy.block_threads / 32;
  EXPECT_EQ(segmented::plan_fixed_length(528, 1, 512, policy), 1);
  EXPECT_EQ(segmented::plan_fixed_length(528, 512 * warps, 512, policy), 1);
  EXPECT_EQ(segmented::plan_fixed_length(528, 512 * warps + 1, 512, policy), 2);
  EXPECT_EQ(segmented::plan_fixed_length(528, std::int64_t{1} << 40, 2, policy), 528);
  EXPECT_EQ(segmented::plan_fixed_length(528, std::int64_t{1} << 40, 2, policy, 3), 3);
  EXPECT_EQ(segmented::plan_fixed_length(528, std::int64_t{1} << 40, 2, policy, 1'000'000), 528);
}

/// Segments of three items.
struct equal_spans {
  std::int64_t count;
  __device__ segment::span_of<std::int64_t> span(std::int64_t s) const { return {3 * s, 3 * s + 3}; }
};
__global__ void positions_kernel(segmented::load_balance_partition partition, equal_spans spans, std::int64_t target,
                                 std::int64_t* out) {
  const std::int64_t found = partition.first_segment(spans, partition.position(target, 3 * target), 3 * spans.count);
  if (threadIdx.x != 0) return;
  const auto own = partition.positions_of(target);
  const std::int64_t all[] = {partition.position(target, 3 * target),
                              partition.item_at(target, 50 * target),
                              own.begin,
                              own.end,
                              partition.warp_of(10'000 * target + 9'999),
                              found};
  for (int i = 0; i < 6; ++i) out[i] = all[i];
}

TEST(segmented_plan, positions_of_billions_of_segments) {
  const wf_test::device_array<std::int64_t> out(6);
  for (const std::int64_t target : {(std::int64_t{1} << 31) - 1, std::int64_t{1} << 31, std::int64_t{5'000'000'000}}) {
    const segmented::load_balance_partition partition{{}, 10'000, 7, 10};
    wf_test::launch_and_wait(&positions_kernel, 1, 32, 0, partition, equal_spans{2 * target}, target, out.data());
    EXPECT_EQ(out.to_host(), (std::vector<std::int64_t>{10 * target, 43 * target, 10'000 * target,
                                                        10'000 * target + 10'000, target, target}));
  }
}

TEST(segmented_plan, scratch_has_room_for_the_counters) {
  EXPECT_GE(host_side::control_bytes - host_side::workspace_alignment,
            std::size_t{segmented::max_warps} * segmented::counters_per_warp * sizeof(unsigned));
  for (const std::size_t bytes : {1, 16, 17, 64, 4096})
    EXPECT_GE(segmented::scratch(bytes).workspace_bytes(),
              host_side::control_bytes + 2 * static_cast<std::size_t>(segmented::max_units(bytes)) * bytes);
}

}  // namespace
