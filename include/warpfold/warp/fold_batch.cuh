// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A batch: rows of 32 chunks, a power of two of them, consecutive in memory, that a warp loads at once and folds to one node of the
// canonical tree. Each lane folds its chunk pairwise, then the rows are reduced together.
#pragma once
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/warp/batched_reduce.cuh>

namespace warpfold::warp {

/// The node over the batch that starts at item `first`, all of whose items exist. Lanes load their chunks by
/// load(chunk, first item). Valid in every lane.
template <int Rows, class Index, class Leaves, class Op, class Load, class A = typename Leaves::accumulator>
__device__ A fold_whole_batch(const Leaves& leaves, Index first, Op op, Load load) {
  constexpr int chunk_items = Leaves::chunk_items, row_items = warp_lanes * chunk_items;
  typename Leaves::chunk rows[Rows];
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) load(rows[row], first + row * row_items + arch::lane_id() * chunk_items);
  A values[Rows];
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) values[row] = thread::fold_chunk(leaves, rows[row], op);
  return fold_rows(values, op);
}

/// The node over the items [first, end) of a batch, at least one, all of which exist. Valid in every lane. Other items
/// are skipped, so no identity is needed; conversions, transforms and the operator never see one.
template <int Rows, class Index, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_partial_batch(const Leaves& leaves, Index first, Index end, Op op) {
  constexpr int chunk_items = Leaves::chunk_items, row_items = warp_lanes * chunk_items;
  const int items = static_cast<int>(end - first), own = arch::lane_id() * chunk_items;
  typename Leaves::chunk rows[Rows] = {};  // uninitialised words would stay live around the caller's loop
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) leaves.source.load_edge(rows[row], first + row * row_items + own);
  A values[Rows];
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) {
    const int count = items - row * row_items - own;
    if constexpr (thread::just_items<Leaves>) {
      A chunk_values[chunk_items];
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_items; ++k) chunk_values[k] = leaves.leaf(rows[row], k);
      values[row] = thread::fold(chunk_values, op, count);
    } else values[row] = thread::fold_chunk(leaves, rows[row], op, count);
  }
  return fold_rows(values, op, (items + chunk_items - 1) / chunk_items);
}

/// fold_whole_batch of `rows` rows, a power of two up to MaxRows.
template <int MaxRows, class Index, class Leaves, class Op, class Load>
__device__ auto fold_whole_rows(const Leaves& leaves, Index first, int rows, Op op, Load load) {
  if constexpr (MaxRows > 1)
    if (rows < MaxRows) return fold_whole_rows<MaxRows / 2>(leaves, first, rows, op, load);
  return fold_whole_batch<MaxRows>(leaves, first, op, load);
}

/// The node over the items [first, end) of a batch of `rows` rows, a power of two up to MaxRows: by shifted vectors
/// where the whole batch and the vectors around it exist, else item by item.
template <int MaxRows, class Index, class Leaves, class Op>
__device__ auto fold_slow_batch(const Leaves& leaves, Index first, Index end, int rows, Op op) {
  using chunk = typename Leaves::chunk;
  if constexpr (requires { leaves.source.can_shift(first, end); })
    if (end - first == rows * warp_lanes * Leaves::chunk_items && leaves.source.can_shift(first, end))
      return fold_whole_rows<MaxRows>(leaves, first, rows, op,
                                      [&](chunk& to, Index item) { leaves.source.load_shifted(to, item); });
  return fold_partial_batch<MaxRows>(leaves, first, end, op);
}

/// The node over the items that exist, at least one, of the batch of `rows` rows at `first`: a power of two up to
/// MaxRows. Valid in every lane. `Index` is the type of item numbers: int where they fit. What is rare is compiled once
/// for all numbers of rows.
template <int MaxRows, class Index, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_batch(const Leaves& leaves, Index first, Op op, int rows = MaxRows) {
  constexpr int row_items = warp_lanes * Leaves::chunk_items;
  const auto& source = leaves.source;
  const Index items = static_cast<Index>(source.items), end = first + rows * row_items;
  if (end <= items && source.misaligned_bytes() == 0)
    return fold_whole_rows<MaxRows>(leaves, first, rows, op,
                                    [&](typename Leaves::chunk& to, Index item) { source.load(to, item); });
  // Otherwise fold two halves of the rows, one after the other, if there are many rows: lanes that cut chunks out of
  // more vectors, or count items, have registers for half of the rows at a time.
  constexpr int step_rows = MaxRows > 4 ? MaxRows / 2 : MaxRows;
  A value{};
  WARPFOLD_NO_UNROLL
  for (Index from = first; from < end && from < items; from += step_rows * row_items) {
    const Index step_end = least_of(least_of(from + step_rows * row_items, end), items);
    const A node = fold_slow_batch<step_rows>(leaves, from, step_end, rows < step_rows ? rows : step_rows, op);
    value = from == first ? node : op(value, node);
  }
  return value;
}

}  // namespace warpfold::warp
