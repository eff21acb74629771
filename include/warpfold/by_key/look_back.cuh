// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many heads lie before a tile: decoupled look-back (Merrill and Garland 2016) in two levels.
//
// - Each tile publishes the number of its own heads at once, and adds it to the sum of its group of 32 tiles.
// - The last tile of a group publishes the number of heads through the group's end as soon as it is known.
// - A tile looks back over the tiles before it in its group, then over the groups before that one, from right to left,
//   until a group knows the number through its end. With hundreds of tiles in flight, these are two lines of memory.
//
// Only integers are added up in this way, since their sum is the same in any order. A tile waits for earlier tiles
// only, and tiles begin in order; so the earliest tile in flight never waits.
#pragma once
#include <cstdint>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/published.cuh>
#include <warpfold/by_key/policy.hpp>
#include <warpfold/operators.hpp>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {

/// The counts of `Tiles` tiles. All words are zero at first. A tile has fewer than 2^20 heads, an epoch fewer than
/// 2^31.
template <int Tiles> struct tile_counts {
  static constexpr int lookback_window = tiles_per_group, log_group = log2_of(lookback_window),
                       groups = (Tiles - 1) / lookback_window + 1;
  static_assert(lookback_window == warp_lanes);

  unsigned own[Tiles];       ///< 2 n + 1 where the tile has n heads
  unsigned sums[groups];     ///< 2^26 m + n where m tiles of the group have published n heads in all
  unsigned through[groups];  ///< 2 n + 1 where n heads lie before the group's end

  /// Publishes that the tile has `count` heads. One thread calls it. Without groups, nobody reads the words of groups,
  /// and they stay zero. The first tile of a part also arrives for those of its group before it, which have no items.
  __device__ void publish_own(int tile, int count, bool has_groups, bool is_first = false) {
    arch::publish(own + tile, encoded(count));
    const unsigned arrivals = is_first ? 1u + static_cast<unsigned>(tile & (lookback_window - 1)) : 1u;
    if (has_groups) atomicAdd(sums + (tile >> log_group), arrivals * arrival + static_cast<unsigned>(count));
  }
  /// Publishes that `count` heads lie before the tile's end, if the tile is the last of its group. One thread calls it.
  __device__ void publish_through(int tile, int count, bool has_groups) {
    if (has_groups && (tile & (lookback_window - 1)) == lookback_window - 1)
      arch::publish(through + (tile >> log_group), encoded(count));
  }

  /// The number of heads in the tiles before `tile`, from tile `first` on. One warp calls it; valid in every lane.
  __device__ int before(int tile, int first = 0) {
    const int lane = arch::lane_id(), group = tile >> log_group, rank = tile & (lookback_window - 1);
    int sum = 0;
    for (int right = group;; right -= warp_lanes) {
      const bool has_tile = right == group && lane < rank && (first == 0 || tile - rank + lane >= first);
      const int other = right - 1 - lane;  // a group further left
      unsigned reached, needed, tile_word, through_word, sum_word;
      for (;; arch::pause()) {
        tile_word = has_tile ? arch::observe(own + tile - rank + lane) : encoded(0);
        through_word = other >= first >> log_group ? arch::observe(through + other) : encoded(0);
        sum_word = other >= first >> log_group ? arch::observe(sums + other) : 0;
        reached = __ballot_sync(full_warp, through_word != 0);
        needed = reached ^ (reached - 1);  // the lanes up to the first that knows all; without one, every lane
        const bool is_whole = through_word != 0 || sum_word >= lookback_window * arrival;
        if (__all_sync(full_warp, tile_word != 0 && (is_whole || !(needed >> lane & 1)))) break;
      }
      int count = static_cast<int>(tile_word >> 1);
      if (needed >> lane & 1) count += static_cast<int>(through_word != 0 ? through_word >> 1 : sum_word % arrival);
      sum += warp::all_reduce(count, plus{});
      if (reached) return sum;
    }
  }

  /// Whether the word of `tile` can be seen.
  __device__ bool has_own(int tile) { return arch::observe(own + tile) != 0; }
  /// Whether all words that the `members` tiles of `group` wrote for it can be seen.
  __device__ bool has_group(int group, int members) {
    const unsigned sum = arch::observe(sums + group), end = arch::observe(through + group);
    return (sum >= static_cast<unsigned>(members) * arrival) & ((end != 0) | (members < lookback_window));
  }
  /// Clears the word of `tile`, which no other tile reads any more. The thread that has seen it calls this.
  __device__ void clear_own(int tile) { arch::publish(own + tile, 0); }
  /// Clears the words of the groups of the first `count` tiles, which no other warp reads any more. The warp whose lane
  /// k has seen those of groups k, k + 32, … calls it, or a warp that acquires from the warps that have.
  __device__ void clear_groups(int count) {
    const int groups_used = (count - 1) / lookback_window + 1;
    for (int i = arch::lane_id(); i < groups_used; i += warp_lanes)
      arch::publish(sums + i, 0), arch::publish(through + i, 0);
  }

 private:
  static constexpr unsigned arrival = 1u << 26;
  static_assert(lookback_window * std::uint64_t{arrival} <= std::uint64_t{1} << 31);

  __device__ static constexpr unsigned encoded(int count) { return 2 * static_cast<unsigned>(count) + 1; }
};

/// Finds by look-back where the runs of tile `number` are written, and publishes what follows for later tiles. One warp
/// calls it.
template <class Summary, class Counts, class Schedule>
__device__ void find_place(Summary& tile, Counts& counts, const Schedule& schedule, int number) {
  const int place = schedule.place_of(number),
            before = counts.before(place, schedule.first_place(schedule.epoch_of(number)));
  if (arch::lane_id() == 0) {
    tile.before = before;
    counts.publish_through(place, before + tile.all_heads(), schedule.has_groups());
  }
}

/// Publishes the heads of a tile, `place` in its epoch. One thread calls it.
template <class Schedule, class Counts>
__device__ void publish_heads(Counts& counts, const Schedule& schedule, int tile, int place, int heads) {
  counts.publish_own(place, heads, schedule.has_groups(), Schedule::is_part && tile == schedule.first_tile);
}

}  // namespace warpfold::by_key
