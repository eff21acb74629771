// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a warp as accumulators, in rows: chunk r of lane l is number 32 r + l. So they come from shared memory
// as they lie there, and go to global memory in rows, without a transpose; each row takes its own butterfly. Item i of
// the result is right-nested over the binary digits of i + 1, as in warp_items.cuh.
#pragma once
#include <warpfold/scan/items.cuh>
#include <warpfold/thread/scan.cuh>
#include <warpfold/warp/join.cuh>

namespace warpfold::scan {

template <bool Whole, int Rows, class Leaves, class Op>
struct row_items : items_base<Whole, Rows, Leaves::chunk_items, Op> {
  using A = typename Leaves::accumulator;
  using base = items_base<Whole, Rows, Leaves::chunk_items, Op>;
  using base::count, base::has, base::op;
  static constexpr int chunk_items = Leaves::chunk_items, row_items_count = warp_lanes * chunk_items;
  /// Whether nodes are joined to each other first, and to the items at the end.
  static constexpr bool joins_late = is_exact<Op, A>;

  A values[Rows][chunk_items] = {};
  thread::left_fold<Op, A> left[joins_late ? Rows : 1] = {};  ///< of the nodes on the left of the lane's chunk in a row

  /// Makes the first `existing` items of `chunks` the warp's.
  __device__ void set(const Leaves& leaves, const typename Leaves::chunk (&chunks)[Rows], int existing) {
    count = existing;
    this->each_in_rows([&](int row, int k) { values[row][k] = leaves.leaf(chunks[row], k); });
  }
  /// Scans the warp's items.
  __device__ void scan() {
    A nodes[Rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      thread::inclusive_scan(values[row], op, Whole ? chunk_items : count - first_of(row, arch::lane_id()));
      nodes[row] = values[row][chunk_items - 1];
    }
    scan_across_lanes(nodes);
    scan_across_rows(nodes);
  }
  __device__ void push(const A& node) {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) push_into(row, node);
  }
  /// Joins init and `before`, the nodes of left_nodes that have not been pushed, and gives the results.
  template <bool IsExclusive, class Arguments, class Stored>
  __device__ void results(const Arguments& arguments, warp::left_nodes<IsExclusive, A>& before,
                          Stored (&stored)[Rows]) {
    if (arguments.init.exists()) before.push(arguments.init.alone(), *this);
    before.finish(*this);
    WARPFOLD_UNROLL
    for (int row = 0; joins_late && row < Rows; ++row)
      if (left[row].exists()) join_to_items(row, left[row].all);
    if constexpr (IsExclusive) shift(before.exists ? before.joined : arguments.first);
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row)
      warp::pack(values[row], stored[row], [&](int k) { return has(first_of(row, arch::lane_id()) + k + 1); });
  }

 private:
  __device__ static int first_of(int row, int lane) { return (row * warp_lanes + lane) * chunk_items; }
  __device__ void join_to_items(int row, const A& node) {
    WARPFOLD_UNROLL
    for (int k = 0; k < chunk_items; ++k)
      if (has(first_of(row, arch::lane_id()) + k + 1)) values[row][k] = op(node, values[row][k]);
  }
  __device__ void push_into(int row, const A& node) {
    if constexpr (!joins_late) join_to_items(row, node);
    else if (has(first_of(row, arch::lane_id()) + 1)) left[row].push(node, op);
  }
  /// Joins the items to the nodes before them in their row. A chunk's node becomes the row's, if the row is whole.
  __device__ void scan_across_lanes(A (&nodes)[Rows]) {
    const int lane = arch::lane_id();
    WARPFOLD_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const bool is_upper = (lane & distance) != 0;
      const A other = warp::shuffle_xor(nodes[row], distance);
      if (is_upper) push_into(row, other);
      if (has(first_of(row, lane | (2 * distance - 1)) + chunk_items))
        nodes[row] = warp::join(is_upper, nodes[row], other, op);
    }
  }
  /// Joins the items to the nodes of the rows before theirs.
  __device__ void scan_across_rows(A (&nodes)[Rows]) {
    WARPFOLD_UNROLL
    for (int distance = 1; distance < Rows; distance *= 2) {
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row)
        if (row & distance) push_into(row, nodes[row & ~(2 * distance - 1)]);
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; row += 2 * distance)
        if (has((row + 2 * distance) * row_items_count)) nodes[row] = op(nodes[row], nodes[row + distance]);
    }
  }
  /// Makes inclusive prefixes exclusive ones. `first` is the result of the warp's first item.
  __device__ void shift(const A& first) {
    const int lane = arch::lane_id();
    A before_row = first;  // in lane 0
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const A of_left_lane = warp::shuffle(values[row][chunk_items - 1], (lane + warp_lanes - 1) & (warp_lanes - 1));
      WARPFOLD_UNROLL
      for (int k = chunk_items - 1; k > 0; --k) values[row][k] = values[row][k - 1];
      values[row][0] = thread::choose(lane == 0, before_row, of_left_lane);
      before_row = of_left_lane;
    }
  }
};

}  // namespace warpfold::scan
