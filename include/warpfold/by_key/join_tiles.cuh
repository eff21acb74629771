// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the carries of tiles in the tree's order, although blocks finish tiles in any order. The warp with the last
// tile of a group of 32 joins the group; the warp with the last of 32 groups joins these, and so on up to the epoch. A
// tile depends on earlier tiles only, and the warp does other work until their carries have arrived. Epochs use the
// same scratch words, so the blocks of an epoch wait for the epoch before.
//
// Words are cleared for the next epoch, or the next call. A word that arrives after it was cleared would stay for good.
// So a warp that clears a word has seen it arrive (a thread's accesses to one address stay in order), or acquires from
// a warp that has:
//
//   a tile's threads   write own, sums and through (tile_counts), in no order
//   a tile's sender    sends its carry. The carry holds a number that the look-back found: the tile reads no more words
//   joiner of tiles    sees their carries and `own` words, each lane one of either, which it clears. Only these tiles
//                      read those words. Then it sends the group's carry
//   joiner of groups   sees their carries, sums and through, and clears the carries; and so on up to the epoch
//   end of an epoch    clears sums and through; releases the message of finished epochs
//   begin of an epoch  acquires that message. It also holds the heads of all finished epochs, since nothing else orders
//                      a block's read before the next epoch's end, which writes it again: the end comes after the
//                      block's words of this epoch, which the block does not write before it has seen the message
//
// A warp releases what it has seen or cleared with the next carry if another warp relies on it: on sums and through if
// there are groups of groups; on cleared words if another epoch follows.
#pragma once
#include <warpfold/arch/ticket.cuh>
#include <warpfold/by_key/carry_messages.cuh>
#include <warpfold/by_key/join_run_carries.cuh>
#include <warpfold/by_key/look_back.cuh>
#include <warpfold/by_key/tile_epochs.cuh>
#include <warpfold/warp/reduce.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::by_key {

/// How many epochs are done, and the number of their heads.
struct finished_epochs {
  int count;
  std::int64_t heads;

  /// Publishes this, with all that the caller wrote before. One thread calls it.
  __device__ void release(arch::message* to) const {
    arch::message all{{static_cast<std::uint32_t>(count)}};
    std::memcpy(all.words + 2, &heads, sizeof heads);
    arch::fence_before_arrival();
    arch::publish(to, all);
  }
  /// Waits until at least `least` epochs are done, and acquires what they wrote. All lanes of a warp call it, and all
  /// wait: if one lane waited alone, the compiler would treat no warp of the whole kernel as converged any more. Valid
  /// in lane 0.
  __device__ static finished_epochs wait(const arch::message* from, int least) {
    const bool looks = arch::lane_id() == 0;
    arch::message now{};
    for (;; arch::pause()) {
      if (looks) now = arch::observe(from);
      if (warp::shuffle(static_cast<int>(now.words[0]), 0) >= least) break;
    }
    if (looks) arch::fence_after_arrivals();
    __syncwarp();  // lane 0 has acquired for all
    finished_epochs all{static_cast<int>(now.words[0]), 0};
    std::memcpy(&all.heads, now.words + 2, sizeof all.heads);
    return all;
  }
};

/// Words that are zero before the grid starts and after it ends. The carries lie behind them, and are zero too.
struct alignas(16) by_key_control {
  unsigned next_tile;
  arch::message finished;  ///< finished_epochs
  alignas(16) tile_counts<epoch_tiles(1)> counts;
};

