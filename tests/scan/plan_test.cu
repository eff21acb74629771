// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of a scan.
#include <warpfold/scan/plan.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include <warpfold/scan/scratch.hpp>

namespace {

namespace scan = warpfold::scan;

constexpr scan::kernel_policy floats = scan::kernel_policy_for(16, scan::lane_load::sums);
constexpr std::int64_t quick = scan::tile_items(floats.quick, 4), full = scan::tile_items(floats.full, 4);

TEST(scan_plan, tiles_cover_the_items) {
  for (std::int64_t items = 1; items < std::int64_t{1} << 40; items = items * 3 / 2 + 1)
    for (const int max_blocks : {0, 1, 7, 100'000}) {
      const auto plan = scan::plan_scan(132, items, 4, floats, max_blocks);
      const std::int64_t tile = plan.is_quick ? quick : full;
      EXPECT_GE(plan.tiles * tile, items);
      EXPECT_LT((plan.tiles - 1) * tile, items);
      EXPECT_GE(plan.blocks, 1);
      EXPECT_LE(plan.blocks, plan.tiles);
      if (max_blocks > 0) {
        EXPECT_LE(plan.blocks, max_blocks);
      } else if (plan.tiles <= scan::most_tiles) {
        EXPECT_EQ(plan.blocks, plan.tiles);
      }
      if (plan.is_quick) {
        EXPECT_EQ(plan.blocks, plan.tiles);
      }
      if (plan.blocks < std::min(plan.tiles, scan::most_tiles)) {
        EXPECT_TRUE(plan.is_roomy);  // only these take tile after tile
      }
    }
}

TEST(scan_plan, small_inputs_take_quick_tiles) {
  EXPECT_TRUE(scan::plan_scan(132, 1, 4, floats).is_quick);
  EXPECT_TRUE(scan::plan_scan(132, floats.quick_tiles_per_multiprocessor * 132 * quick, 4, floats).is_quick);
  EXPECT_FALSE(scan::plan_scan(132, floats.quick_tiles_per_multiprocessor * 132 * quick + 1, 4, floats).is_quick);
}

TEST(scan_plan, what_one_block_can_scan_needs_no_other) {
  EXPECT_EQ(scan::plan_scan(132, quick, 4, floats).tiles, 1);
  EXPECT_EQ(scan::plan_scan(132, quick + 1, 4, floats).tiles, 1);
  EXPECT_EQ(scan::plan_scan(132, full, 4, floats).tiles, 1);
  EXPECT_GT(scan::plan_scan(132, full + 1, 4, floats).tiles, 2);  // quick ones
}

TEST(scan_plan, full_tiles_are_taken_where_only_they_are_one_group) {
  constexpr std::int64_t group = warpfold::warp_lanes;
  EXPECT_TRUE(scan::plan_scan(132, group * quick, 4, floats).is_quick);
  EXPECT_EQ(scan::plan_scan(132, group * full, 4, floats).tiles, group);
  EXPECT_TRUE(scan::plan_scan(132, group * full + 1, 4, floats).is_quick);
}

TEST(scan_plan, blocks_are_roomy_while_there_are_few_tiles) {
  const std::int64_t few = floats.roomy_tiles_per_multiprocessor * 132 * full;
  EXPECT_TRUE(scan::plan_scan(132, few, 4, floats).is_roomy);
  EXPECT_FALSE(scan::plan_scan(132, few + 1, 4, floats).is_roomy);
  constexpr scan::kernel_policy doubles = scan::kernel_policy_for(16, scan::lane_load::accumulators);
  EXPECT_FALSE(scan::plan_scan(132, few / 2, 2, doubles).is_roomy);  // its blocks have the registers anyway
}

TEST(scan_plan, shapes_are_powers_of_two_and_hold_what_they_may) {
  for (const auto& policy : {scan::kernel_policy_for(4, scan::lane_load::accumulators), floats,
                             scan::kernel_policy_for(64, scan::lane_load::packed),
                             scan::kernel_policy_for(12, scan::lane_load::accumulators),
                             scan::kernel_policy_for(200, scan::lane_load::accumulators),
                             scan::kernel_policy_for(1024, scan::lane_load::accumulators)})
    for (const auto& shape : {policy.full, policy.quick}) {
      EXPECT_EQ(shape.rows & (shape.rows - 1), 0);
      EXPECT_EQ(shape.warps & (shape.warps - 1), 0);
      EXPECT_LE(shape.threads() * shape.blocks_per_multiprocessor, 2048);
    }
}

TEST(scan_plan, nodes_of_any_accumulator_fit) {
  for (std::size_t bytes = 1; bytes <= 1024; ++bytes) EXPECT_TRUE(scan::fits_control_words(bytes)) << bytes;
}

}  // namespace
