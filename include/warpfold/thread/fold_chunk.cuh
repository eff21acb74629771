// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds the items of a chunk by the canonical tree.
#pragma once
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::thread {

/// The node over all items of `from`.
template <class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_chunk(const Leaves& leaves, const typename Leaves::chunk& from, Op op) {
  A values[Leaves::chunk_items];
  WARPFOLD_UNROLL
  for (int k = 0; k < Leaves::chunk_items; ++k) values[k] = leaves.leaf(from, k);
  return fold(values, op);
}

/// The same over the first `count`; without any the result means nothing. Transforms never see an item that does not exist.
template <class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_chunk(const Leaves& leaves, const typename Leaves::chunk& from, Op op, int count) {
  constexpr bool just_items = std::is_arithmetic_v<A> && std::is_same_v<typename Leaves::transform_type, no_transform>;
  A values[Leaves::chunk_items] = {};
  WARPFOLD_UNROLL
  for (int k = 0; k < Leaves::chunk_items; ++k)
    if (just_items || k < count) values[k] = leaves.leaf(from, k);
  return fold(values, op, count);
}

}  // namespace warpfold::thread
