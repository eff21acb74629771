// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a warp, while they are scanned: consecutive ones in each lane. There is a class for each way to keep
// them: warp_items as accumulators, packed_items as they were loaded, keyed_items as values and the heads of runs. Each
// has
//
//   prefetch(leaves, first, count)     brings the `count` items from item `first` on into the L2 cache; static
//   load(leaves, first, count, room)   loads them, and deals them out to lanes by way of `room_bytes` of shared memory
//   scan_lanes(leaves)                 scans each lane's items. Returns the warp's node, valid in every lane if all
//                                      exist
//   scan_across_lanes()                joins each lane's items to the nodes before them within the warp
//   push(node)                         joins them to a node before the warp, the lowest level first
//   results<IsExclusive>(arguments, before, stored)   joins init and `before`, the nodes of warp::left_nodes that have
//                                      not been pushed, and gives the results as chunks that can be stored
//
// and `op`, `has` and `joins_late`, for which left_nodes asks. All lanes of a warp call each member. row_items, for
// tiles that lie in shared memory, keep rows instead, and have push and results alone of these members.
#pragma once
#include <cstdint>
#include <warpfold/warp/left_nodes.cuh>
#include <warpfold/warp/scan.cuh>
#include <warpfold/warp/tile_rows.cuh>

namespace warpfold::scan {

/// The type of results for accumulators `A`. (Scans by key have others.)
template <class A> struct result_of { using type = A; };
template <class A> using result_t = typename result_of<A>::type;

/// Chooses the class of items for `Leaves`, as `type`.
template <bool Whole, int Rows, class Leaves, class Op> struct choose_items;
template <bool Whole, int Rows, class Leaves, class Op>
using items_of_warp = typename choose_items<Whole, Rows, Leaves, Op>::type;

/// The caller's operator.
template <class Op> struct plain_operation { using type = Op; };

/// The base of the classes of items: `Rows` chunks of `Items` items per lane. `Whole`: all of them exist, or operations
/// on missing ones do no harm.
template <bool Whole, int Rows, int Items, class Op> struct items_base {
  static constexpr int lane_items = Rows * Items, items = warp_lanes * lane_items;

  Op op;
  int count = 0;  ///< items of the warp that exist

  /// Whether the first `first_items` items of the warp exist.
  __device__ bool has(int first_items) const { return Whole || first_items <= count; }
  /// Whether the lane's item `k` exists.
  __device__ bool has_own(int k) const { return has(arch::lane_id() * lane_items + k + 1); }

 protected:
  /// Calls take(row, k) for the items of the lane's chunks that exist, as long as they lie in rows.
  template <class Take> __device__ void each_in_rows(Take take) const {
    const int lane = arch::lane_id();
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (has((row * warp_lanes + lane) * Items + k + 1)) take(row, k);
  }
  /// warp::butterfly of the lanes' nodes.
  template <class A, class Each> __device__ A each_node(A node, Each each) const {
    return warp::butterfly(
        node, op, [&](int lanes) { return has(lanes * lane_items); }, each);
  }
  /// Results as they are stored.
  template <class V, class Stored> __device__ void pack(const V (&results)[lane_items], Stored (&stored)[Rows]) const {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row)
      warp::pack(results + row * Items, stored[row], [&](int k) { return has_own(row * Items + k); });
  }
};

}  // namespace warpfold::scan
