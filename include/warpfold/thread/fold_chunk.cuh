// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds the items of a chunk by the canonical tree.
#pragma once
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::thread {

namespace detail {

/// The node over items [First, First + Count) of a chunk, depth first: of leaves wider than items few are held at once. `exists`
/// tells which items do; what does not takes no part.
template <int First, int Count, class Leaves, class Op, class Exists, class A = typename Leaves::accumulator>
__device__ A fold_items(const Leaves& leaves, const typename Leaves::chunk& from, Op op, Exists exists) {
  if constexpr (Count == 1) {
    constexpr bool just_items = std::is_arithmetic_v<A> && std::is_same_v<typename Leaves::transform_type, no_transform>;
    if (just_items || exists(First)) return leaves.leaf(from, First);
    return A{};
  } else {
    constexpr int half = Count / 2;
    A value = fold_items<First, half>(leaves, from, op, exists);
    const A right = fold_items<First + half, half>(leaves, from, op, exists);
    if (exists(First + half)) value = op(value, right);
    return value;
  }
}

}  // namespace detail

/// The node over all items of `from`.
template <class Leaves, class Op> __device__ auto fold_chunk(const Leaves& leaves, const typename Leaves::chunk& from, Op op) {
  return detail::fold_items<0, Leaves::chunk_items>(leaves, from, op, [](int) { return true; });
}

/// The same over the first `count`; without any the result means nothing. Transforms never see an item that does not exist.
template <class Leaves, class Op>
__device__ auto fold_chunk(const Leaves& leaves, const typename Leaves::chunk& from, Op op, int count) {
  return detail::fold_items<0, Leaves::chunk_items>(leaves, from, op, [=](int k) { return k < count; });
}

}  // namespace warpfold::thread
