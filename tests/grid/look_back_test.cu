// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts before a tile: with words in every state that tiles leave them in, and while tiles are under way.
#include <warpfold/grid/look_back.cuh>

#include <gtest/gtest.h>

#include <vector>

#include "../common/device.cuh"
#include "../common/random_items.hpp"

namespace {

namespace wf = warpfold;
using counts = wf::grid::tile_counts;

__global__ void before_kernel(unsigned* words, int tile, int* result) { result[threadIdx.x] = counts{words}.before(tile); }

TEST(LookBack, AddsUpToTheFirstWordThatSaysAll) {
  wf_test::random_source source(1);
  for (int turn = 0; turn < 100; ++turn) {
    const int tiles = static_cast<int>(source.below(turn % 2 ? 10 : 200));
    std::vector<unsigned> words;
    int sum = 0;
    const std::int64_t density = 1 + source.below(70);
    for (int t = 0; t < tiles; ++t) {
      const int own = static_cast<int>(source.below(5000));
      sum += own;
      const bool through = t == 0 || source.below(density) == 0;
      words.push_back(static_cast<unsigned>(through ? sum : own) << 2 | (through ? counts::through : counts::own));
    }
    wf_test::device_array<unsigned> device_words(words);
    const wf_test::device_array<int> result(32);
    wf_test::launch_and_wait(&before_kernel, 1, 32, 0, device_words.data(), tiles, result.data());
    EXPECT_EQ(result.to_host(), std::vector<int>(32, sum)) << tiles << " tiles";
  }
}

TEST(LookBack, HoldsCountsOf30Bits) {
  constexpr int most = (1 << 30) - 1;
  const wf_test::device_array<unsigned> words(std::vector<unsigned>{unsigned{most} << 2 | counts::through});
  const wf_test::device_array<int> result(32);
  wf_test::launch_and_wait(&before_kernel, 1, 32, 0, words.data(), 1, result.data());
  EXPECT_EQ(result.value(), most);
}

/// Each block takes tiles in order, and counts tile t as t % 7.
__global__ void tiles_kernel(unsigned* next, unsigned* words, int tiles, int* results) {
  for (;;) {
    unsigned taken = threadIdx.x == 0 ? atomicAdd(next, 1u) : 0;
    const int tile = static_cast<int>(__shfl_sync(wf::full_warp, taken, 0));
    if (tile >= tiles) return;
    const counts all{words};
    if (threadIdx.x == 0) all.publish(tile, counts::own, tile % 7);
    const int before = all.before(tile);
    if (threadIdx.x == 0) all.publish(tile, counts::through, before + tile % 7);
    if (threadIdx.x == 0) results[tile] = before;
  }
}

TEST(LookBack, WhileTilesAreUnderWay) {
  constexpr int tiles = wf_test::emulated ? 300 : 30'000;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const wf_test::schedule_seed scheduled(seed);
    const wf_test::device_array<unsigned> next(std::vector<unsigned>{0}), words(std::vector<unsigned>(tiles, 0));
    const wf_test::device_array<int> results(tiles);
    wf_test::launch_and_wait(&tiles_kernel, 1 + static_cast<int>(seed) * (wf_test::emulated ? 1 : 60), 32, 0, next.data(), words.data(), tiles, results.data());
    const auto found = results.to_host();
    int sum = 0;
    for (int t = 0; t < tiles; sum += t++ % 7) ASSERT_EQ(found[static_cast<std::size_t>(t)], sum) << "tile " << t << ", seed " << seed;
  }
}

}  // namespace
