// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds segments of one chunk or less, several per lane, whose loads are all issued before the first fold.
#pragma once
#include <warpfold/segmented/load_chunk.cuh>
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/thread/missing_items.cuh>

namespace warpfold::segmented {

/// Segment k of the calling lane has count[k] items, at most a chunk, from first[k] on. The result of a segment without
/// items is unspecified.
template <int Segments, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ void fold_single_chunks(const Leaves& leaves, const int (&first)[Segments], const int (&count)[Segments],
                                   const chunk_access& access, Op op, A (&results)[Segments]) {
  typename Leaves::chunk chunks[Segments] = {};
  load_chunks(
      leaves, chunks, access, [&](int k) { return first[k]; }, [&](int k) { return count[k]; });
  WARPFOLD_UNROLL
  for (int k = 0; k < Segments; ++k) results[k] = thread::fold_chunk(leaves, chunks[k], op, count[k]);
}

/// `Segments` segments of at most `MaxItems` items for each lane, which are loaded item by item, and folded later.
template <int MaxItems, int Segments, class Leaves, class Op> class tiny_segments {
 public:
  using A = typename Leaves::accumulator;

  /// Segment k has count[k] items from begin[k] on, none if that is not positive.
  template <class Index>
  __device__ void load(const Leaves& leaves, const Index (&begin)[Segments], const int (&count)[Segments]) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Segments; ++k) WARPFOLD_UNROLL
    for (int i = 0; i < MaxItems; ++i) {
      if constexpr (thread::may_load_missing<typename Leaves::source_type>) {
        held_[k][i] = leaves.source.at(std::int64_t{begin[k]} + i);
        continue;
      }
      if constexpr (uses_identity) held_[k][i] = thread::exact_identity<Op, A>;
      else held_[k][i] = item{};
      if (i < count[k]) {
        const item own = leaves.source.at(std::int64_t{begin[k]} + i);
        if constexpr (uses_identity) held_[k][i] = leaves.leaf_of(own);
        else held_[k][i] = own;
      }
    }
  }

  /// The result of a segment without items is unspecified. Overwrites the loaded items.
  __device__ void fold(const Leaves& leaves, const int (&count)[Segments], Op op, A (&results)[Segments]) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Segments; ++k) {
      if constexpr (thread::locates<Leaves>) {
        results[k] = thread::fold_located_items(leaves, held_[k], count[k]);
      } else if constexpr (uses_identity) {
        results[k] = thread::fold(held_[k], op);
      } else {
        A values[MaxItems] = {};
        WARPFOLD_UNROLL
        for (int i = 0; i < MaxItems; ++i)
          if (thread::may_convert_missing<Leaves> || i < count[k]) values[i] = leaves.leaf_of(held_[k][i]);
        results[k] = thread::fold(values, op, count[k]);
      }
    }
  }

 private:
  using item = typename Leaves::source_type::item;
  // Missing items are padded with the identity. Not if items are converted, since that would wait for each load.
  static constexpr bool uses_identity = !thread::may_load_missing<typename Leaves::source_type> &&
                                        thread::may_combine_missing<Op, A> && thread::may_convert_missing<Leaves> &&
                                        (std::is_same_v<item, A> || std::is_integral_v<item>);
  std::conditional_t<uses_identity, A, item> held_[Segments][MaxItems];
};

}  // namespace warpfold::segmented
