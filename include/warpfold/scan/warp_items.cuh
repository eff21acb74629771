// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a warp, while they are scanned: consecutive ones in each lane. Item i of the result is right-nested over
// the binary digits of i + 1, as the canonical tree over the items 0 to i is: from the item outwards, it meets the
// nodes on its left, one for each level on which the item lies in a right half, the lowest level first.
#pragma once
#include <warpfold/thread/scan.cuh>
#include <warpfold/thread/source.cuh>
#include <warpfold/warp/join.cuh>
#include <warpfold/warp/shuffle.cuh>
#include <warpfold/warp/transpose.cuh>

namespace warpfold::scan {

/// `Rows` chunks of `Items` items a lane. If `Whole`, all items exist, or it does not matter.
template <bool Whole, int Rows, int Items, class A, class Op> struct warp_items {
  static constexpr int lane_items = Rows * Items, items = warp_lanes * lane_items;
  /// Whether nodes are joined to each other first, and to the items at the end.
  static constexpr bool joins_late = thread::may_reassociate<Op, A>;
  struct chunk {
    A value[Items];
  };
  using by_way_of = warp::transpose<chunk, Rows>;
  static constexpr int room_bytes = by_way_of::room_bytes;

  Op op;
  A values[lane_items] = {};
  int count = 0;  ///< items of the warp that exist

  /// Whether the first `first_items` items of the warp exist.
  __device__ bool has(int first_items) const { return Whole || first_items <= count; }
  /// Whether the lane's item `k` exists.
  __device__ bool has_own(int k) const { return has(arch::lane_id() * lane_items + k + 1); }

  /// Takes the items of rows.
  __device__ void take(chunk (&rows)[Rows], unsigned char* room) {
    by_way_of::to_runs(rows, room);
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k) values[k] = rows[k / Items].value[k % Items];
  }

  /// Scans each lane's items. Returns the warp's node, valid in every lane if all its items exist. All lanes call it.
  template <class Leaves> __device__ A scan_lanes(const Leaves&) {
    const int own = arch::lane_id() * lane_items;
    thread::inclusive_scan(values, op, Whole ? lane_items : count - own);
    return each_node([](int, const A&) {});
  }
  /// Joins the lanes' items to what lies before them within the warp. All lanes call it, after scan_lanes.
  __device__ void scan_across_lanes() {
    A left = left_of_first();
    each_node([&](int distance, const A& other) {
      if (!(arch::lane_id() & distance)) return;
      if constexpr (joins_late) left = op(other, left);
      else push(other);
    });
    if constexpr (joins_late) push(left);
  }
  /// Joins the lane's items to `node` on their left.
  __device__ void push(const A& node) {
    const int own = arch::lane_id() * lane_items;
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k)
      if (has(own + k + 1)) values[k] = op(node, values[k]);
  }

 private:
  /// Calls each(distance, node of the lanes at the other side) for distances 1 to 16.
  template <class Each> __device__ A each_node(Each each) const {
    const int lane = arch::lane_id();
    A node = values[lane_items - 1];
    WARPFOLD_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      const A other = warp::shuffle_xor(node, distance);
      each(distance, other);
      if (has(((lane | (2 * distance - 1)) + 1) * lane_items))
        node = warp::join((lane & distance) != 0, node, other, op);
    }
    return node;
  }
  __device__ static A left_of_first() {
    if constexpr (joins_late) return thread::exact_identity<Op, A>;
    else return A{};
  }
};

}  // namespace warpfold::scan
