// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A batch: rows of 32 chunks, consecutive in memory, that a warp loads at once and folds to one node of the canonical
// tree. Each lane folds its chunk pairwise, then the rows are reduced together.
#pragma once
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/thread/fold_parts.cuh>
#include <warpfold/thread/full_nodes.cuh>
#include <warpfold/warp/batched_reduce.cuh>
#include <warpfold/warp/fold_terms.cuh>
#include <warpfold/warp/locate_in_rows.cuh>
#include <warpfold/warp/select_in_rows.cuh>

namespace warpfold::warp {

/// The bytes that a lane holds for each row of a whole batch, beside its chunk: an accumulator; with plain terms, also
/// the accumulator of another batch. Folds that select items hold none.
template <class Leaves>
inline constexpr std::size_t batch_held_bytes = selects<Leaves>     ? 16
                                                : has_terms<Leaves> ? 2 * sizeof(typename Leaves::accumulator)
                                                                    : sizeof(typename Leaves::accumulator);

/// Whether rows are folded by full nodes. Not if items may be skipped: code for both cases costs more than it saves.
template <class Leaves> WARPFOLD_JIT consteval bool find_folds_full_rows() {
  if constexpr (thread::detail::has_wide_full_nodes<Leaves>) return thread::all_items_count<Leaves>;
  else return false;
}
template <class Leaves> inline constexpr bool folds_full_rows = find_folds_full_rows<Leaves>();

/// The full node over whole rows. Valid in every lane.
template <class Leaves, class Chunk, int Rows>
__device__ auto fold_full_rows(const Leaves& leaves, const Chunk (&rows)[Rows]) {
  constexpr int chunk_items = Leaves::chunk_items;
  const auto& op = leaves.transform.op;
  typename thread::detail::full_nodes_of<Leaves>::accumulator values[Rows];
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row)
    values[row] = thread::detail::fold_full_items<0, chunk_items>(
        op, [&](int k) { return thread::item_of(leaves, rows[row], k); });
  const auto all = fold_rows_of_nodes(values, [&](int chunks) {
    return [&op, chunks](const auto& a, const auto& b) { return op.join_full(a, b, chunks * chunk_items); };
  });
  return op.of_full(all, Rows * warp_lanes * chunk_items);
}

/// The node over whole rows; each lane has one chunk per row. Valid in every lane. (`Chunk` may derive from the leaves'
/// chunk.)
template <class Leaves, class Chunk, int Rows, class Op, class A = typename Leaves::accumulator>
__device__ A fold_chunk_rows(const Leaves& leaves, const Chunk (&rows)[Rows], Op op) {
  if constexpr (thread::is_fused<Op>) {
    return thread::fold_parts<A>(
        op, leaves, [&](const auto& part, const auto& part_op) { return fold_chunk_rows(part, rows, part_op); });
  } else {
    if constexpr (thread::has_empty_full_nodes<Leaves> && std::is_same_v<Chunk, typename Leaves::chunk>)
      if (__all_sync(full_warp, thread::items_count(leaves, rows)))
        return op.of_full({}, Rows * warp_lanes * Leaves::chunk_items);
    if constexpr (folds_full_rows<Leaves>) {
      return fold_full_rows(leaves, rows);
    } else {
      A values[Rows];
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) values[row] = thread::fold_chunk(leaves, rows[row], op);
      return fold_rows(values, op);
    }
  }
}

/// fold_chunk_rows over the first `items` > 0 items of the rows.
template <class Leaves, class Chunk, int Rows, class Op, class A = typename Leaves::accumulator>
__device__ A fold_chunk_rows(const Leaves& leaves, const Chunk (&rows)[Rows], Op op, int items) {
  if constexpr (thread::is_fused<Op>) {
    return thread::fold_parts<A>(
        op, leaves, [&](const auto& part, const auto& part_op) { return fold_chunk_rows(part, rows, part_op, items); });
  } else {
    constexpr int chunk_items = Leaves::chunk_items, row_items = warp_lanes * chunk_items;
    A values[Rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const int count = items - row * row_items - arch::lane_id() * chunk_items;
      if constexpr (thread::may_convert_missing<Leaves>) {
        A chunk_values[chunk_items];
        WARPFOLD_UNROLL
        for (int k = 0; k < chunk_items; ++k) chunk_values[k] = leaves.leaf(rows[row], k);
        values[row] = thread::fold(chunk_values, op, count);
      } else values[row] = thread::fold_chunk(leaves, rows[row], op, count);
    }
    return fold_rows(values, op, (items + chunk_items - 1) / chunk_items);
  }
}

/// fold_chunk_rows of whole rows, by plain terms if they can be.
template <class Leaves, class Chunk, int Rows, class Op, class A = typename Leaves::accumulator>
__device__ A fold_loaded_rows(const Leaves& leaves, const Chunk (&rows)[Rows], Op op) {
  if constexpr (has_terms<Leaves>)
    if (const term_rows<Leaves, Rows> all(leaves, rows); all.are_plain()) return all.fold();
  return fold_chunk_rows(leaves, rows, op);
}

