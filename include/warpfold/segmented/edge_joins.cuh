// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds up to 32 segments in one warp. In a segment's tree only the nodes along its right edge have unequal halves.
// They join one node for each binary digit of the segment's number of chunks, and those of a tail of less than a chunk.
// The warp folds these nodes one after another or side by side, and keeps them in shared memory. Then it joins the
// edges of all segments at once, one per lane. If the operator has full nodes (thread/full_form.cuh), only edges need
// its own joins, which count and may divide.
#pragma once
#include <warpfold/segmented/fold_again.cuh>
#include <warpfold/segmented/late_leaves.cuh>
#include <warpfold/thread/choose.cuh>

namespace warpfold::segmented {

namespace detail {

/// Whether the node of 2^level chunks that begins with chunk `index` lies at the right edge of `chunks` chunks.
__device__ inline bool is_at_edge(int chunks, int index, int level) {
  return (chunks >> level & 1) && index == chunks >> (level + 1) << (level + 1);
}

/// Item k of a lane's chunk, as the operator lifts it. If it does not exist, no transform sees it, and it is 0.
template <class Leaves>
__device__ auto full_item(const Leaves& leaves, const typename Leaves::chunk& from, int k, bool exists) {
  using T = typename thread::detail::full_form<Leaves>::item;
  constexpr bool takes_any = thread::detail::is_number<typename Leaves::source_type::item> &&
                             std::is_same_v<decltype(leaves.transform.transform), thread::no_transform>;
  if (takes_any || exists) return T(thread::item_of(leaves, from, k));
  return T(0);
}

/// How nodes are folded: `chunk` is that of a lane's chunk, which means nothing if it does not exist, and `join` that
/// of two of `chunks` chunks each. `joins_any`: nodes may be joined though they are no neighbours, or do not exist.
template <class Leaves> struct full_joins {
  using node = thread::full_node<Leaves>;
  /// Where a chunk takes long to fold. (Moments are 5 to 8 % slower so.)
  static constexpr bool loads_ahead = sizeof(node) > 16, joins_any = true;
  const Leaves& leaves;

  __device__ node chunk(const typename Leaves::chunk& from, bool exists) const {
    return thread::detail::fold_full_items<0, Leaves::chunk_items>(
        thread::full_form_of(leaves), [&](int k) { return full_item(leaves, from, k, exists); });
  }
  __device__ node join(const node& a, const node& b, int chunks) const {
    return thread::full_form_of(leaves).join_full(a, b, std::int64_t{chunks} * Leaves::chunk_items);
  }
};
/// The same by the operator's own joins.
template <class Leaves, class Op> struct own_joins {
  using node = typename Leaves::accumulator;
  static constexpr bool loads_ahead = false, joins_any = false;
  const Leaves& leaves;
  Op op;

  __device__ node chunk(const typename Leaves::chunk& from, bool exists) const {
    return thread::fold_chunk(leaves, from, op, exists ? Leaves::chunk_items : 0);
  }
  __device__ node join(const node& a, const node& b, int) const { return op(a, b); }
};
template <class Leaves, class Op> __device__ auto joins_of(const Leaves& leaves, [[maybe_unused]] Op op) {
  if constexpr (may_join_full_nodes<Leaves>) return full_joins<Leaves>{leaves};
  else return own_joins<Leaves, Op>{leaves, op};
}

/// Folds the `chunks` chunks of one segment from item `first` on, whose number is `segment`: 64 chunks at a time.
/// `Index` counts items and chunks.
template <class Leaves, class Index, class Op, class Nodes>
__device__ void fold_chunks_of(const Leaves& leaves, Index first, Index chunks, int segment, bool inside, Op op,
                               Nodes& nodes) {
  using node = typename Nodes::node;
  constexpr int chunk_items = Leaves::chunk_items, rows = 2, log_row = log2_of(warp_lanes);
  const auto joins = joins_of(leaves, op);
  const int lane = arch::lane_id();
  WARPFOLD_NO_UNROLL
  for (Index row = 0; row * warp_lanes < chunks; row += rows) {
    const Index row_first = first + row * (warp_lanes * chunk_items);
    const int exist = static_cast<int>(least_of(chunks - row * warp_lanes, Index{rows * warp_lanes}));
    typename Leaves::chunk own[rows] = {};
    node values[rows];
    WARPFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int index = r * warp_lanes + lane;
      load_chunk(leaves, own[r], row_first + index * chunk_items, index < exist ? chunk_items : 0, inside);
    }
    WARPFOLD_UNROLL
    for (int r = 0; r < rows; ++r) values[r] = joins.chunk(own[r], r * warp_lanes + lane < exist);
    WARPFOLD_UNROLL
    for (int level = 0; level < log_row; ++level) WARPFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      if (is_at_edge(exist, r * warp_lanes + lane, level)) nodes.at(level, segment) = values[r];
      const node right = warp::shuffle_down(values[r], 1 << level);
      const int index = r * warp_lanes + lane;
      if (joins.joins_any || (index % (2 << level) == 0 && index + (2 << level) <= exist))
        values[r] = joins.join(values[r], right, 1 << level);
    }
    // The first lane's nodes wait for their right siblings where those at the edge stay.
    if (lane != 0 || exist < warp_lanes) continue;
    node value = values[0];
    int level = 0;
    if (exist == rows * warp_lanes) {
      value = joins.join(value, values[1], warp_lanes);
      WARPFOLD_NO_UNROLL
      for (level = 1; row >> level & 1; ++level)
        value = joins.join(nodes.at(log_row + level, segment), value, warp_lanes << level);
    }
    nodes.at(log_row + level, segment) = value;
  }
}

