// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments that were folded as if all of their items counted, but have NaN that do not: they are folded again, by the
// operator's own joins. That is rare, so the code is small, and not inlined.
#pragma once
#include <warpfold/segmented/fold_side_by_side.cuh>
#include <warpfold/segmented/fold_span.cuh>
#include <warpfold/thread/node_counter.cuh>

namespace warpfold::segmented {

/// The nodes of segments that are folded again, half a warp's at a time.
template <class Leaves>
using nodes_of_again = edge_nodes<typename Leaves::accumulator, log2_of(warp_lanes), warp_lanes / 2>;

namespace detail {

/// Nodes by the operator's own joins, item by item.
template <class Leaves> struct item_joins {
  using A = typename Leaves::accumulator;
  static constexpr bool loads_ahead = false, joins_any = false;
  const Leaves& leaves;

  /// The node over the first `count` > 0 items of a chunk.
  __device__ A first_items(const typename Leaves::chunk& from, int count) const {
    thread::node_counter<1, A, log2_of(Leaves::chunk_items) + 1, 0> nodes;
    A value[1] = {};
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < count; ++k) {
      value[0] = leaves.leaf(from, k);
      nodes.push(static_cast<unsigned>(k), value, leaves.transform.op);
    }
    nodes.total(static_cast<unsigned>(count), value, leaves.transform.op);
    return value[0];
  }
  __device__ A chunk(const typename Leaves::chunk& from, bool exists) const {
    return exists ? first_items(from, Leaves::chunk_items) : A{};
  }
  __device__ A join(const A& a, const A& b, int) const { return leaves.transform.op(a, b); }
};

}  // namespace detail

/// Folds the segments of the lanes, each of at most 32 chunks: the calling lane's has `count` items from item `first`
/// on, or none. All lanes call it. `inside`: the items are is_inside of the source.
template <class Leaves, class Index, class A = typename Leaves::accumulator>
WARPFOLD_NO_INLINE __device__ A fold_lanes_again(Leaves leaves, Index first, int count, bool inside,
                                                 nodes_of_again<Leaves>& nodes) {
  A result{};
  constexpr int chunk_items = Leaves::chunk_items, half = warp_lanes / 2;
  const detail::item_joins<Leaves> joins{leaves};
  const int lane = arch::lane_id();
  WARPFOLD_NO_UNROLL
  for (int begin = 0; begin < warp_lanes; begin += half) {
    const Index own_first = warp::shuffle(first, begin + lane % half);
    const int of_half = __shfl_sync(full_warp, count, begin + lane % half), own_count = lane < half ? of_half : 0;
    const int tail = own_count & (chunk_items - 1), chunks = own_count / chunk_items;
    detail::fold_side_by_side(leaves, own_first, chunks, inside, joins, nodes);
    __syncwarp();
    A value{};
    typename Leaves::chunk last = {};
    detail::load_chunk(leaves, last, own_first + (own_count - tail), tail, inside);
    if (tail > 0) value = joins.first_items(last, tail);
    value = detail::join_left_nodes(leaves.transform.op, chunks, lane % half, nodes, tail > 0, value);
    __syncwarp();
    value = warp::shuffle(value, lane % half);
    if (lane / half == begin / half) result = value;
  }
  return result;
}

/// The canonical tree over the `items` > 0 items from item `first` on. Valid in every lane. All lanes call it.
template <class Leaves>
WARPFOLD_NO_INLINE __device__ auto fold_span_again(Leaves leaves, std::int64_t first, std::int64_t items) ->
    typename Leaves::accumulator {
  return fold_span<2, true>(leaves, first, items, leaves.transform.op);
}

}  // namespace warpfold::segmented
