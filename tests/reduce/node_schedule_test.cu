// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The deal of tiles to blocks: every tile once, in order, in pieces that are nodes of the canonical tree, evenly.
#include <warpfold/reduce/node_schedule.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace {

using warpfold::reduction::deal;
using warpfold::reduction::node_schedule;

std::int64_t all_tiles(const node_schedule& s) { return s.share * s.blocks + s.single_tiles; }
/// Tiles that the blocks before `block` take.
__host__ __device__ std::int64_t tiles_before(const node_schedule& s, int block) {
  return s.share * block + (block < s.single_tiles ? block : s.single_tiles);
}

/// Of each schedule, what the blocks take in the order in which they take it, and the slots of what they make of it:
/// blocks * 32 to a schedule, of nodes by level, and then of single tiles by 31. `level` counts what is_level is wrong
/// about.
__global__ void list_kernel(const node_schedule* schedules, const std::int64_t* first_tile, std::int64_t* tiles,
                            std::int64_t* slots, int* level) {
  const node_schedule& s = schedules[blockIdx.x];
  std::int64_t* own_slots = slots + (blockIdx.x * blockDim.x + threadIdx.x) * 32;
  const int block = static_cast<int>(threadIdx.x);
  const int taken = s.tiles_of(block);
  for (int i = 0; i < taken; ++i) tiles[first_tile[blockIdx.x] + tiles_before(s, block) + i] = s.tile(block, i);
  for (int level = 0; level < 31; ++level) own_slots[level] = s.share >> level & 1 ? s.slot_of_node(block, level) : -1;
  own_slots[31] = block < s.single_tiles ? s.slot_of_single(block) : -1;
  if (s.is_level() != (__popcll(s.share) + (s.single_tiles > 0) == 1)) atomicAdd(level, 1);
}

/// What is wrong with a schedule, if anything. `tiles` and `slots` are those of list_kernel.
std::string problem(const node_schedule& s, const std::int64_t* tiles, const std::int64_t* slots) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces;  // first tile, slot
  std::vector<std::int64_t> sorted(tiles, tiles + all_tiles(s));
  for (int block = 0; block < s.blocks; ++block) {
    const std::int64_t* own = tiles + tiles_before(s, block);
    std::int64_t index = 0;
    for (int level = 30; level >= 0; --level)
      if (s.share >> level & 1) {
        const std::int64_t size = std::int64_t{1} << level;
        if (own[index] % size != 0) return "a piece is no node";
        for (std::int64_t i = 1; i < size; ++i)
          if (own[index + i] != own[index] + i) return "a node's tiles are not consecutive";
        if (index > 0 && own[index] <= own[index - 1]) return "a block's tiles do not ascend";
        pieces.push_back({own[index], slots[block * 32 + level]});
        index += size;
      }
    if (index != s.share) return "nodes are not the share";
    if (block < s.single_tiles) pieces.push_back({own[index], slots[block * 32 + 31]});
  }
  std::sort(sorted.begin(), sorted.end());
  for (std::int64_t tile = 0; tile < all_tiles(s); ++tile)
    if (sorted[static_cast<std::size_t>(tile)] != tile) return "a tile is lost or taken twice";
  std::sort(pieces.begin(), pieces.end());
  if (std::ssize(pieces) != s.slots) return "pieces are not the slots";
  for (std::int64_t i = 0; i < s.slots; ++i)
    if (pieces[static_cast<std::size_t>(i)].second != i) return "slots are not in order of position";
  return "";
}

void expect_sound(const std::vector<node_schedule>& schedules, int blocks) {
  std::vector<std::int64_t> first_tile{0};
  for (const node_schedule& s : schedules) first_tile.push_back(first_tile.back() + all_tiles(s));
  const wf_test::device_array<node_schedule> on_device(schedules);
  const wf_test::device_array<std::int64_t> first_on_device(first_tile), tiles(first_tile.back()),
      slots(std::ssize(schedules) * blocks * 32);
  const wf_test::device_array<int> level(std::vector<int>{0});
  wf_test::launch_and_wait(&list_kernel, static_cast<int>(schedules.size()), blocks, 0, on_device.data(),
                           first_on_device.data(), tiles.data(), slots.data(), level.data());
  EXPECT_EQ(level.value(), 0);
  const auto listed = tiles.to_host(), slotted = slots.to_host();
  for (std::size_t i = 0; i < schedules.size(); ++i)
    EXPECT_EQ(problem(schedules[i], listed.data() + first_tile[i],
                      slotted.data() + i * static_cast<std::size_t>(blocks) * 32),
              "")
        << all_tiles(schedules[i]) << " tiles on " << blocks << " blocks";
}

TEST(NodeSchedule, DealsEveryTileOnceInOrderInWholeNodes) {
  wf_test::random_source source(5);
  for (int blocks = 1; blocks <= 40; ++blocks) {
    std::vector<node_schedule> schedules;
    for (int tiles = 0; tiles <= 4 * blocks + 2; ++tiles)
      for (const bool partial : {false, true})
        if (tiles + partial > 0) schedules.push_back(deal(tiles, partial, blocks));
    for (int i = 0; i < 10; ++i) schedules.push_back(deal(source.below(4000), source() & 1, blocks));
    expect_sound(schedules, blocks);
  }
}

TEST(NodeSchedule, IsEvenToOneTile) {
  wf_test::random_source source(6);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t tiles = source.below(std::int64_t{1} << (1 + source.below(40)));
    const auto blocks = static_cast<int>(1 + source.below(2000));
    const bool partial = source() & 1;
    const node_schedule s = deal(tiles, partial, blocks);
    EXPECT_EQ(all_tiles(s), tiles + partial);
    EXPECT_GE(s.single_tiles, 0);
    EXPECT_LE(s.single_tiles, blocks) << "at most one single tile a block";
    EXPECT_EQ(s.share, tiles / blocks);
    EXPECT_LE(s.slots, std::int64_t{41} * blocks);
  }
}

/// Tiles at the ends of a large share, which lists would not hold.
__global__ void large_kernel(node_schedule s, std::int64_t* tiles) {
  const int share = static_cast<int>(s.share);
  tiles[0] = s.tile(0, 0);
  tiles[1] = s.tile(s.blocks - 1, share - 1);
  tiles[2] = s.tile(s.single_tiles - 1, share);
  tiles[3] = s.tile(1, 1 << 30);
  tiles[4] = s.slot_of_node(s.blocks - 1, 0);
  tiles[5] = s.slot_of_single(0);
}

TEST(NodeSchedule, CountsTo31BitsAShare) {
  constexpr int blocks = 1000;
  constexpr std::int64_t share = (std::int64_t{1} << 31) - 1;
  const node_schedule s = deal(share * blocks + 17, true, blocks);
  const wf_test::device_array<std::int64_t> tiles(6);
  wf_test::launch_and_wait(&large_kernel, 1, 1, 0, s, tiles.data());
  const std::int64_t top_region = (std::int64_t{1} << 30) * blocks;
  EXPECT_EQ(tiles.to_host(),
            (std::vector<std::int64_t>{0, share * blocks - 1, share * blocks + 17, top_region + (std::int64_t{1} << 29),
                                       31 * blocks - 1, 31 * blocks}));
}

}  // namespace
