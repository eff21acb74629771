// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the carries of tiles in the tree's order, although blocks finish tiles in any order. The warp that has the last
// tile of a group of 32 joins the group, the warp that has the last of 32 groups joins these, and so on up to the
// epoch. A tile depends on earlier tiles only, and the warp does other work until their carries have arrived. Epochs
// use the same scratch words, so the blocks of an epoch wait for the epoch before.
#pragma once
#include <warpfold/by_key/carry_messages.cuh>
#include <warpfold/by_key/join_run_carries.cuh>
#include <warpfold/by_key/look_back.cuh>
#include <warpfold/by_key/tile_epochs.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {

/// Words that are zero before the grid starts and after it ends. The carries lie behind them, and are zero too.
struct alignas(16) by_key_control {
  unsigned next_tile;
  unsigned epochs_done;
  alignas(16) tile_counts<epoch_tiles(1)> counts;
};

/// Scratch that outlasts an epoch.
template <class A> struct epoch_scratch {
  std::int64_t heads;  ///< in all finished epochs
  struct {
    run_carry<A> runs;
    std::int64_t before;
  } pending[48];  ///< a binary counter: bit j of the number of finished epochs tells whether entry j holds 2^j epochs
};

template <class A> struct by_key_scratch {
  by_key_control* control;
  carry_messages<A>* carries;  ///< of an epoch's tiles, of groups of these, and so on
  epoch_scratch<A>* epochs;
};

/// A group that a warp is to join: up to 32 neighbouring tiles, or groups, of which number `place` is the last.
template <class A> struct pending_join {
  int place = -1;                      ///< -1 if no group is pending
  int tiles = 0;                       ///< tiles, or groups, of the epoch
  carry_messages<A>* carry = nullptr;  ///< their carries

  /// Whether a tile, or group, is the last one of its group, so that its warp joins the group.
  __device__ static bool completes_group(int own_place, int epoch_tiles) {
    return (own_place & (warp_lanes - 1)) == warp_lanes - 1 || own_place == epoch_tiles - 1;
  }
  /// Makes the group of this tile, or group, the pending one. No other group may be pending.
  __device__ void add(carry_messages<A>* carries, int own_place, int epoch_tiles) {
    place = own_place, tiles = epoch_tiles, carry = carries;
  }
  /// Joins the pending group if its carries have arrived, or waits for them if `waits`; then the group of that group,
  /// and so on. Returns whether that completes the epoch; then `own` is the epoch's carry, valid in lane 0. Calls
  /// close(number of the run in the epoch, value) for each run that it completes. All lanes call it.
  template <class Op, class Close>
  __device__ bool join(bool waits, placed_carry<A>& own, const carry_joiner<Op, A>& joiner, Close close) {
    static_assert(tiles_per_group == warp_lanes);
    constexpr int log_group = log2_of(warp_lanes);
    const int lane = arch::lane_id();
    while (place >= 0) {
      const int rank = place & (warp_lanes - 1);
      auto& message = carry[place - rank + least_of(lane, rank)];
      own = {joiner.none(), 0};
      while (!__all_sync(full_warp, lane > rank || message.try_receive(own))) {
        if (!waits) return false;
        arch::pause();
      }
      arch::fence_after_arrivals();
      if (lane <= rank) message.clear();
      const heads_before heads{own.before, warp::all_reduce(own.runs.heads, plus{})};
      own.runs = join_carries(joiner, own.runs, heads, close);
      __syncwarp();
      const int group = place >> log_group, groups = ((tiles - 1) >> log_group) + 1;
      carry_messages<A>* const of_groups = carry + tiles;
      place = -1;
      if (groups == 1) return true;
      if (lane == 0) of_groups[group].send(own);
      if (completes_group(group, groups)) add(of_groups, group, groups);
    }
    return false;
  }
};

/// Pushes the carry `own` of epoch number `epoch` into the binary counter of epochs. Calls close(number of the run,
/// value) for each run that it completes. For the last epoch it returns the carry of all items. One thread calls it.
template <class A, class Op, class Close>
__device__ run_carry<A> push_epoch(epoch_scratch<A>& epochs, int epoch, bool is_last, run_carry<A> own,
                                   const carry_joiner<Op, A>& joiner, Close close) {
  std::int64_t before = epoch == 0 ? 0 : epochs.heads;
  epochs.heads = before + own.heads;
  own.heads = own.heads > 0;
  int level = 0;
  // An epoch joins the nodes that wait at its levels; the last epoch joins all nodes that wait.
  for (int n = epoch; is_last ? n != 0 : (n & 1) != 0; n >>= 1, ++level) {
    if (!(n & 1)) continue;
    own = joiner.join(epochs.pending[level].runs, own, [&](const A& across) { close(before - 1, across); });
    own.heads = own.heads > 0;
    before = epochs.pending[level].before;
  }
  if (!is_last) epochs.pending[level] = {own, before};
  return own;
}

}  // namespace warpfold::by_key
