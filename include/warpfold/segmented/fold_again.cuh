// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments that were folded as if all of their items counted, but have NaN that do not: they are folded again, by the
// operator's own joins. That is rare, so the code is not inlined.
#pragma once
#include <warpfold/segmented/fold_side_by_side.cuh>
#include <warpfold/segmented/fold_span.cuh>
#include <warpfold/thread/fold_chunk.cuh>

namespace warpfold::segmented {

/// The nodes of segments that are folded again, half a warp's at a time.
template <class Leaves>
using nodes_of_again = edge_nodes<typename Leaves::accumulator, detail::log_side_by_side, warp_lanes / 2>;

namespace detail {

/// Nodes by the operator's own joins.
template <class Leaves> struct again_joins {
  using A = typename Leaves::accumulator;
  static constexpr bool loads_ahead = false, joins_any = false;
  const Leaves& leaves;

  /// The node over the first `count` items of a chunk; with `count` < 1 it means nothing. Not inlined: chunks and tails
  /// share the code, which is long.
  WARPFOLD_NO_INLINE __device__ A first_items(typename Leaves::chunk from, int count) const {
    return thread::fold_chunk(leaves, from, leaves.transform.op, count);
  }
  __device__ A chunk(const typename Leaves::chunk& from, int, bool exists) const {
    return first_items(from, exists ? Leaves::chunk_items : 0);
  }
  __device__ A join(const A& a, const A& b, int) const { return leaves.transform.op(a, b); }
  __device__ static A node(const A& all) { return all; }
};

}  // namespace detail

/// Folds the segments of the lanes, each of fewer than 64 chunks: the calling lane's has `count` items from item
/// `first` on, or none. Lanes that have any are taken together, 16 at a time: shared memory has room for the nodes of
/// so many. All lanes call it. `inside`: the items are is_inside of the source.
template <class Leaves, class Index, class A = typename Leaves::accumulator>
WARPFOLD_NO_INLINE __device__ A fold_lanes_again(Leaves leaves, Index first, int count, bool inside,
                                                 nodes_of_again<Leaves>& nodes) {
  A result{};
  constexpr int chunk_items = Leaves::chunk_items, half = warp_lanes / 2;
  const detail::again_joins<Leaves> joins{leaves};
  const int lane = arch::lane_id();
  unsigned rest = __ballot_sync(full_warp, count > 0);
  const int total = __popc(rest), own_place = __popc(rest & ((1u << lane) - 1));
  for (int i = 0; i < lane % half; ++i) rest &= rest - 1;
  WARPFOLD_NO_UNROLL
  for (int begin = 0; begin < total; begin += half) {
    const int from = greatest_of(__ffs(static_cast<int>(rest)) - 1, 0);  // the lane whose segment this one folds
    const Index own_first = warp::shuffle(first, from);
    const int own_count = (lane < half && begin + lane < total ? 1 : 0) * __shfl_sync(full_warp, count, from);
    const int tail = own_count & (chunk_items - 1), chunks = own_count / chunk_items;
    detail::fold_side_by_side(leaves, own_first, chunks, inside, joins, nodes);
    __syncwarp();
    typename Leaves::chunk last = {};
    load_chunk(leaves, last, own_first + (own_count - tail), tail, inside);
    A value = joins.first_items(last, tail);
    value = detail::join_left_nodes(leaves.transform.op, chunks, lane % half, nodes, tail > 0, value);
    __syncwarp();
    value = warp::shuffle(value, own_place % half);
    if (own_place / half == begin / half) result = value;
    for (int i = 0; i < half; ++i) rest &= rest - 1;
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
