// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds up to 32 segments in one warp. In a segment's tree only the nodes along its right edge have unequal halves.
// They join one node for each binary digit of the segment's number of chunks, and those of a tail of less than a chunk.
// The warp folds these nodes one after another or side by side, and keeps them in shared memory. Then it joins the
// edges of all segments at once, one per lane. If the operator has full nodes (thread/full_form.cuh), only edges need
// its own joins, which count and may divide. (chunk_joins.cuh: how nodes are folded and joined.)
#pragma once
#include <warpfold/segmented/chunk_joins.cuh>
#include <warpfold/segmented/edge_tails.cuh>
#include <warpfold/segmented/fold_again.cuh>
#include <warpfold/thread/choose.cuh>

namespace warpfold::segmented {

namespace detail {

/// Whether the node of 2^level chunks that begins with chunk `index` lies at the right edge of `chunks` chunks.
__device__ inline bool is_at_edge(int chunks, int index, int level) {
  return (chunks >> level & 1) && index == chunks >> (level + 1) << (level + 1);
}

/// Folds the first `exist` chunks of rows of 32, which are neighbours in one segment, to the nodes at their right edge.
/// Returns in lane 0 the node of all rows, if all chunks exist, else that of the first row.
template <class Joins, class Chunk, int Rows, class Nodes>
__device__ auto fold_rows_of_chunks(const Joins& joins, const Chunk (&own)[Rows], int exist, int segment, Nodes& nodes)
    -> typename Nodes::node {
  static_assert(Rows <= 2);
  const int lane = arch::lane_id();
  typename Joins::value values[Rows];
  WARPFOLD_UNROLL
  for (int r = 0; r < Rows; ++r) values[r] = joins.chunk(own[r], r, r * warp_lanes + lane < exist);
  WARPFOLD_UNROLL
  for (int level = 0; 1 << level < warp_lanes; ++level) WARPFOLD_UNROLL
  for (int r = 0; r < Rows; ++r) {
    const int index = r * warp_lanes + lane;
    if (is_at_edge(exist, index, level)) nodes.at(level, segment) = joins.node(values[r]);
    const auto right = warp::shuffle_down(values[r], 1 << level);
    if (joins.joins_any || (index % (2 << level) == 0 && index + (2 << level) <= exist))
      values[r] = joins.join(values[r], right, 1 << level);
  }
  if constexpr (Rows == 2)
    if (exist == Rows * warp_lanes) values[0] = joins.join(values[0], values[1], warp_lanes);
  return joins.node(values[0]);
}
/// The same, as plain terms if the chunks' items can be.
template <class Leaves, class Op, int Rows, class Nodes>
__device__ auto fold_rows_of_chunks(const Leaves& leaves, const typename Leaves::chunk (&own)[Rows], int exist,
                                    int segment, Op op, Nodes& nodes) -> typename Nodes::node {
  if constexpr (may_join_terms<Leaves>) {
    const term_joins<Leaves, Rows> joins(own, [=](int r) { return r * warp_lanes + arch::lane_id() < exist; });
    if (__builtin_expect(joins.are_plain(), true)) return fold_rows_of_chunks(joins, own, exist, segment, nodes);
  }
  return fold_rows_of_chunks(joins_of(leaves, op), own, exist, segment, nodes);
}

/// Folds the `chunks` chunks of one segment from item `first` on, whose number is `segment`: `Rows` rows at a time, all
/// of whose loads are issued before the first one is folded. `Index` counts items and chunks.
template <int Rows = 2, class Leaves, class Index, class Op, class Nodes>
__device__ void fold_chunks_of(const Leaves& leaves, Index first, Index chunks, int segment, chunk_access access, Op op,
                               Nodes& nodes) {
  constexpr int chunk_items = Leaves::chunk_items, log_row = log2_of(warp_lanes);
  const int lane = arch::lane_id();
  WARPFOLD_NO_UNROLL
  for (Index row = 0; row * warp_lanes < chunks; row += Rows) {
    const int exist = static_cast<int>(least_of(chunks - row * warp_lanes, Index{Rows * warp_lanes}));
    typename Leaves::chunk own[Rows] = {};
    // Not compared with `exist`: the compiler has no uniform register for a least value, and would spill.
    const auto index = [&](int r) { return (row + r) * warp_lanes + lane; };
    load_chunks(
        leaves, own, access, [&](int r) { return first + index(r) * chunk_items; },
        [&](int r) { return index(r) < chunks ? chunk_items : 0; });
    typename Nodes::node value = fold_rows_of_chunks(leaves, own, exist, segment, op, nodes);
    // The first lane's nodes wait for their right siblings where those at the edge stay.
    if (lane == 0 && exist >= warp_lanes) {
      int level = 0;
      if (exist == Rows * warp_lanes) {
        const auto joins = joins_of(leaves, op);
        WARPFOLD_NO_UNROLL
        for (level = log2_of(Rows); row >> level & 1; ++level)
          value = joins.join(nodes.at(log_row + level, segment), value, warp_lanes << level);
      }
      nodes.at(log_row + level, segment) = value;
    }
  }
}

/// Folds the `chunks` chunks of the calling lane's segment, from item `first` on.
template <class Leaves, class Op, class Nodes>
__device__ void fold_in_lane(const Leaves& leaves, int first, int chunks, chunk_access access, Op op, Nodes& nodes) {
  constexpr int chunk_items = Leaves::chunk_items;
  const auto joins = joins_of(leaves, op);
  const int lane = arch::lane_id();
  WARPFOLD_NO_UNROLL
  for (int c = 0; c < chunks; ++c) {
    typename Leaves::chunk held = {};
    load_chunk(leaves, held, first + c * chunk_items, chunk_items, access);
    auto value = joins.chunk(held, 0, true);
    int level = 0;
    WARPFOLD_NO_UNROLL
    for (; c >> level & 1; ++level) value = joins.join(nodes.at(level, lane), value, 1 << level);
    nodes.at(level, lane) = value;
  }
}

/// The calling lane's segment of `count` > 0 items from item `first` on, whose number is `segment`, and whose full
/// nodes have been folded. One join in a loop serves all levels, so the code fits the instruction cache.
template <class Leaves, class Index, class Count, class Nodes>
__device__ auto join_full_edge(const Leaves& leaves, Index first, Count count, int segment, bool inside,
                               const Nodes& nodes) -> typename Leaves::accumulator {
  constexpr int log_chunk = log2_of(Leaves::chunk_items);
  const auto& op = thread::full_form_of(leaves);
  const auto end = static_cast<Index>(first + count);
  const int tail = static_cast<int>(count & (Leaves::chunk_items - 1));
  constexpr int least = tells_tail<Leaves> ? log2_of(thread::few_items + 1) : 0;  // levels below are folded at once
  typename Nodes::node of_tail[greatest_of(log_chunk - least, 1)] = {};
  typename Leaves::accumulator value{};
  bool found = false;
  if constexpr (tells_tail<Leaves>)
    found = fold_told_tail(leaves, end, tail, inside, leaves.transform.op, of_tail[0], value);
  else fold_tail(leaves, end, tail, inside, of_tail);
  WARPFOLD_NO_UNROLL
  for (int level = least; count >> level != 0; ++level) {
    if (!(count >> level & 1)) continue;
    typename Nodes::node node = of_tail[0];
    if (level >= log_chunk) node = nodes.at(level - log_chunk, segment);
    else {
      WARPFOLD_UNROLL
      for (int l = least + 1; l < log_chunk; ++l) node = thread::choose(l == level, of_tail[l - least], node);
    }
    const std::int64_t items = std::int64_t{1} << level;
    value = found ? thread::detail::join_fewer(op, node, items, value) : op.of_full(node, items);
    found = true;
  }
  return value;
}
/// join_full_edge, or the same by the operator's own joins if it has no full nodes.
template <class Leaves, class Index, class Count, class Op, class Nodes>
__device__ auto join_edge(const Leaves& leaves, Index first, Count count, int segment, bool inside,
                          [[maybe_unused]] Op op, const Nodes& nodes) -> typename Leaves::accumulator {
  if constexpr (may_join_full_nodes<Leaves>) return join_full_edge(leaves, first, count, segment, inside, nodes);
  else {
    const int tail = static_cast<int>(count & (Leaves::chunk_items - 1));
    const Count chunks = count >> log2_of(Leaves::chunk_items);
    const auto value = fold_own_tail(leaves, static_cast<Index>(first + count), tail, inside, op);
    return join_left_nodes(op, chunks, segment, nodes, tail > 0, value);
  }
}

/// The same, not inlined: the loop that folds chunks before it has registers of its own.
template <class Leaves, class Op, class Nodes>
WARPFOLD_NO_INLINE __device__ auto join_edge_apart(const Leaves& leaves, int first, int count, int segment, bool inside,
                                                   Op op, const Nodes& nodes) -> typename Leaves::accumulator {
  return join_edge(leaves, first, count, segment, inside, op, nodes);
}

/// Writes the result of a segment, unless NaN that do not count were folded into it. Returns whether it did. Results
/// are written before other segments are folded again, which takes all registers.
template <class Leaves, class A, class Write>
__device__ bool write_if_right(const Leaves& leaves, const A& result, Write write) {
  if constexpr (!never_folds_again<Leaves>)
    if (!thread::all_count(leaves, result)) return false;
  write(result);
  return true;
}

}  // namespace detail

/// The shared memory of a warp whose segments have fewer than 2^Levels chunks.
template <class Leaves, int Levels, int Segments = warp_lanes> union edge_storage {
  edge_nodes<edge_node<Leaves>, Levels, Segments> nodes;
  nodes_of_again<Leaves> again;
};

/// Folds the segments of the lanes, each of fewer than 64 chunks: the calling lane's has `count` items from item
/// `first` on, or none. Calls write(result) where it has any. All lanes call it. `Alone`: each lane folds its own
/// segment, all of which are of about one length.
template <bool Alone = false, class Leaves, class Index, class Op, class Storage, class Write>
__device__ void fold_lanes(const Leaves& leaves, Index first, int count, chunk_access access, Op op, Storage& storage,
                           Write write) {
  const int chunks = count >> log2_of(Leaves::chunk_items);
  if constexpr (Alone) detail::fold_in_lane(leaves, first, chunks, access, op, storage.nodes);
  else detail::fold_side_by_side(leaves, first, chunks, access, detail::joins_of(leaves, op), storage.nodes);
  __syncwarp();
  const auto fold_edge = [&] {
    return detail::join_edge(leaves, first, count, arch::lane_id(), access.inside, op, storage.nodes);
  };
  const bool is_wrong = count > 0 && !detail::write_if_right(leaves, fold_edge(), write);
  __syncwarp();  // before other segments' nodes are kept
  if constexpr (!never_folds_again<Leaves>) {
    if (!__any_sync(full_warp, is_wrong)) return;
    const auto result = fold_lanes_again(leaves, first, is_wrong ? count : 0, access.inside, storage.again);
    if (is_wrong) write(result);
  }
}

/// The same for `taken` segments of `length` items each, `pitch` apart, one after another from the leaves' first item
/// on: 64 chunks at a time. Fewer chunks than min_chunks_in_turn, which remain, are folded side by side.
template <class Leaves, class AccessOf, class Op, class Storage, class Write>
__device__ void fold_lanes_of_length(const Leaves& leaves, int length, int pitch, int taken, AccessOf access_of, Op op,
                                     Storage& storage, Write write) {
  constexpr int chunk_items = Leaves::chunk_items, at_once = 1 << detail::log_side_by_side;
  const int lane = arch::lane_id(), chunks = length >> log2_of(chunk_items), last = chunks & (at_once - 1),
            rest = last < min_chunks_in_turn ? last : 0, in_turn = chunks - rest;
  WARPFOLD_NO_UNROLL
  for (int segment = 0; segment < taken; ++segment)
    detail::fold_chunks_of(leaves, segment * pitch, in_turn, segment,
                           access_of(segment * pitch, segment * pitch + length), op, storage.nodes);
  if (rest > 0)
    detail::fold_side_by_side(leaves, lane * pitch + in_turn * chunk_items, lane < taken ? rest : 0,
                              access_of(0, (taken - 1) * pitch + length), detail::joins_of(leaves, op), storage.nodes);
  __syncwarp();
  const auto fold_edge = [&] {
    return detail::join_edge_apart(leaves, lane * pitch, length, lane,
                                   access_of(0, (taken - 1) * pitch + length).inside, op, storage.nodes);
  };
  const bool is_wrong = lane < taken && !detail::write_if_right(leaves, fold_edge(), write);
  __syncwarp();
  if constexpr (!never_folds_again<Leaves>) {
    unsigned wrong = __ballot_sync(full_warp, is_wrong);
    WARPFOLD_NO_UNROLL
    for (; wrong != 0; wrong &= wrong - 1) {
      const int segment = __ffs(static_cast<int>(wrong)) - 1;
      const auto result = fold_span_again(leaves, segment * pitch, length);
      if (lane == segment) write(result);
    }
  }
}

/// The full nodes at the right edge of one segment, of fewer than 2^40 chunks.
template <class Leaves> using span_nodes = edge_nodes<edge_node<Leaves>, 40, 1>;

/// The canonical tree over the `items` > 0 items from item `first` on. Valid in lane 0. All lanes call it.
template <class Leaves, class A = typename Leaves::accumulator>
__device__ A fold_full_span(const Leaves& leaves, std::int64_t first, std::int64_t items, span_nodes<Leaves>& nodes) {
  const bool inside = leaves.source.is_inside(first, first + items);
  detail::fold_chunks_of(leaves, first, items >> log2_of(Leaves::chunk_items), 0, inside, leaves.transform.op, nodes);
  __syncwarp();
  A value{};
  if (arch::lane_id() == 0) value = detail::join_full_edge(leaves, first, items, 0, inside, nodes);
  __syncwarp();
  if constexpr (!never_folds_again<Leaves>) {
    if (__any_sync(full_warp, arch::lane_id() == 0 && !thread::all_count(leaves, value)))
      return fold_span_again(leaves, first, items);
  }
  return value;
}

}  // namespace warpfold::segmented
