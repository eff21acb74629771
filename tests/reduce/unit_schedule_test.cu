// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways of all blocks through the tiles: every tile once, each announced as the next one of the tile before it, in
// rounds and units that are nodes; and share_kernel under schedules that plans choose for large inputs only.
#include <warpfold/reduce/unit_schedule.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce/dispatch.cuh>

#include "common/device.cuh"
#include "common/samples.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using wf::reduction::unit_schedule;

struct visit {
  int count, block, unit, round, is_announced, ends_round, ends_unit, is_last_turn;
};

/// Block b of one warp writes down where it comes.
template <int RoundLevel> __global__ void walk_kernel(unit_schedule schedule, unsigned* counter, visit* visits) {
  using walk_type = wf::reduction::tile_walk<RoundLevel>;
  walk_type walk(schedule, counter, threadIdx.x == 0, wf::arch::dynamic_shared<typename walk_type::storage>());
  std::int64_t announced = walk.tile();
  int turns = 0;
  while (walk.exists()) {
    walk.draw();
    if (threadIdx.x == 0) {
      visit& own = visits[walk.tile()];
      atomicAdd(&own.count, 1);
      own.block = static_cast<int>(blockIdx.x);
      own.unit = walk.unit();
      own.round = static_cast<int>(walk.round());
      own.is_announced = announced == walk.tile();
      own.ends_round = walk.ends_round();
      own.ends_unit = walk.ends_unit();
      own.is_last_turn = walk.turn() == turns % 2;
    }
    __syncwarp();
    announced = walk.next_tile();
    if (!walk.ends_round()) {
      walk.advance();
      continue;
    }
    walk.show();
    __syncthreads();
    walk.advance_round();
    ++turns;
  }
}

template <int RoundLevel> void check_walk(int tiles, int blocks, int level, bool draws) {
  SCOPED_TRACE(testing::Message() << tiles << " tiles on " << blocks << " blocks, units of 2^" << level
                                  << ", rounds of 2^" << RoundLevel << (draws ? ", drawn" : ""));
  const unit_schedule schedule{tiles, ((tiles - 1) >> level) + 1, level, draws};
  const wf_test::device_array<unsigned> counter(std::vector<unsigned>{0});
  const wf_test::device_array<visit> visits(std::vector<visit>(static_cast<std::size_t>(tiles)));
  wf_test::launch_and_wait(&walk_kernel<RoundLevel>, std::min(blocks, schedule.units), wf::warp_lanes,
                           sizeof(typename wf::reduction::tile_walk<RoundLevel>::storage), schedule, counter.data(),
                           visits.data());
  const auto seen = visits.to_host();
  EXPECT_EQ(counter.value(), 0u);
  const int round_level = std::min(level, RoundLevel);
  for (int tile = 0; tile < tiles; ++tile) {
    const visit& own = seen[static_cast<std::size_t>(tile)];
    const auto ends = [&](int of_level) { return tile + 1 == tiles || (tile + 1) % (1 << of_level) == 0; };
    ASSERT_EQ(own.count, 1) << tile;
    ASSERT_TRUE(own.is_announced) << tile;
    ASSERT_TRUE(own.is_last_turn) << tile;
    ASSERT_EQ(own.unit, tile >> level);
    ASSERT_EQ(own.round, tile >> round_level << round_level);
    ASSERT_EQ(own.ends_round, ends(round_level)) << tile;
    ASSERT_EQ(own.ends_unit, ends(level)) << tile;
    ASSERT_EQ(own.block, seen[static_cast<std::size_t>(tile >> level << level)].block) << "one block takes a unit";
    if (!draws) {
      ASSERT_EQ(own.block, own.unit % blocks);
    }
  }
}

TEST(tile_walk, takes_every_tile_once) {
  for (const bool draws : {false, true})
    for (const int blocks : {1, 2, 3, 7})
      for (const int level : {0, 1, 3, 4, 6})
        for (const int tiles : {1, 2, 7, 8, 9, 63, 64, 65, 500}) {
          check_walk<0>(tiles, blocks, level, draws);
          check_walk<3>(tiles, blocks, level, draws);
        }
}

/// share_kernel over leaves that are hashes, by a schedule of the caller's.
template <class Hash> void check_kernel(int tiles, int missing, int blocks, int level, bool draws) {
  SCOPED_TRACE(testing::Message() << tiles << " tiles on " << blocks << " blocks, units of 2^" << level
                                  << (draws ? ", drawn" : ""));
  using source = wf::thread::pointer_source<Hash, 1>;
  using leaves = wf::thread::leaves<source, wf::thread::no_transform, Hash>;
  constexpr auto policy = wf::reduction::policy_of<leaves>;
  constexpr int tile_items = policy.share_threads * policy.share_rows;
  const auto items = wf_test::hash_items<Hash>(tiles * tile_items - missing);
  const wf_test::device_array<Hash> in(items), out(1), partials(((tiles - 1) >> level) + 1);
  const wf_test::device_array<unsigned> control(std::vector<unsigned>{0, 0});
  const unit_schedule schedule{tiles, static_cast<int>(partials.count()), level, draws};
  const wf::reduction::reduce_arguments<leaves, wf_test::hash_pair, Hash*> arguments{
      {{in.data(), in.count()}, {}}, {}, out.data(), {}, {schedule, 0, 0}, partials.data(), control.data()};
  wf_test::launch_and_wait(&wf::reduction::share_kernel<leaves, wf_test::hash_pair, Hash*>,
                           std::min(blocks, schedule.units), policy.share_threads,
                           sizeof(wf::reduction::share_kernel_storage<leaves>), arguments);
  EXPECT_EQ(out.value(), wf::canonical_tree::replay(items.data(), in.count(), wf_test::hash_pair{}));
  EXPECT_EQ(control.to_host(), (std::vector<unsigned>{0, 0})) << "control words are zero again";
}

TEST(share_kernel, folds_the_canonical_tree_under_any_schedule) {
  std::int64_t number = 0;
  for (const bool draws : {false, true})
    for (const int level : {0, 1, 3, 4, 5}) {
      if (wf_test::in_sample(number++)) check_kernel<wf_test::tree_hash<16, 16>>(70, 0, 3, level, draws);
      if (wf_test::in_sample(number++)) check_kernel<wf_test::tree_hash<16, 16>>(41, 1234, 2, level, draws);
      if (wf_test::in_sample(number++)) check_kernel<wf_test::tree_hash<200, 8>>(19, 50, 2, level, draws);
    }
}

}  // namespace
