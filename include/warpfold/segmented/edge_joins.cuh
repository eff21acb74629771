// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds up to 32 segments in one warp by full nodes (thread/full_nodes.cuh). In a segment's tree only the nodes along
// its right edge have unequal halves, and so need the operator's own joins, which count and may divide. They join
// full nodes, one for each binary digit of the segment's number of chunks, and a tail of less than a chunk. The
// warp folds the segments one after another or side by side, and keeps these nodes in shared memory. Then it folds the
// edges of all segments at once, one per lane.
#pragma once
#include <warpfold/segmented/fold_chunks.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/thread/missing_items.cuh>
#include <warpfold/warp/fold_batch.cuh>
#include <warpfold/warp/scan.cuh>

namespace warpfold::segmented {

/// Whether segments of these leaves are folded so.
template <class Leaves>
inline constexpr bool joins_edges_late = [] {
  if constexpr (warp::folds_full_rows<Leaves>)
    return sizeof(typename thread::detail::full_nodes_of<Leaves>::accumulator) <= 16 && Leaves::chunk_items > 1;
  else return false;
}();

/// The full nodes at the right edges of the segments of 32 lanes, or of one, in shared memory. `Levels` bounds the
/// digits of their numbers of chunks, but 2^Levels chunks are allowed: such a segment has no other node.
template <class Leaves, int Levels, int Segments = warp_lanes> class edge_nodes {
 public:
  using full = typename thread::detail::full_nodes_of<Leaves>::accumulator;

  /// The node of 2^level chunks of the segment of lane `segment`.
  __device__ full& at(int level, int segment) { return nodes_[level % Levels][segment]; }
  __device__ const full& at(int level, int segment) const { return nodes_[level % Levels][segment]; }

  thread::array<unsigned char, Segments> with_chunks;  ///< the lanes of segments that have chunks, in order

 private:
  thread::array<thread::array<full, Segments>, Levels> nodes_;
};

namespace detail {

/// Whether the node of 2^level chunks that begins with chunk `index` lies at the right edge of `chunks` chunks.
__device__ inline bool is_at_edge(int chunks, int index, int level) {
  return (chunks >> level & 1) && index == chunks >> (level + 1) << (level + 1);
}

/// Item k of a lane's chunk, as the operator lifts it. If it does not exist, no transform sees it, and it is 0.
template <class Leaves>
__device__ auto full_item(const Leaves& leaves, const typename Leaves::chunk& from, int k, bool exists) {
  using T = typename thread::detail::full_nodes_of<Leaves>::item;
  if (thread::may_convert_missing<Leaves> || exists) return T(thread::item_of(leaves, from, k));
  return T(0);
}

/// The full node over a lane's chunk. If it does not exist, the result means nothing.
template <class Leaves>
__device__ auto fold_full_chunk(const Leaves& leaves, const typename Leaves::chunk& from, bool exists) {
  return thread::detail::fold_full_items<0, Leaves::chunk_items>(
      leaves.transform.op, [&](int k) { return full_item(leaves, from, k, exists); });
}

template <class Leaves, class Index>
__device__ void load_chunk(const Leaves& leaves, typename Leaves::chunk& to, Index first, int count, bool inside) {
  if (inside) leaves.source.load_inside(to, first, count);
  else leaves.source.load_items(to, first, count);
}

/// Folds the chunks of 32 segments side by side. Lane l has `chunks` chunks, at most 32, of segment l, from item
/// `first` on.
template <class Leaves, class Index, int Levels>
__device__ void fold_side_by_side(const Leaves& leaves, Index first, int chunks, bool inside,
                                  edge_nodes<Leaves, Levels>& nodes) {
  constexpr int chunk_items = Leaves::chunk_items;
  const auto& op = leaves.transform.op;
  const int lane = arch::lane_id();
  const int end = warp::sum_through(chunks), begin = end - chunks, total = __shfl_sync(full_warp, end, warp_lanes - 1);
  const int max_chunks = warp::all_reduce(chunks, maximum{});
  const unsigned to_own = ~0u >> (warp_lanes - 1 - lane), have_chunks = __ballot_sync(full_warp, chunks > 0);
  if (chunks > 0) nodes.with_chunks[__popc(have_chunks & to_own) - 1] = static_cast<unsigned char>(lane);
  __syncwarp();
  int done = 0, folded = 0;  // chunks, and segments that have any
  WARPFOLD_NO_UNROLL
  while (done < total) {
    const bool fits = chunks > 0 && begin >= done && end <= done + warp_lanes;
    const unsigned heads = warp::all_reduce(fits ? 1u << (begin - done) : 0u, bit_or{});
    const unsigned heads_to_own = heads & to_own;
    const int segment = nodes.with_chunks[folded + __popc(heads_to_own) - 1];
    const int index = lane - (warp_lanes - 1) + __clz(static_cast<int>(heads_to_own));
    const int own_chunks = __shfl_sync(full_warp, chunks, segment);
    typename Leaves::chunk own = {};
    load_chunk(leaves, own, warp::shuffle(first, segment) + index * chunk_items, index < own_chunks ? chunk_items : 0,
               inside);
    auto value = fold_full_chunk(leaves, own, index < own_chunks);
    WARPFOLD_NO_UNROLL
    for (int level = 0;; ++level) {
      if (is_at_edge(own_chunks, index, level)) nodes.at(level, segment) = value;
      if (2 << level > max_chunks) break;
      // Past its segment's end a lane computes no node, and its value is not kept.
      value = op.join_full(value, warp::shuffle_down(value, 1 << level), std::int64_t{chunk_items} << level);
    }
    folded += __popc(heads);
    done = __shfl_sync(full_warp, end, nodes.with_chunks[folded - 1]);
  }
}

/// Folds the `chunks` chunks of one segment from item `first` on, whose number is `segment`: 64 chunks at a time.
/// `Index` counts items and chunks.
template <class Leaves, class Index, class Nodes>
__device__ void fold_chunks_of(const Leaves& leaves, Index first, Index chunks, int segment, bool inside,
                               Nodes& nodes) {
  using full = typename Nodes::full;
  constexpr int chunk_items = Leaves::chunk_items, rows = 2, log_row = log2_of(warp_lanes);
  const auto& op = leaves.transform.op;
  const int lane = arch::lane_id();
  WARPFOLD_NO_UNROLL
  for (Index row = 0; row * warp_lanes < chunks; row += rows) {
    const Index row_first = first + row * (warp_lanes * chunk_items);
    const int exist = static_cast<int>(least_of(chunks - row * warp_lanes, Index{rows * warp_lanes}));
    typename Leaves::chunk own[rows] = {};
    full values[rows];
    WARPFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int index = r * warp_lanes + lane;
      load_chunk(leaves, own[r], row_first + index * chunk_items, index < exist ? chunk_items : 0, inside);
    }
    WARPFOLD_UNROLL
    for (int r = 0; r < rows; ++r) values[r] = fold_full_chunk(leaves, own[r], r * warp_lanes + lane < exist);
    WARPFOLD_UNROLL
    for (int level = 0; level < log_row; ++level) WARPFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      if (is_at_edge(exist, r * warp_lanes + lane, level)) nodes.at(level, segment) = values[r];
      values[r] =
          op.join_full(values[r], warp::shuffle_down(values[r], 1 << level), std::int64_t{chunk_items} << level);
    }
    // The first lane's nodes wait for their right siblings where those at the edge stay.
    if (lane != 0 || exist < warp_lanes) continue;
    full value = values[0];
    int level = 0;
    if (exist == rows * warp_lanes) {
      value = op.join_full(value, values[1], std::int64_t{chunk_items} << log_row);
      WARPFOLD_NO_UNROLL
      for (level = 1; row >> level & 1; ++level)
        value = op.join_full(nodes.at(log_row + level, segment), value, std::int64_t{chunk_items} << (log_row + level));
    }
    nodes.at(log_row + level, segment) = value;
  }
}

