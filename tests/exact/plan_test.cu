// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How exact sums of segments divide items and segments among warps.
#include <gtest/gtest.h>

#include <warpfold/exact/dispatch.cuh>

namespace exact_plan_tests {

using warpfold::exact::plan_segment_sums, warpfold::exact::segment_block_warps;

TEST(exact_segment_plan, warps_cover_all_positions) {
  for (const std::int64_t items : {std::int64_t{0}, std::int64_t{1000}, std::int64_t{1} << 26, std::int64_t{1} << 40})
    for (const std::int64_t segments : {std::int64_t{1}, std::int64_t{1} << 20}) {
      const auto plan = plan_segment_sums(items, segments, 396, 10'000, 0);
      const std::int64_t warps = std::int64_t{plan.blocks} * segment_block_warps;
      EXPECT_GE(warps * plan.partition.positions_per_warp, plan.partition.position(segments, items));
      EXPECT_LE(plan.blocks, 396);
    }
}

TEST(exact_segment_plan, scratch_and_max_blocks_bound_the_grid) {
  EXPECT_EQ(plan_segment_sums(std::int64_t{1} << 26, 1000, 396, 100, 0).blocks, 100 / segment_block_warps);
  EXPECT_EQ(plan_segment_sums(std::int64_t{1} << 26, 1000, 396, 10'000, 2).blocks, 2);
}

TEST(exact_segment_plan, one_warp_may_take_a_short_segment_whole) {
  EXPECT_EQ(plan_segment_sums(1000, 1, 396, 10'000, 0).partition.max_uncut_items, 512);
  const auto plan = plan_segment_sums(std::int64_t{1} << 30, 1, 396, 10'000, 0);
  EXPECT_EQ(plan.partition.max_uncut_items, plan.partition.positions_per_warp / 8);
}

TEST(exact_segment_plan, long_segments_of_one_length_have_a_warp_each) {
  const auto plan_rows = [](std::int64_t segments, std::int64_t length, int max_blocks = 0) {
    return plan_segment_sums(segments * length, segments, 396, 10'000, max_blocks, length, length);  // of 3168 warps
  };
  const auto plan = plan_rows(8192, 8192);
  EXPECT_FALSE(plan.cuts);
  EXPECT_EQ(plan.blocks, 1024);
  EXPECT_EQ(plan.partition.positions_per_warp, plan.partition.position(1, 8192));
  EXPECT_TRUE(plan_rows(13'421, 5000).cuts) << "four segments a warp";
  EXPECT_TRUE(plan_rows(3355, 20'000).cuts) << "53 % of two waves";
  EXPECT_FALSE(plan_rows(2796, 24'000).cuts);
  EXPECT_TRUE(plan_rows(2000, 33'554).cuts) << "63 % of one wave";
  EXPECT_TRUE(plan_rows(8192, 8192, 1000).cuts);
  EXPECT_LE(plan_rows(8192, 8192, 1000).blocks, 1000);
  EXPECT_TRUE(plan_segment_sums(std::int64_t{1} << 26, 8192, 396, 10'000, 0).cuts) << "of unknown lengths";
}

TEST(exact_segment_plan, teams_are_for_long_segments_of_one_length) {
  const auto warps = [](std::int64_t segments, std::int64_t length, int max_blocks = 0) {
    return warpfold::exact::warps_of_sum_team(132, 528, segments, length, max_blocks);  // of 4224 warps
  };
  constexpr std::int64_t many = std::int64_t{1} << 26;
  EXPECT_EQ(warps(many / 2303, 2303), 0);
  EXPECT_EQ(warps(many / 2304, 2304), 2);
  EXPECT_EQ(warps(many / 10'007, 10'007), 5);
  EXPECT_EQ(warps(many / 40'000, 40'000), 8);
  EXPECT_EQ(warps(150 * 132, 639), 0);
  EXPECT_EQ(warps(150 * 132, 640), 1) << "few segments";
  EXPECT_EQ(warps(150 * 132 + 1, 640), 0);
  EXPECT_EQ(warps(many / 70'000, 70'000), 8);
  EXPECT_EQ(warps(many / 100'003, 100'003), 0) << "two waves, the second nearly empty";
  EXPECT_EQ(warps(many / 200'003, 200'003), 0) << "eight warps take longer for each than the device for all";
  EXPECT_EQ(warps(1, 1'000'000), 0);
  EXPECT_EQ(warps(1000, 3000, 999), 0) << "no block for each";
  EXPECT_EQ(warps(1000, 3000, 1000), 2);
}

}  // namespace exact_plan_tests
