// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds the first items of rows by full nodes (thread/full_form.cuh): one for each binary digit of their number, along
// the right edge of their tree. Only these few are joined by the operator's own joins, which count and may divide.
#pragma once
#include <warpfold/thread/few_items.cuh>
#include <warpfold/warp/fold_batch.cuh>

namespace warpfold::warp {

namespace detail {
/// Whether lanes hold an item of a chunk each.
template <class Leaves> WARPFOLD_JIT consteval bool find_folds_full_edge() {
  if constexpr (thread::has_full_form<Leaves> && folds_full_rows<Leaves>)
    return 1 < Leaves::chunk_items && Leaves::chunk_items <= warp_lanes;
  else return false;
}

/// A chunk whose first item is the calling lane's item of chunk `index`, counted along the rows.
template <int Items, class Chunk, int Rows> __device__ Chunk item_of_lane(const Chunk (&rows)[Rows], int index) {
  // (Not of rows[index / 32], which would keep the rows in local memory.)
  Chunk held;
  WARPFOLD_UNROLL
  for (int i = 0; i < Chunk::words; ++i) {
    WARPFOLD_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const std::uint32_t word = __shfl_sync(full_warp, rows[r].word[i], index % warp_lanes);
      if (r == 0 || index / warp_lanes == r) held.word[i] = word;
    }
  }
  Chunk own = held;
  WARPFOLD_UNROLL
  for (int k = 1; k < Items; ++k)
    if (arch::lane_id() == k) own.set(0, held.item(k));
  return own;
}
/// The value that node `index` has, counted along the rows.
template <class Node, int Rows> __device__ Node node_of_rows(const Node (&rows)[Rows], int index) {
  Node node = warp::shuffle(rows[0], index % warp_lanes);
  WARPFOLD_UNROLL
  for (int r = 1; r < Rows; ++r)
    node = thread::choose(index / warp_lanes == r, warp::shuffle(rows[r], index % warp_lanes), node);
  return node;
}
/// Among nodes of 2^level of `count` things, the one at the right edge begins here, if there is one.
__device__ inline int edge_at(int count, int level) { return count >> (level + 1) << (level + 1); }
}  // namespace detail

/// Whether fold_full_edge folds these leaves.
template <class Leaves> inline constexpr bool folds_full_edge = detail::find_folds_full_edge<Leaves>();

/// The node over the first `items` items of rows, of which the lanes hold a chunk each; there is at least one, and not
/// all exist. All lanes of a warp call it, with the same `items`; valid in every lane.
template <class Leaves, class Chunk, int Rows, class A = typename Leaves::accumulator>
__device__ A fold_full_edge(const Leaves& leaves, const Chunk (&rows)[Rows], int items) {
  constexpr int chunk_items = Leaves::chunk_items, log_chunk = log2_of(chunk_items), log_row = log2_of(warp_lanes);
  using full = thread::full_node<Leaves>;
  const auto& op = thread::full_form_of(leaves);
  const int lane = arch::lane_id(), chunks = items / chunk_items, tail = items % chunk_items;
  full nodes[Rows], edge;  // edge of lane l: the node of 2^l items at the right edge, if there is one
  WARPFOLD_UNROLL
  for (int r = 0; r < Rows; ++r)
    nodes[r] = thread::detail::fold_full_items<0, chunk_items>(
        op, [&](int k) { return thread::full_item(leaves, rows[r], k, r * warp_lanes + lane < chunks); });
  const Chunk own = detail::item_of_lane<chunk_items>(rows, chunks);
  full last = op.lift_full(thread::full_item(leaves, own, 0, lane < tail));  // of the chunk that is not whole
  edge = last;
  WARPFOLD_NO_UNROLL
  for (int level = 0; level < log_row; ++level) {
    const full small = warp::shuffle(last, detail::edge_at(tail, level)),
               large = detail::node_of_rows(nodes, detail::edge_at(chunks, level));
    edge = thread::choose(lane == level && level < log_chunk, small, edge);
    edge = thread::choose(lane == log_chunk + level, large, edge);
    last = op.join_full(last, warp::shuffle_down(last, 1 << level), std::int64_t{1} << level);
    WARPFOLD_UNROLL
    for (int r = 0; r < Rows; ++r)
      nodes[r] = op.join_full(nodes[r], warp::shuffle_down(nodes[r], 1 << level), std::int64_t{chunk_items} << level);
  }
  WARPFOLD_UNROLL
  for (int half = 1, level = log_row; half < Rows; half *= 2, ++level) {  // whole rows
    edge = thread::choose(lane == log_chunk + level, detail::node_of_rows(nodes, detail::edge_at(chunks, level)), edge);
    WARPFOLD_UNROLL
    for (int r = 0; r + half < Rows; r += 2 * half)
      nodes[r] = op.join_full(nodes[r], nodes[r + half], std::int64_t{chunk_items} << level);
  }
  A value{};
  bool found = false;
  WARPFOLD_NO_UNROLL
  for (int level = 0; items >> level != 0; ++level) {
    if (!(items >> level & 1)) continue;
    const full node = warp::shuffle(edge, level);
    const std::int64_t count = std::int64_t{1} << level;
    value = found ? thread::detail::join_fewer(op, node, count, value) : op.of_full(node, count);
    found = true;
  }
  return value;
}

/// The same of any operator; of a fused one, part by part.
template <class Leaves, class Chunk, int Rows, class Op, class A = typename Leaves::accumulator>
__device__ A fold_first_items(const Leaves& leaves, const Chunk (&rows)[Rows], int items, Op op) {
  if constexpr (thread::is_fused<Op>)
    return thread::fold_parts<A>(op, leaves, [&](const auto& part, const auto& part_op) {
      return fold_first_items(part, rows, items, part_op);
    });
  else if constexpr (folds_full_edge<Leaves>) return fold_full_edge(leaves, rows, items);
  else return fold_chunk_rows(leaves, rows, op, items);
}

}  // namespace warpfold::warp