/// The full nodes at the right edge of the last `count` items of a segment, which end before item `end`: less than a
/// chunk. Nodes of up to `part` items are picked from one fold; half a chunk, if it is more, is folded apart, since few
/// short segments have one.
template <class Leaves, class Index, class Full, int Levels>
__device__ void fold_tail(const Leaves& leaves, Index end, int count, bool inside, Full (&nodes)[Levels]) {
  constexpr int part = Leaves::chunk_items > 8 ? Leaves::chunk_items / 2 : Leaves::chunk_items;
  const auto parts = leaves.template from<part>(0);
  using chunk = typename std::remove_cv_t<decltype(parts)>::chunk;
  const int rest = count & (part - 1);
  chunk last = {}, before = {};
  load_chunk(parts, last, end - rest, rest, inside);
  const bool has_half = part < Leaves::chunk_items && (count & part) != 0;
  if (has_half) load_chunk(parts, before, end - count, part, inside);
  thread::detail::pick_full_nodes<0, part>(
      thread::full_form_of(leaves), [&](int k) { return full_item(parts, last, k, k < rest); }, rest, nodes);
  if constexpr (part < Leaves::chunk_items)
    if (has_half) nodes[log2_of(part)] = full_joins<std::remove_const_t<decltype(parts)>>{parts}.chunk(before, true);
}