/// The calling lane's segment of `count` > 0 items from item `first` on, whose number is `segment`, and whose full
/// nodes have been folded.
template <class Leaves, class Index, class Count, class Nodes, class Op, class A = typename Leaves::accumulator>
__device__ A join_edge(const Leaves& leaves, Index first, Count count, int segment, bool inside, Op op,
                       const Nodes& nodes) {
  constexpr int chunk_items = Leaves::chunk_items;
  const int tail = static_cast<int>(count & (chunk_items - 1));
  const Count chunks = count >> log2_of(chunk_items);
  typename Leaves::chunk last = {};
  if (inside) leaves.source.load_inside(last, first + (count - tail), tail);
  else leaves.source.load_items(last, first + (count - tail), tail);
  A value = thread::fold_chunk(leaves, last, op, tail);
  bool found = tail > 0;
  WARPFOLD_NO_UNROLL
  for (int level = 0; chunks >> level != 0; ++level) {
    if (!(chunks >> level & 1)) continue;
    const A node = leaves.transform.op.of_full(nodes.at(level, segment), std::int64_t{chunk_items} << level);
    value = found ? op(node, value) : node;
    found = true;
  }
  return value;
}

}  // namespace detail

/// Folds the segments of the lanes, each of at most 32 chunks: the calling lane's has `count` items from item `first`
/// on, or none. Sets `result` where it has any. All lanes call it. `inside`: the items are is_inside of the source.
template <class Leaves, class Index, int Levels, class Op, class A = typename Leaves::accumulator>
__device__ void fold_lanes(const Leaves& leaves, Index first, int count, bool inside, Op op,
                           edge_nodes<Leaves, Levels>& nodes, A& result) {
  detail::fold_side_by_side(leaves, first, count >> log2_of(Leaves::chunk_items), inside, nodes);
  __syncwarp();
  if (count > 0) result = detail::join_edge(leaves, first, count, arch::lane_id(), inside, op, nodes);
  __syncwarp();  // before other segments' nodes are kept
}