/// The node over the batch that starts at item `first`, all of whose items exist. Lanes load their chunks by
/// load(chunk, first item). Valid in every lane.
template <int Rows, class Index, class Leaves, class Op, class Load, class A = typename Leaves::accumulator>
__device__ A fold_whole_batch(const Leaves& leaves, Index first, Op op, Load load) {
  constexpr int chunk_items = Leaves::chunk_items, row_items = warp_lanes * chunk_items;
  typename Leaves::chunk rows[Rows];
  const Index own = first + arch::lane_id() * chunk_items;
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) load(rows[row], own + row * row_items);
  if constexpr (thread::locates<Leaves>) return locate_in_rows(leaves, rows, leaves.source.first_index + first);
  else if constexpr (selects<Leaves>) return select_in_rows(leaves, rows, first);
  else return fold_loaded_rows(leaves, rows, op);
}

/// fold_whole_batch of `rows` rows, a power of two up to MaxRows.
template <int MaxRows, class Index, class Leaves, class Op, class Load>
__device__ auto fold_whole_rows(const Leaves& leaves, Index first, int rows, Op op, Load load) {
  if constexpr (MaxRows > 1)
    if (rows < MaxRows) return fold_whole_rows<MaxRows / 2>(leaves, first, rows, op, load);
  return fold_whole_batch<MaxRows>(leaves, first, op, load);
}

/// The node over the items that exist, at least one, of the batch of `rows` rows at `first`, up to MaxRows. Valid in
/// every lane. Missing items are skipped, so no identity is needed; conversions, transforms and the operator never see
/// one.
template <int MaxRows, class Index, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_partial_batch(const Leaves& leaves, Index first, int rows, Op op) {
  constexpr int chunk_items = Leaves::chunk_items, row_items = warp_lanes * chunk_items;
  const Index rest = static_cast<Index>(leaves.source.items) - first;
  const int items = rest < rows * row_items ? static_cast<int>(rest) : rows * row_items;
  const int own = arch::lane_id() * chunk_items;
  typename Leaves::chunk chunks[MaxRows] = {};  // uninitialised words would stay live around the caller's loop
  WARPFOLD_UNROLL
  for (int row = 0; row < MaxRows; ++row) leaves.source.load_edge(chunks[row], first + row * row_items + own);
  return fold_chunk_rows(leaves, chunks, op, items);
}

/// fold_partial_batch, but by shifted vectors where the whole batch and the vectors around it exist.
template <int MaxRows, bool IsQuick, class Index, class Leaves, class Op>
__device__ auto fold_slow_batch(const Leaves& leaves, Index first, int rows, Op op) {
  using chunk = typename Leaves::chunk;
  const auto& source = leaves.source;
  if constexpr (requires { source.can_shift(first, first); })
    if (source.can_shift(first, first + rows * warp_lanes * Leaves::chunk_items))
      return fold_whole_rows<MaxRows>(leaves, first, rows, op,
                                      [&](chunk& to, Index item) { source.load_shifted(to, item); });
  if constexpr (IsQuick && MaxRows > 1)  // one row is the whole of the smallest inputs
    if (rows == 1) return fold_partial_batch<1>(leaves, first, 1, op);
  return fold_partial_batch<MaxRows>(leaves, first, rows, op);
}

/// Whether the `items` items from `first` on exist, and can be loaded by aligned vectors.
template <class Index, class Leaves> __device__ bool is_whole(const Leaves& leaves, Index first, int items) {
  return first + items <= static_cast<Index>(leaves.source.items) && leaves.source.misaligned_bytes() == 0;
}

/// The node over the items that exist, at least one, of the batch of `rows` rows at `first` that is not whole: a power
/// of two up to MaxRows. Valid in every lane. Many rows are folded in two halves, one after the other: lanes that cut
/// chunks out of more vectors, or count items, have registers for half of the rows at a time.
template <int MaxRows, class Index, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_cut_batch(const Leaves& leaves, Index first, Op op, int rows = MaxRows) {
  constexpr int row_items = warp_lanes * Leaves::chunk_items, step_rows = MaxRows > 4 ? MaxRows / 2 : MaxRows;
  A value{};
  WARPFOLD_NO_UNROLL
  for (int step = 0; step == 0 || step * step_rows < rows; ++step) {
    const Index step_first = first + step * step_rows * row_items;
    if (step_first >= static_cast<Index>(leaves.source.items)) break;
    const A node = fold_slow_batch<step_rows, step_rows == MaxRows>(leaves, step_first, least_of(rows, step_rows), op);
    value = step == 0 ? node : op(value, node);
  }
  return value;
}

/// The node over the items that exist, at least one, of the batch of `rows` rows at `first`: a power of two up to
/// MaxRows. Valid in every lane. `Index` is the type of item numbers: int where they fit. Rare
/// cases are compiled once for all numbers of rows.
template <int MaxRows, class Index, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_batch(const Leaves& leaves, Index first, Op op, int rows = MaxRows) {
  using chunk = typename Leaves::chunk;
  if (is_whole(leaves, first, rows * warp_lanes * Leaves::chunk_items))
    return fold_whole_rows<MaxRows>(leaves, first, rows, op,
                                    [&](chunk& to, Index item) { leaves.source.load(to, item); });
  return fold_cut_batch<MaxRows>(leaves, first, op, rows);
}

}  // namespace warpfold::warp
