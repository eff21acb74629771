// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels for outputs of few items each, whose neighbours are adjacent: each thread folds vectors of whole outputs.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/axes/arguments.cuh>
#include <warpfold/axes/column_batch.cuh>
#include <warpfold/axes/few_rows.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Outputs of at most very_few_items items each. A thread has several vectors of them. It finds all their places first,
/// since that may take divisions, which are subroutines; then it issues all loads.
template <class Arguments, class Leaves = typename Arguments::leaves_type>
__global__ void __launch_bounds__(few_items_threads)
very_few_items_kernel(const __grid_constant__ Arguments arguments) {
  constexpr int most = very_few_items, vectors = very_few_items_vectors;
  const int count = static_cast<int>(arguments.items);
  std::int64_t item_at[most];
  WARPFOLD_UNROLL
  for (int k = 0; k < most; ++k) item_at[k] = k < count ? arguments.reduced.in(k) : 0;
  for (std::int64_t tile = blockIdx.x; tile < arguments.plan.tiles; tile += gridDim.x) {
    const std::int64_t first = tile * few_items_threads * vectors + arch::flat_thread();
    place at[vectors] = {};
    WARPFOLD_UNROLL
    for (int i = 0; i < vectors; ++i)
      at[i] = arguments.kept.place_of(least_of(first + i * few_items_threads, arguments.vectors - 1));
    typename Leaves::chunk rows[vectors][most] = {};
    WARPFOLD_UNROLL
    for (int i = 0; i < vectors; ++i) WARPFOLD_UNROLL
    for (int k = 0; k < most; ++k)
      if (k < count) arguments.leaves.load(rows[i][k], at[i].in + item_at[k]);
    WARPFOLD_UNROLL
    for (int i = 0; i < vectors; ++i) {
      if (first + i * few_items_threads >= arguments.vectors) break;
      few_items_folder<Arguments, most> folder(arguments, at[i]);
      folder.fold(rows[i], 0, count);
      folder.write();
    }
  }
}

/// Outputs of at most `Rounds` times `Round` items each. A thread has one vector of them, and loads `Round` items at
/// once. Longer rounds, and four instead of two, take more registers, so fewer threads are resident: hence a kernel for
/// each.
template <int Round, int Rounds, class Arguments, class Leaves = typename Arguments::leaves_type>
__global__ void __launch_bounds__(few_items_threads)
few_items_kernel(const __grid_constant__ Arguments arguments) {
  const int count = static_cast<int>(arguments.items);
  for (std::int64_t tile = blockIdx.x; tile < arguments.plan.tiles; tile += gridDim.x) {
    const std::int64_t vector = tile * few_items_threads + arch::flat_thread();
    if (vector >= arguments.vectors) return;
    const place at = arguments.kept.place_of(vector);
    few_items_folder<Arguments, Round, Rounds> folder(arguments, at);
    WARPFOLD_NO_UNROLL
    for (int first = 0; first < count; first += Round) {
      typename Leaves::chunk rows[Round] = {};
      const int items = least_of(count - first, Round);
      load_rows(arguments.leaves, arguments.reduced, at.in, first, items, rows);
      folder.fold(rows, first, items);
    }
    folder.write();
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
