// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A batch: `Rows` rows of 32 chunks, consecutive in memory, that a warp loads at once and folds to one node of the
// canonical tree. Each lane folds its chunk pairwise, then the rows are reduced together.
#pragma once
#include <warpfold/thread/fold.cuh>
#include <warpfold/warp/batched_reduce.cuh>
#include <warpfold/warp/rotated_load.cuh>

namespace warpfold::warp {

namespace detail {
/// Loads the rows from item `first` on, by whole vectors where all items of the batch exist.
template <int Rows, class Source>
__device__ void load_rows(typename Source::chunk (&rows)[Rows], const Source& source, std::int64_t first) {
  constexpr int chunk_items = Source::chunk_items;
  const std::int64_t last = first + Rows * warp_lanes * chunk_items;
  const std::int64_t own = first + arch::lane_id() * chunk_items;
  if (last <= source.items) {
    if (source.misaligned_bytes() == 0) {
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) source.load(rows[row], own + row * warp_lanes * chunk_items);
      return;
    }
    if constexpr (requires { rotated_load(rows, source, first); })
      if (can_rotate(source, first, last)) return rotated_load(rows, source, first);
  }
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) source.load_edge(rows[row], own + row * warp_lanes * chunk_items);
}
}  // namespace detail

/// The node over those items of the batch at `first` that exist: at least one. Valid in every lane. No identity is
/// needed: what does not exist takes no part.
template <int Rows, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_batch(const Leaves& leaves, std::int64_t first, Op op) {
  constexpr int chunk_items = Leaves::chunk_items, row_items = warp_lanes * chunk_items;
  typename Leaves::chunk rows[Rows];
  detail::load_rows(rows, leaves.source, first);
  const std::int64_t left = leaves.source.items - first;
  const int items = left < Rows * row_items ? static_cast<int>(left) : Rows * row_items;
  A values[Rows];
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) {
    A chunk_values[chunk_items];
    WARPFOLD_UNROLL
    for (int k = 0; k < chunk_items; ++k) chunk_values[k] = leaves.leaf(rows[row], k);
    values[row] = thread::fold(chunk_values, op, items - row * row_items - arch::lane_id() * chunk_items);
  }
  return fold_rows(values, op, (items + chunk_items - 1) / chunk_items);
}

}  // namespace warpfold::warp
