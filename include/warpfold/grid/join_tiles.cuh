// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins tiles, which are done in any order, in the tree's order: the warp that completes a group of 32 neighbours joins
// these, the one that completes 32 groups joins those, up to the lap, and nobody waits. Laps of tiles follow one another:
// since they use the same words, their blocks wait for the lap before.
#pragma once
#include <warpfold/arch/published.cuh>
#include <warpfold/arch/ticket.cuh>
#include <warpfold/grid/look_back.cuh>
#include <warpfold/tuning/by_key_policy.hpp>
#include <warpfold/warp/fold_runs.cuh>

namespace warpfold::grid {

/// Words that are zero before the grid starts, and when it ends.
struct alignas(16) by_key_control {
  unsigned next_tile;
  unsigned laps_done;
  unsigned arrived[tuning::lap_groups];
  alignas(16) tile_counts<tuning::lap_tiles(1)> counts;
};
static_assert(sizeof(by_key_control) == tuning::by_key_control_bytes);

/// A tile's, or a group's, stretch, and the heads of the lap before it.
template <class A> struct placed_runs {
  thread::open_runs<A> runs;
  int before;
};

/// Scratch that outlasts a lap.
template <class A> struct lap_scratch {
  std::int64_t heads;  ///< in the laps done
  struct {
    thread::open_runs<A> runs;
    std::int64_t before;
  } waiting[48];  ///< bit j of the number of laps done says whether 2^j laps wait here for their right sibling
};

template <class A> struct by_key_scratch {
  by_key_control* control;
  placed_runs<A>* tiles;
  lap_scratch<A>* laps;
};

/// Tells that tile `index` of the lap's `tiles` is done, and stores its stretch, which lane 0 brings. The warp that completes
/// the lap gets true, and the lap's stretch in lane 0. Calls close(number of the run in the lap, value) as runs are complete.
template <class A, class Op, class Close>
__device__ bool arrive_tile(const by_key_scratch<A>& scratch, int index, int tiles, placed_runs<A>& own,
                            const thread::run_joiner<Op, A>& joiner, Close close) {
  constexpr int log_group = 5;
  static_assert(1 << log_group == tuning::tile_group && tuning::tile_group == warp_lanes);
  const int lane = arch::lane_id();
  unsigned* arrived = scratch.control->arrived;
  for (int level = 0; tiles > 1; ++level) {
    if (lane == 0) scratch.tiles[index << (log_group * level)] = own;
    const int group = index >> log_group, left = tiles - group * warp_lanes, members = left < warp_lanes ? left : warp_lanes;
    if (!arch::warp_completes(arrived + group, 1, members)) return false;
    own = {joiner.none(), 0};
    if (lane < members) own = scratch.tiles[(group * warp_lanes + lane) << (log_group * level)];
    own.runs = warp::join_runs(joiner, own.runs, own.before, close);
    arrived += (tiles - 1) / warp_lanes + 1;
    index = group;
    tiles = (tiles - 1) / warp_lanes + 1;
  }
  return true;
}

/// Takes up lap number `lap`, whose stretch is `own`, after the laps before it. By one thread. Calls close(number of the run,
/// value). Of the last lap it returns the stretch of all items.
template <class A, class Op, class Close>
__device__ thread::open_runs<A> push_lap(lap_scratch<A>& laps, std::int64_t lap, bool is_last, thread::open_runs<A> own,
                                         const thread::run_joiner<Op, A>& joiner, Close close) {
  std::int64_t before = lap == 0 ? 0 : laps.heads;
  laps.heads = before + own.heads;
  own.heads = own.heads > 0;
  int level = 0;
  // A lap joins those that wait at its levels; the last one all that wait.
  for (std::int64_t n = lap; is_last ? n != 0 : (n & 1) != 0; n >>= 1, ++level) {
    if (!(n & 1)) continue;
    own = joiner.join(laps.waiting[level].runs, own, [&](const A& across) { close(before - 1, across); });
    own.heads = own.heads > 0;
    before = laps.waiting[level].before;
  }
  if (!is_last) laps.waiting[level] = {own, before};
  return own;
}

}  // namespace warpfold::grid