/// Folds the `chunks` chunks of the calling lane's segment, from item `first` on.
template <class Leaves, class Op, class Nodes>
__device__ void fold_in_lane(const Leaves& leaves, int first, int chunks, bool inside, Op op, Nodes& nodes) {
  constexpr int chunk_items = Leaves::chunk_items;
  const auto joins = joins_of(leaves, op);
  const int lane = arch::lane_id();
  WARPFOLD_NO_UNROLL
  for (int c = 0; c < chunks; ++c) {
    typename Leaves::chunk held = {};
    load_chunk(leaves, held, first + c * chunk_items, chunk_items, inside);
    auto value = joins.chunk(held, true);
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
  typename Nodes::node of_tail[log_chunk] = {};
  fold_tail(leaves, static_cast<Index>(first + count), static_cast<int>(count & (Leaves::chunk_items - 1)), inside,
            of_tail);
  typename Leaves::accumulator value{};
  bool found = false;
  WARPFOLD_NO_UNROLL
  for (int level = 0; count >> level != 0; ++level) {
    if (!(count >> level & 1)) continue;
    typename Nodes::node node = of_tail[0];
    if (level >= log_chunk) node = nodes.at(level - log_chunk, segment);
    else {
      WARPFOLD_UNROLL
      for (int l = 1; l < log_chunk; ++l) node = thread::choose(l == level, of_tail[l], node);
    }
    const std::int64_t items = std::int64_t{1} << level;
    value = found ? thread::detail::join_fewer(op, node, items, value) : op.of_full(node, items);
    found = true;
  }
  return value;
}
/// The same, or by the operator's own joins if it has no full nodes.
template <class Leaves, class Index, class Count, class Op, class Nodes>
__device__ auto join_edge(const Leaves& leaves, Index first, Count count, int segment, bool inside,
                          [[maybe_unused]] Op op, const Nodes& nodes) -> typename Leaves::accumulator {
  if constexpr (may_join_full_nodes<Leaves>) return join_full_edge(leaves, first, count, segment, inside, nodes);
  else {
    const int tail = static_cast<int>(count & (Leaves::chunk_items - 1));
    const Count chunks = count >> log2_of(Leaves::chunk_items);
    typename Leaves::chunk last = {};
    load_chunk(leaves, last, static_cast<Index>(first + (count - tail)), tail, inside);
    const auto value = thread::fold_chunk(leaves, last, op, tail);
    return join_left_nodes(op, chunks, segment, nodes, tail > 0, value);
  }
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

/// Folds the segments of the lanes, each of at most 32 chunks: the calling lane's has `count` items from item `first`
/// on, or none. Calls write(result) where it has any. All lanes call it. `inside`: the items are is_inside of the
/// source. `Alone`: each lane folds its own segment, all of which are of about one length.
template <bool Alone = false, class Leaves, class Index, class Op, class Storage, class Write>
__device__ void fold_lanes(const Leaves& leaves, Index first, int count, bool inside, Op op, Storage& storage,
                           Write write) {
  const int chunks = count >> log2_of(Leaves::chunk_items);
  if constexpr (Alone) detail::fold_in_lane(leaves, first, chunks, inside, op, storage.nodes);
  else detail::fold_side_by_side(leaves, first, chunks, inside, detail::joins_of(leaves, op), storage.nodes);
  __syncwarp();
  const auto fold_edge = [&] {
    return detail::join_edge(leaves, first, count, arch::lane_id(), inside, op, storage.nodes);
  };
  const bool is_wrong = count > 0 && !detail::write_if_right(leaves, fold_edge(), write);
  __syncwarp();  // before other segments' nodes are kept
  if constexpr (!never_folds_again<Leaves>) {
    if (!__any_sync(full_warp, is_wrong)) return;
    const auto result = fold_lanes_again(leaves, first, is_wrong ? count : 0, inside, storage.again);
    if (is_wrong) write(result);
  }
}

/// The same for `taken` segments of `length` items each, one after another from the leaves' first item on.
template <class Leaves, class IsInside, class Op, class Storage, class Write>
__device__ void fold_lanes_of_length(const Leaves& leaves, int length, int taken, IsInside is_inside, Op op,
                                     Storage& storage, Write write) {
  WARPFOLD_NO_UNROLL
  for (int segment = 0; segment < taken; ++segment)
    detail::fold_chunks_of(leaves, segment * length, length >> log2_of(Leaves::chunk_items), segment,
                           is_inside(segment * length, (segment + 1) * length), op, storage.nodes);
  __syncwarp();
  const int lane = arch::lane_id();
  const auto fold_edge = [&] {
    return detail::join_edge(leaves, lane * length, length, lane, is_inside(0, taken * length), op, storage.nodes);
  };
  const bool is_wrong = lane < taken && !detail::write_if_right(leaves, fold_edge(), write);
  __syncwarp();
  if constexpr (!never_folds_again<Leaves>) {
    unsigned wrong = __ballot_sync(full_warp, is_wrong);
    WARPFOLD_NO_UNROLL
    for (; wrong != 0; wrong &= wrong - 1) {
      const int segment = __ffs(static_cast<int>(wrong)) - 1;
      const auto result = fold_span_again(leaves, segment * length, length);
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
