// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of a reduction as a pure function: whatever the device, the items and the bound, it covers the items once
// and keeps to what its kernels can do.
#include <warpfold/reduce/plan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/random_items.hpp"

namespace {

using namespace warpfold;
using reduction::reduce_limits;
using reduction::reduce_plan;
using reduction::reduce_shape;

/// Chunks and accumulators as they meet in practice.
struct problem_kind {
  const char* name;
  int chunk_items;
  std::size_t accumulator_bytes;
  reduction::kernel_policy policy;
};
const problem_kind kinds[] = {{"float", 4, 4, reduction::kernel_policy_for(16, 4)},
                              {"int8 in int", 16, 4, reduction::kernel_policy_for(16, 4)},
                              {"double", 2, 8, reduction::kernel_policy_for(16, 8)},
                              {"12 bytes", 4, 12, reduction::kernel_policy_for(48, 12)},
                              {"iterator", 1, 4, reduction::kernel_policy_for(4, 4)},
                              {"64 bytes", 1, 64, reduction::kernel_policy_for(64, 64)},
                              {"100 bytes", 4, 100, reduction::kernel_policy_for(400, 100)},
                              {"4 KiB", 1, 4096, reduction::kernel_policy_for(4096, 4096)},
                              {"four floats, fused", 4, 16, reduction::kernel_policy_for(16, 16, 16, 4)},
                              {"moments", 4, 24, reduction::with_runs(reduction::kernel_policy_for(16, 24), 24)}};
const reduce_limits devices[] = {{132, 2, 16}, {132, 4, 8}, {78, 1, 1}, {4, 2, 16}, {1, 1, 1}, {2000, 4, 8}};

std::int64_t tile_items_of(const reduce_plan& plan, int chunk_items) {
  return std::int64_t{warp_lanes} * chunk_items * plan.rows * plan.block_warps;
}
std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

/// Says what is wrong with the plan; empty if nothing is.
std::string problem(const reduce_plan& plan, const reduce_limits& limits, std::int64_t items, const problem_kind& kind,
                    int max_blocks) {
  const auto power_of_two = [](int n) { return n > 0 && (n & (n - 1)) == 0; };
  const reduction::kernel_policy& policy = kind.policy;
  const std::int64_t tile_items = tile_items_of(plan, kind.chunk_items), tiles = divide_up(items, tile_items);
  const reduction::unit_schedule& s = plan.schedule;
  int most = limits.multiprocessors * limits.blocks_per_multiprocessor;
  if (max_blocks > 0) most = std::min(most, max_blocks);

  if (plan.blocks < 1 || plan.blocks > most) return "the grid is too large, or empty";
  if (s.tiles != tiles) return "tiles do not cover the items";
  if (s.units != divide_up(tiles, std::int64_t{1} << s.level)) return "units do not cover the tiles";
  if (plan.blocks > s.units) return "a block without a unit";
  const bool shares = plan.shape == reduce_shape::shares;
  const int most_warps = shares ? policy.share_warps() : policy.block_warps(),
            most_rows = shares ? policy.share_rows : policy.max_rows;
  if (!power_of_two(plan.rows) || plan.rows > most_rows) return "rows";
  if (!power_of_two(plan.block_warps) || plan.block_warps > most_warps) return "warps";
  const std::int64_t batch_items = tile_items / plan.block_warps, whole_tiles = (tiles - 1) * tile_items;
  if (whole_tiles + (plan.last_warps - 1) * batch_items >= items) return "a warp without items in the last tile";
  if (whole_tiles + plan.last_warps * batch_items < items) return "items of the last tile without a warp";
  if (plan.shape != reduce_shape::block && plan.block_warps != most_warps) return "blocks of a grid are full";
  if (shares) {
    if (plan.rows != most_rows) return "shares are read in full batches";
    if (s.units > reduction::max_units(kind.accumulator_bytes, plan.block_warps)) return "too many units";
    const std::int64_t shortest_longest = divide_up(tiles, most), longest = divide_up(s.units, plan.blocks) << s.level;
    if (s.units < reduction::max_units(kind.accumulator_bytes, plan.block_warps) / 2 &&
        longest > shortest_longest + shortest_longest / 16)
      return "shares are not even";
    if (s.draws != (shortest_longest > reduction::max_even_tiles)) return "large inputs are drawn";
    return "";
  }
  if (s.level != 0 || s.draws || tiles != plan.blocks) return "not a tile a block";
  if (tiles * tile_items + tile_items > std::numeric_limits<int>::max()) return "items of small grids must fit int";
  if (plan.shape == reduce_shape::block && plan.blocks != 1) return "one block";
  if (plan.shape == reduce_shape::wave && plan.blocks > reduction::max_wave_blocks) return "one warp joins the wave";
  if (plan.shape == reduce_shape::cluster) {
    const int launched = static_cast<int>(std::bit_ceil(static_cast<unsigned>(plan.blocks)));
    if (launched > limits.cluster_blocks || launched > most) return "the cluster is too large";
    if (plan.blocks < 2) return "a cluster of one";
    if (plan.rows > policy.quick_rows) return "cluster blocks must be quick";
  }
  return "";
}

/// Around powers of two and of three, and at random, up to 2^40.
std::vector<std::int64_t> counts() {
  std::set<std::int64_t> result;
  for (std::int64_t power = 1; power <= std::int64_t{1} << 40; power *= 2)
    for (const std::int64_t off : {-1, 0, 1})
      for (const std::int64_t count : {power + off, power / 2 * 3 + off})
        if (count > 0) result.insert(count);
  wf_test::random_source source(3);
  for (int i = 0; i < 1000; ++i) result.insert(1 + source.below(std::int64_t{1} << (1 + source.below(40))));
  return {result.begin(), result.end()};
}

class reduce_plans : public testing::TestWithParam<reduce_limits> {};

TEST_P(reduce_plans, covers_the_items_within_what_the_kernels_can_do) {
  for (const problem_kind& kind : kinds)
    for (const int max_blocks : {0, 1, 2, 3, 7, 100, 1 << 30})
      for (const std::int64_t items : counts()) {
        const reduce_plan plan = reduction::plan_reduce(GetParam(), items, kind.chunk_items, kind.policy,
                                                        kind.accumulator_bytes, max_blocks);
        ASSERT_EQ(problem(plan, GetParam(), items, kind, max_blocks), "")
            << items << " items of " << kind.name << ", max_blocks " << max_blocks;
      }
}

TEST_P(reduce_plans, grows_with_the_items) {
  for (const problem_kind& kind : kinds)
    for (const int max_blocks : {0, 7}) {
      reduce_plan before =
          reduction::plan_reduce(GetParam(), 1, kind.chunk_items, kind.policy, kind.accumulator_bytes, max_blocks);
      for (const std::int64_t items : counts()) {
        const reduce_plan plan = reduction::plan_reduce(GetParam(), items, kind.chunk_items, kind.policy,
                                                        kind.accumulator_bytes, max_blocks);
        ASSERT_GE(plan.shape, before.shape) << items << " items of " << kind.name;
        const bool lower_tiles = plan.rows * plan.block_warps < before.rows * before.block_warps;
        ASSERT_FALSE(plan.shape == before.shape && lower_tiles) << items << " items of " << kind.name;
        before = plan;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(devices, reduce_plans, testing::ValuesIn(devices), [](const auto& info) {
  const reduce_limits& d = info.param;
  return std::to_string(d.multiprocessors) + "x" + std::to_string(d.blocks_per_multiprocessor) + "blocks_clusters" +
         std::to_string(d.cluster_blocks);
});

TEST(reduce_shapes, chooses_the_shape_by_the_size) {
  const reduce_limits h100{132, 2, 16}, no_clusters{132, 2, 1};
  const auto shape = [](const reduce_limits& limits, std::int64_t items, int max_blocks = 0) {
    return reduction::plan_reduce(limits, items, 4, kinds[0].policy, 4, max_blocks).shape;
  };
  EXPECT_EQ(shape(h100, 1), reduce_shape::block);
  EXPECT_EQ(shape(h100, 1 << 13), reduce_shape::block) << "512 threads, four rows of four floats";
  EXPECT_EQ(shape(h100, (1 << 13) + 1), reduce_shape::cluster);
  EXPECT_EQ(shape(h100, 1 << 17), reduce_shape::cluster);
  EXPECT_EQ(shape(h100, (1 << 17) + 1), reduce_shape::wave);
  EXPECT_EQ(shape(h100, 264 << 14), reduce_shape::wave) << "a tile of eight rows on each block";
  EXPECT_EQ(shape(h100, (264 << 14) + 1), reduce_shape::shares);
  EXPECT_EQ(shape(h100, std::int64_t{1} << 40), reduce_shape::shares);
  EXPECT_EQ(shape(no_clusters, (1 << 13) + 1), reduce_shape::wave);
  EXPECT_EQ(shape(h100, 1 << 17, 1), reduce_shape::shares) << "one block, several tiles";
}

TEST(reduce_shapes, small_inputs_take_small_blocks) {
  const reduce_limits h100{132, 2, 16};
  for (const auto& [items, warps, rows] :
       {std::tuple{1, 1, 1}, {128, 1, 1}, {129, 2, 1}, {2048, 16, 1}, {2049, 16, 2}}) {
    const reduce_plan plan = reduction::plan_reduce(h100, items, 4, kinds[0].policy, 4);
    EXPECT_EQ(plan.block_warps, warps) << items;
    EXPECT_EQ(plan.rows, rows) << items;
    EXPECT_EQ(plan.schedule.units, 1) << items;
  }
}

TEST(reduce_policy, keeps_to_the_hardware) {
  for (const problem_kind& kind : kinds) {
    const reduction::kernel_policy& p = kind.policy;
    EXPECT_EQ(p.block_threads % warp_lanes, 0) << kind.name;
    EXPECT_LE(p.block_threads * p.blocks_per_multiprocessor, 1024) << kind.name << ": 64 registers a thread";
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(p.block_warps()))) << kind.name;
    EXPECT_LE(p.share_threads * p.share_blocks_per_multiprocessor, 1024) << kind.name;
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(p.share_warps()))) << kind.name;
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(p.max_rows))) << kind.name;
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(p.share_rows))) << kind.name;
    EXPECT_LE(p.quick_rows, p.max_rows) << kind.name;
  }
}

}  // namespace
