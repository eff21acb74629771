// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans a warp's rows by run, one row after another.
//
// An item with the number r in its run is right-nested over the binary digits of r + 1: on level l, if digit l of r is
// set, the item meets the node of 2^l items that ends before item (r >> l) << l. This node is what that node's last
// item holds by then. (Sklansky 1960, counted from the run's first item.) Runs begin anywhere, but
//
// - nodes shorter than a chunk end in the item's own chunk or in the one on its left;
// - of the longer ones, at most one ends in a chunk. Runs that begin behind a chunk's first item have no such digits
//   there. So what a chunk needs lies in the run of its first item: the node of one lane on the left for each digit of
//   that item's number, or what the chunk itself holds, for items behind the end of a node in the chunk;
// - a lane need not hold each of the nodes that end in its chunk: a lane that needs a node of 2^l items asks the lane
//   whose longest node has 2^l items.
//
// Before the row lies one node for each digit of the number of items that the row's first run has before it.
#pragma once
#include <warpfold/segmented_scan/row_runs.cuh>
#include <warpfold/thread/choose.cuh>
#include <warpfold/thread/scan.cuh>
#include <warpfold/warp/join.cuh>
#include <warpfold/warp/reduce.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::segmented_scan {

/// Rows of 32 chunks of `Items` items. Runs have 2^Levels items at most.
template <int Levels, int Items, class A, class Op> struct row_scan {
  static constexpr bool counts = true;       ///< whether it needs the items' numbers
  static constexpr bool joins_late = false;  ///< whether nodes may be joined to each other before they are to items
  static constexpr int log_items = log2_of(Items), log_row_items = log2_of(warp_lanes * Items);
  static_assert(1 << log_items == Items);
  static constexpr bool is_wide = sizeof(A) > 64;  ///< then code for each level would be long

  Op op;
  A nodes{};                                  ///< in lane l: the node before the row of level l
  A latest[log_items > 0 ? log_items : 1]{};  ///< in lane 0: those of levels below a chunk

  /// Makes each item the fold of its run up to it. All lanes call it.
  __device__ void scan(A (&values)[Items], const chunk_runs<Items>& runs) {
    if constexpr (!is_wide)
      if (runs.is_node) return scan_node(values, runs.before);
    int number[Items];
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      number[k] = thread::may_combine_missing<Op, A> || runs.live >> k & 1 ? runs.number[k] : 0;
    int all = number[0];
    WARPFOLD_UNROLL
    for (int k = 1; k < Items; ++k) all |= number[k];
    const unsigned digits = warp::all_reduce(static_cast<unsigned>(all), bit_or{});
    // Where segments' lengths are multiples of a chunk, every chunk is a node: within chunks, lanes need no other lane.
    const bool is_node = (number[0] & (Items - 1)) == 0 && number[Items - 1] - number[0] == Items - 1;
    if (log_items > 1 && __all_sync(full_warp, is_node)) thread::inclusive_scan(values, op);
    else within_chunks<0>(values, number, digits);
    across_chunks(values, number, digits);
  }

 private:
  /// A row that is a node of its run, of which `before` items lie before it: each lane meets the nodes on its left, the
  /// lowest level first.
  __device__ void scan_node(A (&values)[Items], int before) {
    const int lane = arch::lane_id();
    const auto push = [&](const A& left) {
      WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k) values[k] = op(left, values[k]);
    };
    thread::inclusive_scan(values, op);
    WARPFOLD_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      const A left = warp::shuffle(values[Items - 1], (lane & ~(distance - 1)) - 1);  // where the node ends
      if constexpr (thread::may_combine_missing<Op, A>)  // the compiler would move all values where lanes join none
        push(thread::choose((lane & distance) != 0, left, thread::exact_identity<Op, A>));
      else if (lane & distance) push(left);
    }
    A node = warp::shuffle(values[Items - 1], warp_lanes - 1);
    bool grows = true;  // whether the row completes the node of the level
    int completed = log_row_items;
    WARPFOLD_NO_UNROLL
    for (int level = log_row_items; before >> level != 0; ++level) {
      if (!(before >> level & 1)) {
        grows = false;
        continue;
      }
      const A left = warp::shuffle(nodes, level);
      push(left);
      if (grows) node = op(left, node), completed = level + 1;
    }
    nodes = thread::choose(lane == completed, node, nodes);
  }

  /// `digits`: those that any number has.
  template <int Level> __device__ void within_chunks(A (&values)[Items], const int (&number)[Items], unsigned digits) {
    if constexpr (Level < log_items) {
      if (Level > 0 && digits >> (Level > 0 ? Level - 1 : 0) == 0) return;  // no node of the level ends in the row
      constexpr int size = 1 << Level;
      const int lane = arch::lane_id();
      const auto ends = [&](int k) { return (number[k] & (size - 1)) == size - 1; };
      A node = values[Items - size];  // the last one that ends in the chunk
      WARPFOLD_UNROLL
      for (int k = Items - size + 1; k < Items; ++k) node = thread::choose(ends(k), values[k], node);
      node = warp::shuffle(node, lane - 1);
      A before[Items];
      before[0] = thread::choose(lane == 0, latest[Level], node);
      latest[Level] = node;
      WARPFOLD_UNROLL
      for (int k = 1; k < Items; ++k) before[k] = thread::choose(ends(k - 1), values[k - 1], before[k - 1]);
      WARPFOLD_UNROLL
      for (int k = Items - 1; k >= 0; --k)
        if (number[k] & size) values[k] = op(before[k], values[k]);
      within_chunks<Level + 1>(values, number, digits);
    }
  }

  __device__ void across_chunks(A (&values)[Items], const int (&number)[Items], unsigned digits) {
    if (log_items > 0 && digits >> (log_items > 0 ? log_items - 1 : 0) == 0) return;  // nor one of any level here
    const int lane = arch::lane_id(), chunks = number[0] >> log_items;
    A last = values[Items - 1];  // the longest node that ends in the chunk
    int length = number[Items - 1] + 1;
    WARPFOLD_UNROLL
    for (int k = 0; k < Items - 1; ++k) {
      const bool ends = (number[k] & (Items - 1)) == Items - 1;
      last = thread::choose(ends, values[k], last);
      if (ends) length = number[k] + 1;
    }
    const auto join_level = [&](int level) {
      const int size = 1 << level, from = lane - 1 - (chunks & ((size - 1) >> log_items));
      const A other = warp::shuffle(last, from), before = warp::shuffle(nodes, level);
      const A node = thread::choose((number[0] & size) != 0, thread::choose(from < 0, before, other), last);
      if ((length & (2 * size - 1)) == 0) last = op(node, last);
      WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k)
        if (number[k] & size) values[k] = op(node, values[k]);
    };
    if constexpr (is_wide) {
      WARPFOLD_NO_UNROLL
      for (int level = log_items; digits >> level != 0; ++level) join_level(level);
    } else {
      WARPFOLD_UNROLL
      for (int level = log_items; level < Levels; ++level) {
        if (digits >> level == 0) break;
        if (level < log_row_items || digits >> level & 1) join_level(level);
      }
    }
    const unsigned next = static_cast<unsigned>(__shfl_sync(full_warp, number[Items - 1], warp_lanes - 1)) + 1;
    const int from = warp_lanes - 1 - static_cast<int>((next & ((1u << lane) - 1)) >> log_items);
    const A other = warp::shuffle(last, from);
    nodes = thread::choose(from < 0, nodes, other);
  }
};

