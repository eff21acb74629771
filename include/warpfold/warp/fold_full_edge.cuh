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
  const int lane = arch::lane_id(), chunks = items >> log_chunk, tail = items & (chunk_items - 1);
  full nodes[Rows], last;  // over chunks, and over the items of the chunk that is not whole
  WARPFOLD_UNROLL
  for (int r = 0; r < Rows; ++r)
    nodes[r] = thread::detail::fold_full_items<0, chunk_items>(
        op, [&](int k) { return thread::full_item(leaves, rows[r], k, r * warp_lanes + lane < chunks); });
  {
    // (Not rows[chunks >> log_row]: the rows would be kept in local memory. So below.)
    Chunk held;
    WARPFOLD_UNROLL
    for (int i = 0; i < Chunk::words; ++i) {
      WARPFOLD_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const std::uint32_t word = __shfl_sync(full_warp, rows[r].word[i], chunks & (warp_lanes - 1));
        if (r == 0 || chunks >> log_row == r) held.word[i] = word;
      }
    }
    Chunk own = held;
    WARPFOLD_UNROLL
    for (int k = 1; k < chunk_items; ++k)
      if (lane == k) own.set(0, held.item(k));
    last = op.lift_full(thread::full_item(leaves, own, 0, lane < tail));
  }
  full edge = last;  // of lane l: the node of 2^l items at the edge, if there is one
  WARPFOLD_NO_UNROLL
  for (int level = 0; level < log_row; ++level) {
    const int item = tail >> (level + 1) << (level + 1), chunk = chunks >> (level + 1) << (level + 1);
    const full small = warp::shuffle(last, item);
    full large = warp::shuffle(nodes[0], chunk & (warp_lanes - 1));
    WARPFOLD_UNROLL
    for (int r = 1; r < Rows; ++r)
      large = thread::choose(chunk >> log_row == r, warp::shuffle(nodes[r], chunk & (warp_lanes - 1)), large);
    edge = thread::choose(lane == level && level < log_chunk, small, edge);
    edge = thread::choose(lane == log_chunk + level, large, edge);
    const auto join = [&](full& node, std::int64_t count) {
      node = op.join_full(node, warp::shuffle_down(node, 1 << level), count << level);
    };
    join(last, 1);
    WARPFOLD_UNROLL
    for (int r = 0; r < Rows; ++r) join(nodes[r], chunk_items);
  }
  WARPFOLD_UNROLL
  for (int half = 1, level = log_chunk + log_row; half < Rows; half *= 2, ++level) {
    full large = warp::shuffle(nodes[0], 0);
    WARPFOLD_UNROLL
    for (int r = 2 * half; r < Rows; r += 2 * half)
      large = thread::choose(items >> (level + 1) << (level + 1) == r << (log_chunk + log_row),
                             warp::shuffle(nodes[r], 0), large);
    edge = thread::choose(lane == level, large, edge);
    WARPFOLD_UNROLL
    for (int r = 0; r + half < Rows; r += 2 * half)
      nodes[r] = op.join_full(nodes[r], nodes[r + half], std::int64_t{half} << (log_chunk + log_row));
  }
  A value{};
  bool found = false;
  WARPFOLD_NO_UNROLL
  for (int level = 0; items >> level != 0; ++level) {
    if (!(items >> level & 1)) continue;
    const full node = warp::shuffle(edge, level);
    value = found ? thread::detail::join_fewer(op, node, std::int64_t{1} << level, value)
                  : op.of_full(node, std::int64_t{1} << level);
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
