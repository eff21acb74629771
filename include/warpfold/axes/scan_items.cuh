// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a column that a thread holds while they are scanned, and the nodes of the threads above it in its tile.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/thread/scan.cuh>
#include <warpfold/warp/left_nodes.cuh>

namespace warpfold::axis_scan {

/// `Rows` consecutive items of a column, of which the first `count` exist. As warp::left_nodes asks: from the item
/// outwards, each meets the nodes before it, the lowest level first.
template <int Rows, class A, class Op> struct column_items {
  /// Whether nodes are joined to each other first, and to the items at the end.
  static constexpr bool joins_late = is_exact<Op, A>;

  Op op;
  int count = 0;
  A values[Rows] = {};

  __device__ bool has(int items) const { return thread::may_combine_missing<Op, A> || items <= count; }
  __device__ bool is_whole() const { return count == Rows; }
  __device__ void push(const A& node) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k)
      if (has(k + 1)) values[k] = op(node, values[k]);
  }
  /// Makes inclusive prefixes exclusive ones. `first` is the result of the first item.
  __device__ void shift(const A& first) {
    WARPFOLD_UNROLL
    for (int k = Rows - 1; k > 0; --k) values[k] = values[k - 1];
    values[0] = first;
  }
};

/// How the threads of a block stand in a tile: thread number (group << log_lanes) + lane.
struct tile_place {
  int log_lanes, log_groups;
  int lane, group;

  /// Lanes and groups are powers of two.
  __device__ tile_place(int own_log_lanes, int own_log_groups)
      : log_lanes(own_log_lanes),
        log_groups(own_log_groups),
        lane(arch::flat_thread() & ((1 << own_log_lanes) - 1)),
        group(arch::flat_thread() >> own_log_lanes) {}

  __device__ int lanes() const { return 1 << log_lanes; }
  __device__ int groups() const { return 1 << log_groups; }
  __device__ bool is_last_group() const { return group == groups() - 1; }
};

/// Writes to nodes[t] the longest node of the tile that ends with the items of thread t, `own` being the node of its
/// items. (The up-sweep of Blelloch 1990: this node has 2^j groups, j being the number of low zeros of group + 1.)
/// Nodes that lack items are not made. Returns the thread's. A barrier must follow what read nodes before.
template <class A, class Items> __device__ A make_nodes(A* nodes, const tile_place& place, const Items& items, A own) {
  const int thread = arch::flat_thread();
  nodes[thread] = own;
  WARPFOLD_NO_UNROLL
  for (int distance = 1; distance < place.groups(); distance *= 2) {
    __syncthreads();
    if (((place.group + 1) & (2 * distance - 1)) == 0 && items.is_whole())
      nodes[thread] = own = items.op(nodes[thread - (distance << place.log_lanes)], own);
  }
  __syncthreads();
  return own;
}

/// Joins the items to the nodes of the groups above, the lowest level first.
template <class A, class Before, class Items>
__device__ void push_groups_before(const A* nodes, const tile_place& place, Before& before, Items& items) {
  WARPFOLD_NO_UNROLL
  for (int left = place.group; left != 0; left &= left - 1)
    before.push(nodes[((left - 1) << place.log_lanes) + place.lane], items);
}

}  // namespace warpfold::axis_scan
