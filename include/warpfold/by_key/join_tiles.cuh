// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the run carries of tiles in the tree's order, although tiles end in any order. The warp with the last tile of a
// window of 32 neighbours joins that window, the warp with the last of 32 windows joins these, up to the epoch. A join
// depends on earlier tiles only, as look-back does, and a warp does other work until all carries have arrived. An epoch
// uses the scratch words of the epoch before it, so its blocks wait until that one is done.
#pragma once
#include <warpfold/by_key/carry_messages.cuh>
#include <warpfold/by_key/join_run_carries.cuh>
#include <warpfold/by_key/look_back.cuh>
#include <warpfold/by_key/tile_epochs.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {

/// Words that are zero before the grid starts and when it ends. So are the carries behind them.
struct alignas(16) by_key_control {
  unsigned next_tile;
  unsigned epochs_done;
  alignas(16) tile_counts<epoch_tiles(1)> counts;
};

/// What epochs hand over to later ones.
template <class A> struct epoch_scratch {
  std::int64_t heads;  ///< in the epochs done
  struct {
    run_carry<A> carry;
    std::int64_t heads_before;
  } pending[48];  ///< entry j is a node of 2^j epochs without its right sibling; it exists if bit j of the number of
                  ///< epochs done is set
};

template <class A> struct by_key_scratch {
  by_key_control* control;
  carry_messages<A>* carries;  ///< of an epoch's tiles, of its windows of tiles, of windows of windows, and so on
  epoch_scratch<A>* epochs;
};

/// A window that a warp has to join: the tiles, or windows of them, of an epoch up to number `last`.
template <class A> struct pending_window {
  int last = -1;                         ///< -1 if there is nothing to join
  int count = 0;                         ///< the number of tiles, or windows, in the epoch
  carry_messages<A>* carries = nullptr;  ///< of each of these

  /// Whether number `slot` of `count` is the last of its window: its warp joins the window.
  __device__ static bool is_last_of_window(int slot, int count) {
    return (slot & (lookback_window - 1)) == lookback_window - 1 || slot == count - 1;
  }
  /// Notes that the warp joins the window that ends with number `slot`. No other window may be pending.
  __device__ void add(carry_messages<A>* all, int slot, int all_count) {
    last = slot, count = all_count, carries = all;
  }

  /// Joins the pending window if all of its carries have arrived; if `waits`, it waits for them. Returns whether
  /// that completes the epoch; lane 0 then has the epoch's carry in `own`. For each run that a join completes it calls
  /// close(number of the run in the epoch, value). By one warp.
  template <class Op, class Close>
  __device__ bool join(bool waits, bool is_last_epoch, placed_carry<A>& own, const run_joiner<Op, A>& joiner,
                       Close close) {
    static_assert(lookback_window == warp_lanes);
    constexpr int log_window = log2_of(lookback_window);
    const int lane = arch::lane_id();
    while (last >= 0) {
      const int rank = last & (lookback_window - 1);
      auto& sent = carries[last - rank + least_of(lane, rank)];
      own = {joiner.none(), 0};
      while (!__all_sync(full_warp, lane > rank || sent.try_receive(own))) {
        if (!waits) return false;
        arch::pause();
      }
      if (lane <= rank) sent.clear();
      const heads_before heads{own.heads_before, warp::all_reduce(own.carry.heads, plus{})};
      own.carry = join_run_carries(joiner, own.carry, heads, close);
      if (!is_last_epoch) {  // the clearing must be visible before the next epoch's carries
        __syncwarp();
        __threadfence();
      }
      const int window = last >> log_window, windows = ((count - 1) >> log_window) + 1;
      carry_messages<A>* const of_windows = carries + count;
      last = -1;
      if (windows == 1) return true;
      if (lane == 0) of_windows[window].publish(own);
      if (is_last_of_window(window, windows)) add(of_windows, window, windows);
    }
    return false;
  }
};

/// Joins epoch number `epoch`, whose carry is `own`, to the epochs before it. By one thread. Calls close(number of the
/// run, value) for each run that a join completes. Returns the carry of all items if the epoch is the last one.
template <class A, class Op, class Close>
__device__ run_carry<A> push_epoch(epoch_scratch<A>& epochs, int epoch, bool is_last, run_carry<A> own,
                                   const run_joiner<Op, A>& joiner, Close close) {
  std::int64_t before = epoch == 0 ? 0 : epochs.heads;
  epochs.heads = before + own.heads;
  own.heads = own.heads > 0;
  int level = 0;
  // A binary counter: an epoch joins the pending nodes of its size; the last epoch joins all pending nodes.
  for (int n = epoch; is_last ? n != 0 : (n & 1) != 0; n >>= 1, ++level) {
    if (!(n & 1)) continue;
    own = joiner.join(epochs.pending[level].carry, own, [&](const A& across) { close(before - 1, across); });
    own.heads = own.heads > 0;
    before = epochs.pending[level].heads_before;
  }
  if (!is_last) epochs.pending[level] = {own, before};
  return own;
}

}  // namespace warpfold::by_key