/// Operators that are exact may associate as they like: one pass from left to right.
template <int Levels, int Items, class A, class Op>
  requires is_exact<Op, A>
struct row_scan<Levels, Items, A, Op> {
  static constexpr bool counts = false, joins_late = true;

  Op op;
  A before_row = A{};  ///< the fold of the row's first run so far, if it has begun

  __device__ void scan(A (&values)[Items], const chunk_runs<Items>& runs) {
    constexpr bool combines_all = thread::may_combine_missing<Op, A>;
    const unsigned combines = combines_all ? chunk_runs<Items>::all : runs.live;  // items that `op` may be called with
    const bool ends = combines >> (Items - 1) & 1;
    const int lane = arch::lane_id();
    const unsigned beginning = __ballot_sync(full_warp, runs.begins != 0), through = beginning & ((2u << lane) - 1);
    if (combines_all && beginning == 0) thread::inclusive_scan(values, op);
    else WARPFOLD_UNROLL
    for (int k = 1; k < Items; ++k)
      if ((combines & ~runs.begins) >> k & 1) values[k] = op(values[k - 1], values[k]);
    const int reach = through != 0 ? lane - (31 - __clz(static_cast<int>(through))) : lane;
    A all = values[Items - 1];
    WARPFOLD_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      const A left = warp::shuffle_up(all, distance);
      if (distance <= reach && ends) all = op(left, all);
    }
    const A left = warp::shuffle_up(all, 1);
    const unsigned first_run = combines & ((runs.begins & -runs.begins) - 1);  // up to the chunk's first begin
    A before = thread::choose(lane == 0, before_row, left);
    if (lane > 0 && (beginning & ((1u << lane) - 1)) == 0 && first_run != 0) before = op(before_row, before);
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (first_run >> k & 1) values[k] = op(before, values[k]);
    const A last = warp::shuffle(all, warp_lanes - 1);
    const bool goes_on = beginning == 0 && (combines_all || __shfl_sync(full_warp, ends, warp_lanes - 1));
    before_row = goes_on ? op(before_row, last) : last;
  }
};

}  // namespace warpfold::segmented_scan
