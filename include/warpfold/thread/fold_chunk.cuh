// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds the items of a chunk by the canonical tree.
#pragma once
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/source.cuh>
#include <warpfold/thread/sum_bytes.cuh>

namespace warpfold::thread {

/// Whether a leaf is an item as it is, a number, so that one may be made of what does not exist.
template <class Leaves>
inline constexpr bool just_items =
    std::is_arithmetic_v<typename Leaves::accumulator>&& std::is_same_v<typename Leaves::transform_type, no_transform>;

namespace detail {

/// The node over items [First, First + Count) of a chunk, depth first: of leaves wider than items few are held at once. `exists`
/// tells which items do; what does not takes no part.
template <int First, int Count, class Leaves, class Op, class Exists, class A = typename Leaves::accumulator>
__device__ A fold_items(const Leaves& leaves, const typename Leaves::chunk& from, Op op, Exists exists) {
  if constexpr (Count == 1) {
    if (just_items<Leaves> || exists(First)) return leaves.leaf(from, First);
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
template <class Leaves, class Op>
__device__ auto fold_chunk(const Leaves& leaves, const typename Leaves::chunk& from, Op op) {
  constexpr int items = Leaves::chunk_items;
  if constexpr (sums_bytes<Leaves, Op>) return sum_bytes<typename Leaves::accumulator>(from, items);
  else return detail::fold_items<0, items>(leaves, from, op, [](int) { return true; });
}

/// The same over the first `count`; without any the result means nothing. Transforms never see an item that does not exist.
template <class Leaves, class Op>
__device__ auto fold_chunk(const Leaves& leaves, const typename Leaves::chunk& from, Op op, int count) {
  if constexpr (sums_bytes<Leaves, Op>) return sum_bytes<typename Leaves::accumulator>(from, count);
  else return detail::fold_items<0, Leaves::chunk_items>(leaves, from, op, [=](int k) { return k < count; });
}

}  // namespace warpfold::thread
