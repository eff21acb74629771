// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of teams for segments of one length as a pure function: each segment has a team that its block has room for,
// and the team is the one that is done first.
#include <warpfold/segmented/equal_teams_plan.hpp>

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "common/random_items.hpp"

namespace {

using namespace warpfold;
using segmented::equal_segments;

constexpr int multiprocessors = 132;

/// An operator, and its items, as they meet in practice.
struct operator_kind {
  const char* name;
  std::int64_t row;
  std::size_t item_bytes, accumulator_bytes;
  segmented::kernel_policy policy;

  std::optional<segmented::segment_per_warp_team_plan> plan(std::int64_t count, std::int64_t length,
                                                            int max_blocks = 0) const {
    return segmented::plan_equal_teams(multiprocessors, multiprocessors * policy.load_balance_blocks_per_multiprocessor,
                                       {count, length, row, item_bytes}, accumulator_bytes, policy, max_blocks);
  }
  /// Of the team; 0 by position.
  int warps(std::int64_t count, std::int64_t length) const {
    const auto teams = plan(count, length);
    return teams ? teams->block_threads / 32 : 0;
  }
};
constexpr auto with_slow_tails = [] {
  auto policy = segmented::kernel_policy_for(32, 16, true);
  policy.folds_halves_in_turn = true;
  return policy;
}();
constexpr auto with_long_joins = [] {
  auto policy = segmented::kernel_policy_for(16, 24, true);
  policy.has_long_joins = true;
  return policy;
}();
constexpr operator_kind sums{"sums", 256, 4, 4, segmented::kernel_policy_for(32, 4)},
    argmax{"argmax", 256, 4, 16, with_slow_tails}, moments{"moments", 128, 4, 24, with_long_joins},
    bytes{"sums of bytes", 1024, 1, 4, segmented::kernel_policy_for(32, 4)},
    kilobytes{"4 KiB", 32, 4096, 4096, segmented::kernel_policy_for(4096, 4096)};

TEST(equal_teams_plan, holds_whatever_the_shape) {
  wf_test::random_source source(3);
  int planned = 0;
  for (const operator_kind& kind : {sums, argmax, moments, bytes, kilobytes})
    for (int i = 0; i < 3000; ++i) {
      const auto count = static_cast<std::int64_t>((source() >> 1 >> (source.below(40) + 23)) + 1),
                 length = static_cast<std::int64_t>((source() >> 1 >> (source.below(40) + 23)) + 1);
      const int max_blocks = std::array{0, 1, 1000}[source.below(3)];
      const auto plan = kind.plan(count, length, max_blocks);
      if (!plan) continue;
      ++planned;
      SCOPED_TRACE(testing::Message() << kind.name << ", " << count << " segments of " << length);
      EXPECT_EQ(plan->blocks, count);
      EXPECT_EQ(plan->block_threads % 32, 0);
      EXPECT_LE(plan->block_threads, kind.policy.block_threads);
      EXPECT_GE(plan->block_threads, 32);
      EXPECT_GE(plan->partition.max_uncut_items, length);
      EXPECT_TRUE(max_blocks == 0 || plan->blocks <= max_blocks);
    }
  EXPECT_GT(planned, 1000);
}

TEST(equal_teams_plan, no_other_team_is_done_first) {
  // Of rows of 256 floats: 32 KiB by one warp, 16 by two or three, 8 by four.
  const auto team = [](int most, std::int64_t count, std::int64_t length) {
    return segmented::fastest_equal_team(multiprocessors, 32, 1, most, {count, length, 256, 4}, 4);
  };
  EXPECT_EQ(team(1, 1, 8192).kib, 32 + 4);
  EXPECT_EQ(team(2, 1, 8192).kib, 16 + 4);
  EXPECT_EQ(team(3, 1, 8192).warps, 3) << "as good as two";
  EXPECT_EQ(team(8, 1, 8192).kib, 4 + 4);
  EXPECT_EQ(team(1, 32 * multiprocessors + 1, 8192).kib, 2 * (32 + 4)) << "in two rounds";
  EXPECT_EQ(team(2, 1, 4096 + 2048).kib, (16 + 4) * (0.5 + 4096.0 / 6144)) << "half of the second warp idles";
  // 10007 items, in five shares of 2048 or three of 4096: 6706 segments take 6 rounds of blocks of three warps.
  EXPECT_EQ(team(3, 6706, 10'007).kib, 6 * (16 + 4));
  EXPECT_EQ(team(5, 6706, 10'007).kib, 9 * (8 + 4));
}

TEST(equal_teams_plan, teams_are_for_long_segments_and_for_few) {
  const std::int64_t many = std::int64_t{1} << 26;
  EXPECT_EQ(sums.warps(many / 1407, 1407), 0);
  EXPECT_NE(sums.warps(many / 1408, 1408), 0);
  EXPECT_NE(sums.warps(128 * multiprocessors, 300), 0) << "few segments";
  EXPECT_EQ(sums.warps(128 * multiprocessors + 1, 300), 0);
  EXPECT_EQ(argmax.warps(many / 1700, 1700), 0) << "the last batch has two halves";
  EXPECT_NE(argmax.warps(many / 1500, 1500), 0) << "the last batch has one";
  EXPECT_EQ(argmax.warps(many / 2815, 2815), 0);
  EXPECT_NE(argmax.warps(many / 2816, 2816), 0);
  EXPECT_EQ(moments.warps(many / 11'775, 11'775), 0);
  EXPECT_NE(moments.warps(many / 11'776, 11'776), 0);
  EXPECT_NE(moments.warps(42 * multiprocessors, 5000), 0);
  EXPECT_EQ(moments.warps(42 * multiprocessors + 1, 5000), 0);
  EXPECT_EQ(sums.warps(100, 191), 0) << "less than 192 items, 3/4 of 32 chunks: lanes do better";
  EXPECT_NE(sums.warps(100, 192), 0);
  EXPECT_EQ(sums.warps(std::int64_t{1} << 31, 4096), 0) << "more blocks than a grid has";
}

TEST(equal_teams_plan, few_giants_go_by_position) {
  for (const operator_kind& kind : {sums, argmax, moments}) {
    EXPECT_NE(kind.warps(394, 170'000), 0) << kind.name;
    EXPECT_EQ(kind.warps(134, 500'009), 0) << kind.name << ": two rounds over the multiprocessors, one nearly empty";
    EXPECT_EQ(kind.warps(20, 200'003), 0) << kind.name;
    EXPECT_EQ(kind.warps(1, std::int64_t{1} << 31), 0) << kind.name;
  }
}

// Measured on an H200 (segmented/equal_teams_plan.hpp).
TEST(equal_teams_plan, takes_what_was_fastest) {
  EXPECT_EQ(sums.warps(6706, 10'007), 5);
  EXPECT_EQ(argmax.warps(6706, 10'007), 3);
  EXPECT_EQ(moments.warps(4793, 14'000), 1);
  EXPECT_EQ(moments.warps(3947, 17'000), 3);
  EXPECT_EQ(bytes.warps(2236, 120'003), 8);
  EXPECT_GE(bytes.warps(9585, 28'003), 3) << "one warp takes long for narrow items";
}

}  // namespace
