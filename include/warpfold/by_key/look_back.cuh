// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of heads before a tile, while other blocks still count theirs: decoupled look-back (D. Merrill and
// M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016) in two levels. A tile publishes its
// aggregate, its own number of heads, at once, and adds it to the sum of its window of 32 tiles. The last tile of a
// window publishes the inclusive prefix, the number of heads through the window's end, as soon as it knows it. A tile
// that looks back adds the aggregates before it in its window and the sums of the windows before that, from right to
// left, up to the first window with an inclusive prefix. So it reads two cache lines where hundreds of tiles are in
// flight. Only integers travel that way: any order of additions gives the same sum. A tile depends on earlier tiles
// only, and tiles begin in order, so some tile can always proceed.
#pragma once
#include <cstdint>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/published.cuh>
#include <warpfold/by_key/policy.hpp>
#include <warpfold/operators.hpp>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {

/// The words of `Tiles` tiles, all zero at first. A tile has fewer than 2^20 heads, all tiles together fewer than 2^31.
template <int Tiles> struct tile_counts {
  static constexpr int log_window = log2_of(lookback_window), windows = (Tiles - 1) / lookback_window + 1;
  static_assert(lookback_window == warp_lanes);

  unsigned aggregates[Tiles];            ///< 2 n + 1: the tile has n heads
  unsigned window_sums[windows];         ///< 2^26 m + n: m tiles of the window have n heads together
  unsigned inclusive_prefixes[windows];  ///< 2 n + 1: there are n heads through the window's end

  /// Publishes that the tile has `count` heads. By one thread.
  __device__ void publish_aggregate(int tile, int count) {
    arch::publish(aggregates + tile, published(count));
    atomicAdd(window_sums + (tile >> log_window), arrival + static_cast<unsigned>(count));
  }
  /// Publishes that there are `count` heads through the tile's end if the tile is the last of its window. By one
  /// thread.
  __device__ void publish_inclusive_prefix(int tile, int count) {
    if ((tile & (lookback_window - 1)) == lookback_window - 1)
      arch::publish(inclusive_prefixes + (tile >> log_window), published(count));
  }

  /// The number of heads in the tiles before `tile`. By one warp; valid in every lane.
  __device__ int before(int tile) {
    const int lane = arch::lane_id(), window = tile >> log_window, rank = tile & (lookback_window - 1);
    int sum = 0;
    for (int right = window;; right -= warp_lanes) {
      const bool has_tile = right == window && lane < rank;
      const int other = right - 1 - lane;  // a window further left
      unsigned with_prefix, needed, tile_word, prefix_word, sum_word;
      for (;; arch::pause()) {
        tile_word = has_tile ? arch::observe(aggregates + tile - rank + lane) : published(0);
        prefix_word = other >= 0 ? arch::observe(inclusive_prefixes + other) : published(0);
        sum_word = other >= 0 ? arch::observe(window_sums + other) : 0;
        with_prefix = __ballot_sync(full_warp, prefix_word != 0);
        needed = with_prefix ^ (with_prefix - 1);  // the lanes up to the first with a prefix; without one, every lane
        const bool is_known = prefix_word != 0 || sum_word >= lookback_window * arrival;
        if (__all_sync(full_warp, tile_word != 0 && (is_known || !(needed >> lane & 1)))) break;
      }
      int count = static_cast<int>(tile_word >> 1);
      if (needed >> lane & 1) count += static_cast<int>(prefix_word != 0 ? prefix_word >> 1 : sum_word % arrival);
      sum += warp::all_reduce(count, plus{});
      if (with_prefix) return sum;
    }
  }

  /// Makes all words of the first `count` tiles zero again. By one warp, when no warp reads them any more.
  __device__ void clear(int count) {
    const int lane = arch::lane_id(), used_windows = (count - 1) / lookback_window + 1;
    for (int i = lane; i < count; i += warp_lanes) aggregates[i] = 0;
    for (int i = lane; i < used_windows; i += warp_lanes) window_sums[i] = inclusive_prefixes[i] = 0;
  }

 private:
  static constexpr unsigned arrival = 1u << 26;
  static_assert(lookback_window * std::uint64_t{arrival} <= std::uint64_t{1} << 31);

  __device__ static constexpr unsigned published(int count) { return 2 * static_cast<unsigned>(count) + 1; }
};

}  // namespace warpfold::by_key
