// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A batch: `Rows` rows of 32 chunks, consecutive in memory, that a warp loads at once and folds to one node of the
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

/// The node over the items of the batch at `first` that exist: at least one. Valid in every lane. Missing items are
/// skipped, so no identity is needed; conversions, transforms and the operator never see one.
template <int Rows, class Index, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_partial_batch(const Leaves& leaves, Index first, Op op) {
  constexpr int chunk_items = Leaves::chunk_items, row_items = warp_lanes * chunk_items;
  const Index left = static_cast<Index>(leaves.source.items) - first;
  const int items = left < Rows * row_items ? static_cast<int>(left) : Rows * row_items;
  const int own = arch::lane_id() * chunk_items;
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

/// fold_partial_batch, but by shifted vectors where the whole batch and the vectors around it exist.
template <int Rows, class Index, class Leaves, class Op>
__device__ auto fold_slow_batch(const Leaves& leaves, Index first, Op op) {
  constexpr int batch_items = Rows * warp_lanes * Leaves::chunk_items;
  const auto& source = leaves.source;
  if constexpr (requires { source.can_shift(first, first); })
    if (source.can_shift(first, first + batch_items))
      return fold_whole_batch<Rows>(leaves, first, op,
                                    [&](typename Leaves::chunk& to, Index item) { source.load_shifted(to, item); });
  return fold_partial_batch<Rows>(leaves, first, op);
}

/// The node over the items of the batch at `first` that exist: at least one. Valid in every lane. `Index` is the type
/// of item numbers: int where they fit.
template <int Rows, class Index, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_batch(const Leaves& leaves, Index first, Op op) {
  using chunk = typename Leaves::chunk;
  constexpr int batch_items = Rows * warp_lanes * Leaves::chunk_items;
  const auto& source = leaves.source;
  const bool whole = first + batch_items <= static_cast<Index>(source.items);
  if (whole && source.misaligned_bytes() == 0)
    return fold_whole_batch<Rows>(leaves, first, op, [&](chunk& to, Index item) { source.load(to, item); });
  // Otherwise fold two halves of the rows, one after the other, if there are many rows: lanes that cut chunks out of
  // more vectors, or count items, have registers for half of the rows at a time.
  constexpr int step_rows = Rows > 4 ? Rows / 2 : Rows, step_items = batch_items / (Rows / step_rows);
  A value{};
  WARPFOLD_NO_UNROLL
  for (int step = 0; step < Rows / step_rows; ++step) {
    const Index step_first = first + step * step_items;
    if (step_first >= static_cast<Index>(source.items)) break;
    const A node = fold_slow_batch<step_rows>(leaves, step_first, op);
    value = step == 0 ? node : op(value, node);
  }
  return value;
}

}  // namespace warpfold::warp
