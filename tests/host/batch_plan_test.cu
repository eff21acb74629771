// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids of warps that take batches in turn.
#include <gtest/gtest.h>

#include <warpfold/host/batch_plan.hpp>

namespace batch_plan_tests {

using warpfold::host_side::plan_batches;

TEST(batch_plan, few_batches_share_a_block) {
  for (const int batches : {1, 2, 5, 8}) {
    const auto plan = plan_batches(batches, 132, 264, 8, 0);
    EXPECT_EQ(plan.blocks, 1);
    EXPECT_GE(plan.block_warps, batches);
  }
}

TEST(batch_plan, all_multiprocessors_load_before_blocks_are_large) {
  const auto plan = plan_batches(264, 132, 264, 8, 0);
  EXPECT_EQ(plan.blocks, 132);
  EXPECT_EQ(plan.block_warps, 2);
}

TEST(batch_plan, many_batches_fill_the_device_once) {
  const auto plan = plan_batches(std::int64_t{1} << 40, 132, 264, 8, 0);
  EXPECT_EQ(plan.blocks, 264);
  EXPECT_EQ(plan.block_warps, 8);
}

TEST(batch_plan, max_blocks_bounds_the_grid) {
  EXPECT_EQ(plan_batches(100'000, 132, 264, 8, 3).blocks, 3);
  EXPECT_EQ(plan_batches(1, 132, 264, 8, 3).blocks, 1);
}

}  // namespace batch_plan_tests
