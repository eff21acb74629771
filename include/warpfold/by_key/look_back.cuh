// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many heads lie before a tile, while other blocks still count theirs (single-pass look-back, Merrill and Garland 2016, in
// two levels). Each tile tells its own number at once, and adds it to that of its group of 32; the last one of a group tells
// the number through the group's end as soon as it knows it. Who wants to know adds up the tiles before it in its group, and
// the groups before that, from right to left, until one says all: a look at two lines of memory, where hundreds of tiles are
// under way. Only integers travel that way: they add up to the same in any order. Tiles wait for earlier ones only, and are
// begun in order, so there is always one that need not wait.
#pragma once
#include <cstdint>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/published.cuh>
#include <warpfold/by_key/policy.hpp>
#include <warpfold/operators.hpp>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {

/// Words of `Tiles` tiles, all zero before. A tile has less than 2^20 heads, all together less than 2^31.
template <int Tiles> struct tile_counts {
  static constexpr int group_tiles = tile_group, log_group = log2_of(group_tiles),
                       groups = (Tiles - 1) / group_tiles + 1;
  static_assert(group_tiles == warp_lanes);

  unsigned own[Tiles];       ///< 2 n + 1: a tile has n heads
  unsigned sums[groups];     ///< 2^26 m + n: m of a group's tiles have told their numbers, n together
  unsigned through[groups];  ///< 2 n + 1: n heads through the group's end

  /// Tells that the tile has `count` heads. By one thread.
  __device__ void tell_own(int tile, int count) {
    arch::publish(own + tile, said(count));
    atomicAdd(sums + (tile >> log_group), arrival + static_cast<unsigned>(count));
  }
  /// Tells that `count` heads lie through the tile's end, which matters only of a group's last one. By one thread.
  __device__ void tell_through(int tile, int count) {
    if ((tile & (group_tiles - 1)) == group_tiles - 1) arch::publish(through + (tile >> log_group), said(count));
  }

  /// The number of heads in the tiles before `tile`. By one warp; valid in every lane.
  __device__ int before(int tile) {
    const int lane = arch::lane_id(), group = tile >> log_group, rank = tile & (group_tiles - 1);
    int sum = 0;
    for (int right = group;; right -= warp_lanes) {
      const bool has_tile = right == group && lane < rank;
      const int other = right - 1 - lane;  // a group further left
      unsigned reached, needed, tile_word, through_word, sum_word;
      for (;; arch::pause()) {
        tile_word = has_tile ? arch::observe(own + tile - rank + lane) : said(0);
        through_word = other >= 0 ? arch::observe(through + other) : said(0);
        sum_word = other >= 0 ? arch::observe(sums + other) : 0;
        reached = __ballot_sync(full_warp, through_word != 0);
        needed = reached ^ (reached - 1);  // the lanes up to the first that says all; without one, every lane
        const bool is_whole = through_word != 0 || sum_word >= group_tiles * arrival;
        if (__all_sync(full_warp, tile_word != 0 && (is_whole || !(needed >> lane & 1)))) break;
      }
      int count = static_cast<int>(tile_word >> 1);
      if (needed >> lane & 1) count += static_cast<int>(through_word != 0 ? through_word >> 1 : sum_word % arrival);
      sum += warp::all_reduce(count, plus{});
      if (reached) return sum;
    }
  }

  /// All words of the first `count` tiles zero again. By one warp, when nobody looks at them.
  __device__ void clear(int count) {
    const int lane = arch::lane_id(), told_groups = (count - 1) / group_tiles + 1;
    for (int i = lane; i < count; i += warp_lanes) own[i] = 0;
    for (int i = lane; i < told_groups; i += warp_lanes) sums[i] = through[i] = 0;
  }

 private:
  static constexpr unsigned arrival = 1u << 26;
  static_assert(group_tiles * std::uint64_t{arrival} <= std::uint64_t{1} << 31);

  __device__ static constexpr unsigned said(int count) { return 2 * static_cast<unsigned>(count) + 1; }
};

}  // namespace warpfold::by_key
