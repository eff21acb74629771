// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts before a tile: with words in every state that tiles leave them in, and while tiles are under way.
#include <warpfold/by_key/look_back.cuh>

#include <gtest/gtest.h>

#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace {

namespace wf = warpfold;
constexpr int most_tiles = wf_test::emulated ? 3072 : 32768;
using counts = wf::by_key::tile_counts<most_tiles>;

/// Words that earlier tiles have published; the word of a group only if the group's last tile has published its own.
struct message {
  int own, through;
};

__global__ void before_kernel(counts* all, const message* tiles, int tile, int* result) {
  if (threadIdx.x == 0)
    for (int t = 0; t < tile; ++t) {
      all->publish_own(t, tiles[t].own, true);
      if (tiles[t].through >= 0) all->publish_through(t, tiles[t].through, true);
    }
  __syncwarp();
  result[threadIdx.x] = all->before(tile);
  __syncwarp();
  for (int t = static_cast<int>(threadIdx.x); t <= tile; t += wf::warp_lanes) all->clear_own(t);
  all->clear_groups(tile + 1);
}

/// What a look sees of a group before one of its words is written, and afterwards. `missing` is the word's number.
__global__ void arrival_kernel(counts* all, int group, int members, int missing, int* answers) {
  const int first = group * wf::warp_lanes;
  const auto write = [&](int word) {
    if (word < members) all->publish_own(first + word, 3, true);
    if (word == wf::warp_lanes) all->publish_through(first + members - 1, 3 * (first + members), true);
  };
  const auto sees = [&] {
    bool sees_all = all->has_group(group, members);
    for (int t = first; t < first + members; ++t) sees_all &= all->has_own(t);
    return sees_all;
  };
  for (int word = 0; word <= wf::warp_lanes; ++word)
    if (word != missing) write(word);
  answers[0] = sees();
  write(missing);
  answers[1] = sees();
}

TEST(look_back, tells_when_a_group_has_written_its_words) {
  const wf_test::device_array<counts> all(1);
  const wf_test::device_array<int> answers(2);
  for (const int members : {32, 7, 1})
    for (const int missing : {0, 5, 31, 32}) {
      wf::check(cudaMemset(all.data(), 0, sizeof(counts)), "cudaMemset");
      wf_test::launch_and_wait(&arrival_kernel, 1, 1, 0, all.data(), 2, members, missing, answers.data());
      const bool is_written = missing < members || (missing == 32 && members == 32);
      EXPECT_EQ(answers.value(0), !is_written) << members << ' ' << missing;
      EXPECT_EQ(answers.value(1), 1) << members << ' ' << missing;
    }
}

TEST(look_back, adds_up_to_the_first_group_that_says_all) {
  wf_test::random_source source(1);
  const wf_test::device_array<counts> all(1);
  wf::check(cudaMemset(all.data(), 0, sizeof(counts)), "cudaMemset");
  for (int step = 0; step < 60; ++step) {  // with the words that the turn before has cleared
    const int tiles = static_cast<int>(source.below(step % 3 == 0 ? 40 : step % 3 == 1 ? 200 : most_tiles - 1));
    std::vector<message> words;
    int sum = 0;
    const std::int64_t density = 1 + source.below(2000);
    for (int t = 0; t < tiles; ++t) {
      const int own = static_cast<int>(source.below(5000));
      sum += own;
      words.push_back({own, source.below(density) == 0 ? sum : -1});
    }
    const wf_test::device_array<message> given(words);
    const wf_test::device_array<int> result(32);
    wf_test::launch_and_wait(&before_kernel, 1, 32, 0, all.data(), given.data(), tiles, result.data());
    EXPECT_EQ(result.to_host(), std::vector<int>(32, sum)) << tiles << " tiles";
  }
}

TEST(look_back, holds_as_many_heads_as_a_lap_has) {
  constexpr int tile_heads = 1 << 15, tiles = 96;  // far more than a tile has items
  const wf_test::device_array<counts> all(1);
  wf::check(cudaMemset(all.data(), 0, sizeof(counts)), "cudaMemset");
  const std::vector<message> words(tiles, {tile_heads, -1});
  const wf_test::device_array<message> given(words);
  const wf_test::device_array<int> result(32);
  wf_test::launch_and_wait(&before_kernel, 1, 32, 0, all.data(), given.data(), tiles, result.data());
  EXPECT_EQ(result.value(), tiles * tile_heads);
}

/// Each block takes tiles in order, and counts tile t as t % 7.
__global__ void tiles_kernel(unsigned* next, counts* all, int tiles, int* results) {
  for (;;) {
    unsigned taken = threadIdx.x == 0 ? atomicAdd(next, 1u) : 0;
    const int tile = static_cast<int>(__shfl_sync(wf::full_warp, taken, 0));
    if (tile >= tiles) return;
    if (threadIdx.x == 0) all->publish_own(tile, tile % 7, true);
    const int before = all->before(tile);
    if (threadIdx.x == 0) {
      all->publish_through(tile, before + tile % 7, true);
      results[tile] = before;
    }
  }
}

TEST(look_back, while_tiles_are_under_way) {
  constexpr int tiles = wf_test::emulated ? 400 : 30'000;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const wf_test::schedule_seed scheduled(seed);
    const wf_test::device_array<unsigned> next(std::vector<unsigned>{0});
    const wf_test::device_array<counts> all(1);
    wf::check(cudaMemset(all.data(), 0, sizeof(counts)), "cudaMemset");
    const wf_test::device_array<int> results(tiles);
    wf_test::launch_and_wait(&tiles_kernel, 1 + static_cast<int>(seed) * (wf_test::emulated ? 1 : 60), 32, 0,
                             next.data(), all.data(), tiles, results.data());
    const auto found = results.to_host();
    int sum = 0;
    for (int t = 0; t < tiles; sum += t++ % 7)
      ASSERT_EQ(found[static_cast<std::size_t>(t)], sum) << "tile " << t << ", seed " << seed;
  }
}

}  // namespace
