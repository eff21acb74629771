// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins tiles, which are done in any order, in the tree's order: the warp with the last tile of a group of 32 neighbours
// joins these, the one with the last of 32 groups joins those, up to the lap. They want tiles before their own only, as who
// looks back does, and do something else until these are there. Laps of tiles follow one another: since they use the same
// words, their blocks wait for the lap before.
#pragma once
#include <warpfold/by_key/carry_messages.cuh>
#include <warpfold/by_key/join_run_carries.cuh>
#include <warpfold/by_key/look_back.cuh>
#include <warpfold/by_key/tile_epochs.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {

/// Words that are zero before the grid starts, and when it ends; so are the stretches behind them.
struct alignas(16) by_key_control {
  unsigned next_tile;
  unsigned laps_done;
  alignas(16) tile_counts<lap_tiles(1)> counts;
};

/// Scratch that outlasts a lap.
template <class A> struct lap_scratch {
  std::int64_t heads;  ///< in the laps done
  struct {
    open_runs<A> runs;
    std::int64_t before;
  } waiting[48];  ///< bit j of the number of laps done says whether 2^j laps wait here for their right sibling
};

template <class A> struct by_key_scratch {
  by_key_control* control;
  told_runs<A>* stretches;  ///< of a lap's tiles, of groups of these, and so on
  lap_scratch<A>* laps;
};

/// Tiles, or groups of them, that a warp is to join: those of a lap up to number `place`, the last one of its 32 neighbours.
template <class A> struct waiting_neighbours {
  int place = -1;                   ///< or none
  int tiles = 0;                    ///< or groups, of the lap
  told_runs<A>* stretch = nullptr;  ///< of each

  /// The warp that joins a tile to its neighbours is that of the last one among these.
  __device__ static bool are_joined_with(int own_place, int lap_tiles) {
    return (own_place & (warp_lanes - 1)) == warp_lanes - 1 || own_place == lap_tiles - 1;
  }
  /// Tells that the warp joins what this tile, or group, is joined with. There must be none to join.
  __device__ void add(told_runs<A>* stretches, int own_place, int lap_tiles) {
    place = own_place, tiles = lap_tiles, stretch = stretches;
  }
  /// Joins what there is to join, once all of it has been told: if `waits`, it waits for that. Returns whether that completes
  /// the lap, whose stretch is `own` then, in lane 0. Calls close(number of the run in the lap, value) as runs are complete.
  template <class Op, class Close>
  __device__ bool join(bool waits, bool is_last_lap, placed_runs<A>& own, const run_joiner<Op, A>& joiner,
                       Close close) {
    static_assert(tile_group == warp_lanes);
    constexpr int log_group = log2_of(warp_lanes);
    const int lane = arch::lane_id();
    while (place >= 0) {
      const int rank = place & (warp_lanes - 1);
      auto& told = stretch[place - rank + least_of(lane, rank)];
      own = {joiner.none(), 0};
      while (!__all_sync(full_warp, lane > rank || told.look(own))) {
        if (!waits) return false;
        arch::pause();
      }
      if (lane <= rank) told.clear();
      const heads_before heads{own.before, warp::all_reduce(own.runs.heads, plus{})};
      own.runs = join_runs(joiner, own.runs, heads, close);
      if (!is_last_lap) {  // the next lap's stretches come after what has been cleared
        __syncwarp();
        __threadfence();
      }
      const int group = place >> log_group, groups = ((tiles - 1) >> log_group) + 1;
      told_runs<A>* const of_groups = stretch + tiles;
      place = -1;
      if (groups == 1) return true;
      if (lane == 0) of_groups[group].tell(own);
      if (are_joined_with(group, groups)) add(of_groups, group, groups);
    }
    return false;
  }
};

/// Takes up lap number `lap`, whose stretch is `own`, after the laps before it. By one thread. Calls close(number of the run,
/// value). Of the last lap it returns the stretch of all items.
template <class A, class Op, class Close>
__device__ open_runs<A> push_lap(lap_scratch<A>& laps, int lap, bool is_last, open_runs<A> own,
                                 const run_joiner<Op, A>& joiner, Close close) {
  std::int64_t before = lap == 0 ? 0 : laps.heads;
  laps.heads = before + own.heads;
  own.heads = own.heads > 0;
  int level = 0;
  // A lap joins those that wait at its levels; the last one all that wait.
  for (int n = lap; is_last ? n != 0 : (n & 1) != 0; n >>= 1, ++level) {
    if (!(n & 1)) continue;
    own = joiner.join(laps.waiting[level].runs, own, [&](const A& across) { close(before - 1, across); });
    own.heads = own.heads > 0;
    before = laps.waiting[level].before;
  }
  if (!is_last) laps.waiting[level] = {own, before};
  return own;
}

}  // namespace warpfold::by_key
