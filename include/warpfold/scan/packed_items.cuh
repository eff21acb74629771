// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a warp that are narrower than their accumulators, for exact operators. Items stay as they were loaded,
// several in a register; a lane's items are folded at first, and scanned when what lies before them is known.
#pragma once
#include <warpfold/scan/keyed.cuh>
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/thread/scan.cuh>
#include <warpfold/warp/join.cuh>
#include <warpfold/warp/transpose.cuh>

namespace warpfold::scan {

/// Whether a scan keeps items as they were loaded: they take half the registers of accumulators at most, and nothing of
/// the user's would run twice, or on missing items.
template <class Leaves, class Op, class A = typename Leaves::accumulator>
inline constexpr bool scans_packed = [] {
  if constexpr (!thread::may_reassociate<Op, A> || !thread::may_convert_missing<Leaves>) return false;
  else return 2 * sizeof(typename Leaves::chunk) <= Leaves::chunk_items * sizeof(A);
}();

/// `Rows` consecutive chunks a lane. As warp_items, but for results().
template <int Rows, class Leaves, class Op> struct packed_items {
  using A = typename Leaves::accumulator;
  using chunk = typename Leaves::chunk;
  static constexpr int chunk_items = Leaves::chunk_items, items = warp_lanes * Rows * chunk_items;
  static constexpr bool joins_late = true;
  using by_way_of = warp::transpose<chunk, Rows>;
  static constexpr int room_bytes = by_way_of::room_bytes;

  Op op;
  chunk chunks[Rows] = {};
  A node{};                                ///< of the lane's items
  A left = thread::exact_identity<Op, A>;  ///< what lies before them, as far as it is known

  __device__ static constexpr bool has(int) { return true; }

  /// Takes the items of rows.
  __device__ void take(chunk (&rows)[Rows], unsigned char* room) {
    by_way_of::to_runs(rows, room);
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) chunks[row] = rows[row];
  }
  /// Folds each lane's items. Returns the warp's node, valid in every lane.
  __device__ A scan_lanes(const Leaves& leaves) {
    A nodes[Rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) nodes[row] = thread::fold_chunk(leaves, chunks[row], op);
    node = thread::fold(nodes, op);
    return each_node([](int, const A&) {});
  }
  /// Finds what lies before each lane within the warp.
  __device__ void scan_across_lanes() {
    each_node([&](int distance, const A& other) {
      if (arch::lane_id() & distance) left = op(other, left);
    });
  }
  __device__ void push(const A& before) { left = op(before, left); }
  /// The results, once all that lies before has been pushed, in runs of chunks as they are stored.
  template <bool IsExclusive, class Stored> __device__ void results(const Leaves& leaves, Stored (&runs)[Rows]) const {
    A before = left;
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      A results[chunk_items];
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_items; ++k) {
        const A through = op(before, leaves.leaf(chunks[row], k));
        results[k] = IsExclusive ? before : through;
        before = through;
      }
      pack(results, runs[row], [](int) { return true; });
    }
  }

 private:
  template <class Each> __device__ A each_node(Each each) const {
    A all = node;
    WARPFOLD_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      const A other = warp::shuffle_xor(all, distance);
      each(distance, other);
      all = warp::join((arch::lane_id() & distance) != 0, all, other, op);
    }
    return all;
  }
};

}  // namespace warpfold::scan
