// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last block's fold of all nodes against the canonical tree over the tiles.
#include <warpfold/reduce/fold_nodes.cuh>

#include <gtest/gtest.h>

#include <vector>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using hash = wf_test::tree_hash<8, 8>;
using wf::reduction::deal;
using wf::reduction::node_schedule;

/// Block b folds schedule b, whose partial results begin at first_slot[b].
template <class Storage>
__global__ void fold_kernel(const node_schedule* schedules, const std::int64_t* first_slot, const hash* partials,
                            hash* results) {
  auto& shared = wf::arch::dynamic_shared<Storage>();
  const hash root =
      wf::reduction::fold_nodes(shared, partials + first_slot[blockIdx.x], schedules[blockIdx.x], wf_test::hash_pair{});
  if (threadIdx.x == 0) results[blockIdx.x] = root;
}

/// What blocks leave in their slots: nodes in order of position.
void append_partials(const node_schedule& s, const std::vector<hash>& tiles, std::vector<hash>& partials) {
  std::int64_t tile = 0;
  const auto append = [&](std::int64_t node_tiles) {
    partials.push_back(wf::canonical_tree::replay(tiles.data() + tile, node_tiles, wf_test::hash_pair{}));
    tile += node_tiles;
  };
  for (int level = 62; level >= 0; --level)
    if (s.share >> level & 1)
      for (int block = 0; block < s.blocks; ++block) append(std::int64_t{1} << level);
  for (int i = 0; i < s.single_tiles; ++i) append(1);
}

template <int BlockThreads, int ListCapacity, int StagedCapacity>
void check(const std::vector<node_schedule>& schedules) {
  const auto tiles = wf_test::hash_items<hash>(20000);
  std::vector<hash> partials;
  std::vector<std::int64_t> first_slot;
  for (const node_schedule& s : schedules) {
    first_slot.push_back(std::ssize(partials));
    append_partials(s, tiles, partials);
    ASSERT_EQ(std::ssize(partials) - first_slot.back(), s.slots);
  }
  using storage = wf::reduction::fold_nodes_storage<hash, BlockThreads, ListCapacity, StagedCapacity>;
  const wf_test::device_array<node_schedule> on_device(schedules);
  const wf_test::device_array<std::int64_t> slots_on_device(first_slot);
  const wf_test::device_array<hash> partials_on_device(partials), results(std::ssize(schedules));
  wf_test::launch_and_wait(&fold_kernel<storage>, static_cast<int>(schedules.size()), BlockThreads, sizeof(storage),
                           on_device.data(), slots_on_device.data(), partials_on_device.data(), results.data());
  const auto roots = results.to_host();
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const node_schedule& s = schedules[i];
    const std::int64_t count = s.share * s.blocks + s.single_tiles;
    EXPECT_EQ(roots[i], wf::canonical_tree::replay(tiles.data(), count, wf_test::hash_pair{}))
        << count << " tiles on " << s.blocks << " blocks";
  }
}

/// Few and many tiles on 1 to `most_blocks` blocks.
std::vector<node_schedule> some_schedules(int most_blocks, std::uint64_t seed) {
  wf_test::random_source source(seed);
  std::vector<node_schedule> schedules;
  for (const int blocks : {1, 2, 3, 7, 8, 31, most_blocks - 1, most_blocks}) {
    for (const std::int64_t share : {0, 1, 2, 3, 4, 6, 13, 32}) {
      const std::int64_t tiles = share * blocks;
      if (tiles > 0) schedules.push_back(deal(tiles, false, blocks));
      schedules.push_back(deal(tiles, true, blocks));
      schedules.push_back(deal(tiles + blocks - 1, true, blocks));
    }
    for (int i = 0; i < 5; ++i)
      schedules.push_back(deal(source.below(500 * blocks < 20000 ? 500 * blocks : 19999), source() & 1, blocks));
  }
  return schedules;
}
std::vector<node_schedule> with_tiles(std::vector<node_schedule> schedules) {
  std::erase_if(schedules, [](const node_schedule& s) { return s.slots == 0; });
  return schedules;
}

TEST(FoldNodes, IsTheCanonicalTreeOverTheTiles) { check<128, 101, 4096>(with_tiles(some_schedules(100, 1))); }

TEST(FoldNodes, ReadsFromMemoryWhatIsTooMuchToStage) { check<128, 101, 50>(with_tiles(some_schedules(100, 2))); }

TEST(FoldNodes, JoinsMoreNodesThanItHasThreads) { check<32, 151, 300>(with_tiles(some_schedules(150, 3))); }

}  // namespace