/// Scratch that outlasts an epoch.
template <class A> struct epoch_scratch {
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
  int members = 0;                     ///< tiles, or groups, of the epoch
  int level = 0;                       ///< 0: the group is one of tiles; 1: one of groups; and so on
  carry_messages<A>* carry = nullptr;  ///< of tiles, or groups

  /// Whether a tile, or group, is the last one of its group, so that its warp joins the group.
  __device__ static bool completes_group(int own_place, int epoch_members) {
    return (own_place & (warp_lanes - 1)) == warp_lanes - 1 || own_place == epoch_members - 1;
  }
  /// Makes the group of this tile the pending one. No other group may be pending.
  __device__ void add(carry_messages<A>* carries, int own_place, int epoch_tiles) {
    place = own_place, members = epoch_tiles, level = 0, carry = carries;
  }
  /// Joins the pending group if its carries have arrived, or waits for them if `waits`; then the group of that group,
  /// and so on. If that completes the epoch, it returns true, and `own` is the epoch's carry, valid in lane 0. Calls
  /// close(number of the run in the epoch, value) for each run that it completes. All lanes call it.
  template <class Schedule, class Counts, class Op, class Close>
  __device__ bool join(bool waits, const Schedule& schedule, int epoch, Counts& counts, placed_carry<A>& own,
                       const carry_joiner<Op, A>& joiner, Close close) {
    static_assert(tiles_per_group == warp_lanes);
    constexpr int log_group = log2_of(warp_lanes);
    const int lane = arch::lane_id(), epoch_tiles = schedule.tiles_of(epoch);
    const bool is_last_epoch = schedule.is_last(epoch);
    const auto is_released = [&](int sent_level) { return sent_level > 1 || (sent_level == 1 && !is_last_epoch); };
    while (place >= 0) {
      const int rank = place & (warp_lanes - 1), member = place - rank + least_of(lane, rank);
      auto& message = carry[member];
      const bool exists = !Schedule::is_part || member >= schedule.first_place(epoch) >> (log_group * level);
      own = {joiner.none(), 0};
      const auto has_arrived = [&] {  // without branches: all of it is one trip to memory
        bool is_there = level > 0 || !exists || counts.has_own(member);
        if (level == 1 || (epoch_tiles <= warp_lanes && schedule.has_groups())) {
          const int group = level == 1 ? member : 0;
          is_there &= !exists || counts.has_group(group, least_of(epoch_tiles - (group << log_group), warp_lanes));
        }
        if (lane <= rank && exists) is_there &= message.try_receive(own);
        return is_there;
      };
      while (!__all_sync(full_warp, has_arrived())) {
        if (!waits) return false;
        arch::pause();
      }
      if (is_released(level)) arch::fence_after_arrivals();
      if (lane <= rank && exists) {
        message.clear();
        if (level == 0) counts.clear_own(member);
      }
      const heads_before heads{own.before, warp::all_reduce(own.runs.heads, plus{})};
      own.runs = join_carries(joiner, own.runs, heads, close);
      __syncwarp();
      const int group = place >> log_group, groups = ((members - 1) >> log_group) + 1;
      carry_messages<A>* const of_groups = carry + members;
      place = -1;
      if (groups == 1) return true;
      ++level;
      if (lane == 0) {
        if (is_released(level)) arch::fence_before_arrival();
        of_groups[group].send(own);
      }
      if (completes_group(group, groups)) place = group, members = groups, carry = of_groups;
    }
    return false;
  }
};

/// Pushes the carry `own` of epoch number `epoch` into the binary counter of epochs, from epoch `first_epoch` on;
/// `before` heads lie before it.
/// Calls close(number of the run, value) for each run that it completes. For the last epoch it returns the carry of all
/// items. One thread calls it.
template <class A, class Op, class Close>
__device__ run_carry<A> push_epoch(epoch_scratch<A>& epochs, int epoch, bool is_last, run_carry<A> own,
                                   std::int64_t before, const carry_joiner<Op, A>& joiner, Close close,
                                   int first_epoch = 0) {
  own.heads = own.heads > 0;
  int level = 0;
  // An epoch joins the nodes that wait at its levels; the last epoch joins all nodes that wait.
  for (int n = epoch; is_last ? n != 0 : (n & 1) != 0; n >>= 1, ++level) {
    if (!(n & 1) || n << level <= first_epoch) continue;
    own = joiner.join(epochs.pending[level].runs, own, [&](const A& across) { close(before - 1, across); });
    own.heads = own.heads > 0;
    before = epochs.pending[level].before;
  }
  if (!is_last) epochs.pending[level] = {own, before};
  return own;
}

}  // namespace warpfold::by_key