/// The same for `taken` segments of `length` items each, one after another from the leaves' first item on.
template <class Leaves, int Levels, class IsInside, class Op, class A = typename Leaves::accumulator>
__device__ void fold_lanes_of_length(const Leaves& leaves, int length, int taken, IsInside is_inside, Op op,
                                     edge_nodes<Leaves, Levels>& nodes, A& result) {
  WARPFOLD_NO_UNROLL
  for (int segment = 0; segment < taken; ++segment)
    detail::fold_chunks_of(leaves, segment * length, length >> log2_of(Leaves::chunk_items), segment,
                           is_inside(segment * length, (segment + 1) * length), nodes);
  __syncwarp();
  const int lane = arch::lane_id();
  if (lane < taken)
    result = detail::join_edge(leaves, lane * length, length, lane, is_inside(0, taken * length), op, nodes);
  __syncwarp();
}

/// The full nodes at the right edge of one segment, of fewer than 2^40 chunks.
template <class Leaves> using span_nodes = edge_nodes<Leaves, 40, 1>;

/// The canonical tree over the `items` > 0 items from item `first` on. Valid in lane 0. All lanes call it.
template <class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_full_span(const Leaves& leaves, std::int64_t first, std::int64_t items, Op op,
                            span_nodes<Leaves>& nodes) {
  const bool inside = leaves.source.is_inside(first, first + items);
  detail::fold_chunks_of(leaves, first, items >> log2_of(Leaves::chunk_items), 0, inside, nodes);
  __syncwarp();
  A value{};
  if (arch::lane_id() == 0) value = detail::join_edge(leaves, first, items, 0, inside, op, nodes);
  __syncwarp();
  return value;
}

}  // namespace warpfold::segmented
