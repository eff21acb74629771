// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments that a lane folds alone, several a lane at once, so that all their loads are on the way together.
#pragma once
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/thread/exact_identity.cuh>

namespace warpfold::warp {

/// Segment number k of the calling lane has count[k] items, a chunk at most, from first[k] on. Calls store(k, result) for
/// those that have any. `inside`: whether is_inside is known of all lanes' items.
template <int Segments, class Leaves, class Op, class Store>
__device__ void fold_single_chunks(const Leaves& leaves, const int (&first)[Segments], const int (&count)[Segments], bool inside,
                                   Op op, Store store) {
  typename Leaves::chunk chunks[Segments] = {};
  if (inside) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Segments; ++k) leaves.source.load_inside(chunks[k], first[k], count[k]);
  } else {
    WARPFOLD_UNROLL
    for (int k = 0; k < Segments; ++k) leaves.source.load_items(chunks[k], first[k], count[k]);
  }
  WARPFOLD_UNROLL
  for (int k = 0; k < Segments; ++k) {
    const auto value = thread::fold_chunk(leaves, chunks[k], op, count[k]);
    if (count[k] > 0) store(k, value);
  }
}

/// Segment number k of the calling lane has the items [begin[k], end[k]), MaxItems at most, which are read one by one. Calls
/// store(k, whether it has any, result) for each.
template <int MaxItems, int Segments, class Leaves, class Index, class Op, class Store>
__device__ void fold_tiny_segments(const Leaves& leaves, const Index (&begin)[Segments], const Index (&end)[Segments], Op op, Store store) {
  using A = typename Leaves::accumulator;
  using item = typename Leaves::source_type::item;
  constexpr bool uses_identity = thread::has_exact_identity<Op, A>;  // then it stands for what does not exist
  std::conditional_t<uses_identity, A, item> held[Segments][MaxItems];
  WARPFOLD_UNROLL
  for (int k = 0; k < Segments; ++k)
    WARPFOLD_UNROLL
    for (int i = 0; i < MaxItems; ++i) {
      if constexpr (uses_identity) held[k][i] = thread::exact_identity<Op, A>;
      else held[k][i] = item{};
      if (i < end[k] - begin[k]) {
        const item own = leaves.source.at(std::int64_t{begin[k]} + i);
        if constexpr (uses_identity) held[k][i] = leaves.leaf_of(own);
        else held[k][i] = own;
      }
    }
  WARPFOLD_UNROLL
  for (int k = 0; k < Segments; ++k) {
    const int count = static_cast<int>(end[k] - begin[k]);
    if constexpr (uses_identity) {
      store(k, count > 0, thread::fold(held[k], op));
    } else {
      A values[MaxItems] = {};
      WARPFOLD_UNROLL
      for (int i = 0; i < MaxItems; ++i)
        if (i < count) values[i] = leaves.leaf_of(held[k][i]);
      store(k, count > 0, thread::fold(values, op, count));
    }
  }
}

}  // namespace warpfold::warp
