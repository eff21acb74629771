// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grids of named strategies: pure functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <warpfold_strategies/plan.hpp>

namespace wf_test {
namespace {

namespace strategies = warpfold::strategies;

/// Shares follow one another without gap, and differ by one data-block at most.
void expect_dealt(std::int64_t data_blocks, const strategies::strategy_plan& plan) {
  ASSERT_TRUE(plan.valid());
  std::int64_t next = 0;
  for (std::int64_t block = 0; block < plan.blocks; ++block) {
    const auto share = plan.schedule.of(static_cast<std::uint32_t>(block));
    ASSERT_EQ(share.first, next);
    ASSERT_GE(share.count, static_cast<std::uint64_t>(data_blocks / plan.blocks));
    ASSERT_LE(share.count, static_cast<std::uint64_t>((data_blocks - 1) / plan.blocks + 1));
    next += share.count;
  }
  EXPECT_EQ(next, data_blocks);
}

TEST(strategy_plan, deals_all_data_blocks_in_order) {
  for (std::int64_t data_blocks = 1; data_blocks <= 700; ++data_blocks)
    for (const std::int64_t resident : {1, 2, 7, 8, 132, 264, 1056}) {
      const auto plan = strategies::plan_shares(data_blocks, resident);
      EXPECT_EQ(plan.blocks, std::min(data_blocks, resident));
      expect_dealt(data_blocks, plan);
    }
}

TEST(strategy_plan, keeps_to_max_blocks) {
  EXPECT_EQ(strategies::plan_shares(1000, 264, 7).blocks, 7);
  EXPECT_EQ(strategies::plan_shares(5, 264, 7).blocks, 5);
  EXPECT_EQ(strategies::plan_shares(1000, 4, 7).blocks, 4);
  expect_dealt(1000, strategies::plan_shares(1000, 264, 7));
}

TEST(strategy_plan, of_more_than_32_bits_of_items) {
  const std::int64_t data_blocks = (std::int64_t{1} << 40) / 1024 + 3;
  expect_dealt(data_blocks, strategies::plan_shares(data_blocks, 264));
  EXPECT_FALSE(strategies::plan_shares(std::int64_t{1} << 40, 1).valid());
}

TEST(strategy_plan, of_a_pass_has_a_block_for_each_data_block) {
  const auto plan = strategies::plan_pass(12345);
  EXPECT_EQ(plan.blocks, 12345);
  expect_dealt(12345, plan);
  EXPECT_TRUE(strategies::plan_pass(0x7fffffff).valid());
  EXPECT_FALSE(strategies::plan_pass(0x80000000).valid());
}

TEST(strategy_plan, of_multi_pass_has_room_for_two_passes) {
  EXPECT_EQ(strategies::multi_pass_partials(1, 1024, 1024), 2);
  EXPECT_EQ(strategies::multi_pass_partials(1024 * 1024, 1024, 1024), 1024 + 1);
  EXPECT_EQ(strategies::multi_pass_partials(1024 * 1024 + 1, 1024, 1024), 1025 + 2);
  EXPECT_EQ(strategies::multi_pass_partials(1'000'000, 512, 1024), 1954 + 2);
}

}  // namespace
}  // namespace wf_test
