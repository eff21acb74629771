// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments that a lane folds alone, several a lane at once, so that all their loads are on the way together.
#pragma once
#include <warpfold/thread/exact_identity.cuh>
#include <warpfold/thread/fold_chunk.cuh>

namespace warpfold::segmented {

/// Segment number k of the calling lane has count[k] items, a chunk at most, from first[k] on; those without any leave what
/// means nothing. `inside`: whether is_inside is known of all lanes' items.
template <int Segments, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ void fold_single_chunks(const Leaves& leaves, const int (&first)[Segments], const int (&count)[Segments],
                                   bool inside, Op op, A (&results)[Segments]) {
  typename Leaves::chunk chunks[Segments] = {};
  if (inside) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Segments; ++k) leaves.source.load_inside(chunks[k], first[k], count[k]);
  } else {
    WARPFOLD_UNROLL
    for (int k = 0; k < Segments; ++k) leaves.source.load_items(chunks[k], first[k], count[k]);
  }
  WARPFOLD_UNROLL
  for (int k = 0; k < Segments; ++k) results[k] = thread::fold_chunk(leaves, chunks[k], op, count[k]);
}

/// Segments of up to `MaxItems` items, `Segments` of them a lane, which are read one by one: all at once, to be folded later.
template <int MaxItems, int Segments, class Leaves, class Op> class tiny_segments {
 public:
  using A = typename Leaves::accumulator;

  /// Segment number k has the first count[k] items from begin[k] on; none, if that is not positive.
  template <class Index>
  __device__ void load(const Leaves& leaves, const Index (&begin)[Segments], const int (&count)[Segments]) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Segments; ++k) WARPFOLD_UNROLL
    for (int i = 0; i < MaxItems; ++i) {
      if constexpr (reads_freely) {
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

  /// Those that have no items leave what means nothing. What was loaded is used up.
  __device__ void fold(const Leaves& leaves, const int (&count)[Segments], Op op, A (&results)[Segments]) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Segments; ++k) {
      if constexpr (uses_identity) {
        results[k] = thread::fold(held_[k], op);
      } else {
        A values[MaxItems] = {};
        WARPFOLD_UNROLL
        for (int i = 0; i < MaxItems; ++i)
          if (thread::just_items<Leaves> || i < count[k]) values[i] = leaves.leaf_of(held_[k][i]);
        results[k] = thread::fold(values, op, count[k]);
      }
    }
  }

 private:
  using item = typename Leaves::source_type::item;
  // Then what lies past a segment's items is read, too, and not used.
  static constexpr bool reads_freely = requires { Leaves::source_type::past_bytes; };
  // Then it stands for what does not exist. But not where items are converted, which would wait for each of them.
  static constexpr bool uses_identity = !reads_freely && thread::has_exact_identity<Op, A> &&
                                        thread::just_items<Leaves> &&
                                        (std::is_same_v<item, A> || std::is_integral_v<item>);
  std::conditional_t<uses_identity, A, item> held_[Segments][MaxItems];
};

}  // namespace warpfold::segmented
