// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans a whole unit of a long segment: what a tile has to do if nothing else begins in it. Rows are counted from the
// unit's first item, so that each of them is a node, and lanes hold all of them.
#pragma once
#include <warpfold/segmented_scan/look_back.cuh>
#include <warpfold/segmented_scan/row_scan.cuh>
#include <warpfold/warp/tile_rows.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Joins `left` to all values of a chunk.
template <class A, int Items, class Op> __device__ void push(const A& left, A (&values)[Items], Op op) {
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) values[k] = op(left, values[k]);
}

/// The scan of whole rows, by the canonical tree: each item meets the nodes on its left, the lowest level first.
template <int Rows, int Items, class A, class Op> struct unit_scan {
  Op op;
  A values[Rows][Items]{};

  /// Returns the node of all rows. All lanes call it.
  __device__ A scan() {
    const int lane = arch::lane_id();
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) thread::inclusive_scan(values[row], op);
    WARPFOLD_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      const int from = (lane & ~(distance - 1)) - 1;  // where the node ends that upper lanes need
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) {
        const A left = warp::shuffle(values[row][Items - 1], from);
        if (lane & distance) push(left, values[row], op);
      }
    }
    WARPFOLD_UNROLL
    for (int distance = 1; distance < Rows; distance *= 2) {
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row)
        if (row & distance)
          push(warp::shuffle(values[(row & ~(distance - 1)) - 1][Items - 1], warp_lanes - 1), values[row], op);
    }
    return warp::shuffle(values[Rows - 1][Items - 1], warp_lanes - 1);
  }
  /// Joins the nodes of the units before.
  template <class Before> __device__ void join_before(int units_before, const Before& before) {
    each_node_before(units_before, before, [&](const A& node) {
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) push(node, values[row], op);
    });
  }
};

/// Operators that are exact: each item meets one value, the fold of all that lies on its chunk's left.
template <int Rows, int Items, class A, class Op>
  requires thread::scans_exactly<Op, A>
struct unit_scan<Rows, Items, A, Op> {
  Op op;
  A values[Rows][Items]{};
  A left[Rows]{};  ///< of the lane's chunks

  __device__ A scan() {
    const int lane = arch::lane_id();
    A all = thread::exact_identity<Op, A>;  // of the rows before
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      thread::inclusive_scan(values[row], op);
      A through = values[row][Items - 1];
      WARPFOLD_UNROLL
      for (int distance = 1; distance < warp_lanes; distance *= 2) {
        const A other = warp::shuffle_up(through, distance);
        if (lane >= distance) through = op(other, through);
      }
      const A before = warp::shuffle_up(through, 1);
      left[row] = lane == 0 ? all : op(all, before);
      all = op(all, warp::shuffle(through, warp_lanes - 1));
    }
    return all;
  }
  template <class Before> __device__ void join_before(int units_before, const Before& before) {
    A joined = thread::exact_identity<Op, A>;
    each_node_before(units_before, before, [&](const A& node) { joined = op(node, joined); });
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) push(op(joined, left[row]), values[row], op);
  }
};

/// Scans the unit that begins at item `first`, is the only piece that begins in `tile`, and has `units_before` > 0
/// units before it. `is_published`: whether the segment goes on behind it. All lanes of a warp call it.
template <bool IsExclusive, int Rows, class Segments, class Leaves, class Op, class Out, class Shared>
__device__ void scan_unit(const scan_arguments<Segments, Leaves, Op, Out>& arguments, Shared& shared, int tile,
                          std::int64_t first, int units_before, bool is_published,
                          tile_visit<typename Leaves::accumulator>& visit) {
  using A = typename Leaves::accumulator;
  constexpr int items = Leaves::chunk_items, unit_items = Rows * warp_lanes * items;
  const Op& op = arguments.op;
  typename Leaves::chunk chunks[Rows] = {};
  warp::load_rows<Rows>(chunks, arguments.leaves.source, first, unit_items);
  visit.enter();  // while the items are on their way
  unit_scan<Rows, items, A, Op> unit{op};
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
  for (int k = 0; k < items; ++k) unit.values[row][k] = arguments.leaves.leaf(chunks[row], k);
  const A node = unit.scan();
  if (is_published) {
    if (arch::lane_id() == 0) arguments.units.publish(0, tile, node);
    arguments.units.release();  // while other nodes are on their way
  }
  look_back(arguments.units, tile, units_before, is_published, shared.before, op);
  visit.leave();
  unit.join_before(units_before, shared.before);
  if (arguments.init.exists()) {
    const A init = arguments.init.alone();
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) push(init, unit.values[row], op);
  }
  if constexpr (IsExclusive) {
    A before{};  // in lane 0: what precedes the row
    bool exists = false;
    each_node_before(units_before, shared.before, [&](const A& each) {
      before = exists ? op(each, before) : each;
      exists = true;
    });
    if (arguments.init.exists()) before = op(arguments.init.alone(), before);
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const A of_left = warp::shuffle(unit.values[row][items - 1], arch::lane_id() - 1);
      WARPFOLD_UNROLL
      for (int k = items - 1; k > 0; --k) unit.values[row][k] = unit.values[row][k - 1];
      unit.values[row][0] = thread::choose(arch::lane_id() == 0, before, of_left);
      before = of_left;
    }
  }
  warp::store_rows(unit.values, arguments.out, first, unit_items);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
