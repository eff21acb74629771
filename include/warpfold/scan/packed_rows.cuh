// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a warp whose items are narrower than their accumulators, for exact operators. Items stay as they were
// loaded, several in a register; a row's chunks are folded at first, and scanned when what lies before them is known.
#pragma once
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/thread/scan.cuh>
#include <warpfold/warp/batched_reduce.cuh>
#include <warpfold/warp/join.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::scan {

/// Whether a scan keeps items as they were loaded: they take half the registers of accumulators at most, and nothing of
/// the user's would run twice, or on missing items.
template <class Leaves, class Op, class A = typename Leaves::accumulator>
inline constexpr bool scans_packed = [] {
  if constexpr (!thread::scans_exactly<Op, A> || !thread::just_items<Leaves>) return false;
  else return 2 * sizeof(typename Leaves::chunk) <= Leaves::chunk_items * sizeof(A);
}();

/// `Rows` rows of 32 chunks. As warp_rows, but for take() and results().
template <int Rows, class Leaves, class Op> struct packed_rows {
  using A = typename Leaves::accumulator;
  static constexpr int items = Leaves::chunk_items, row_items = warp_lanes * items, warp_items = Rows * row_items;
  static constexpr bool joins_late = true;

  Op op;
  typename Leaves::chunk chunks[Rows] = {};
  A left[Rows] = {};  ///< what lies before the lane's chunk, as far as it is known

  __device__ static constexpr bool has(int) { return true; }

  __device__ void push(int row, const A& node) { left[row] = op(node, left[row]); }
  __device__ void push(const A& node) {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) push(row, node);
  }
  /// The node of all rows, valid in every lane.
  __device__ A fold(const Leaves& leaves) const {
    A nodes[Rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) nodes[row] = thread::fold_chunk(leaves, chunks[row], op);
    return warp::fold_rows(nodes, op);
  }
  /// Finds what lies before each chunk within the warp. Returns the warp's node, valid in every lane.
  __device__ A scan(const Leaves& leaves) {
    A before = thread::exact_identity<Op, A>;
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      A node = thread::fold_chunk(leaves, chunks[row], op), own = thread::exact_identity<Op, A>;
      WARPFOLD_UNROLL
      for (int distance = 1; distance < warp_lanes; distance *= 2) {
        const bool upper = arch::lane_id() & distance;
        const A other = warp::shuffle_xor(node, distance);
        if (upper) own = op(other, own);
        node = warp::join(upper, node, other, op);
      }
      left[row] = op(before, own);
      before = op(before, node);
    }
    return before;
  }
  /// The results of the lane's chunk of a row, once all that lies before has been pushed.
  template <bool IsExclusive> __device__ void results(const Leaves& leaves, int row, A (&to)[items]) const {
    A before = left[row];
    WARPFOLD_UNROLL
    for (int k = 0; k < items; ++k) {
      const A through = op(before, leaves.leaf(chunks[row], k));
      to[k] = IsExclusive ? before : through;
      before = through;
    }
  }
};

}  // namespace warpfold::scan
