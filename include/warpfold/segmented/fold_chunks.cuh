// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short segments, folded side by side: each by neighbouring lanes, a chunk a lane, by the canonical tree from the segment's
// first item. As many whole segments as fit the 32 lanes are folded at once; where each begins does not matter to its tree.
#pragma once
#include <type_traits>
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::segmented {

/// How many chunks `items` items take; none or less if these are not positive.
template <int ChunkItems> __device__ int chunks_of(int items) {
  return (items + ChunkItems - 1) >> log2_of(ChunkItems);
}

/// The calling lane's chunk of a segment.
template <class Index> struct segment_chunk {
  Index first;  ///< item
  int count;    ///< items from `first` to the segment's end; none, if it is not positive
  int index;    ///< among the segment's chunks, the rest of which the lanes to the right have
};

/// Folds segments, `Rounds` times what 32 lanes take, all of whose items are on the way together. Of each segment, neighbouring
/// lanes have the chunks, `most_chunks` at most. A result is valid in the lane with a segment's first chunk. `inside`: whether
/// is_inside is known of all their items.
template <int Rounds, class Leaves, class Index, class Op, class A = typename Leaves::accumulator>
__device__ void fold_chunks(const Leaves& leaves, const segment_chunk<Index> (&own)[Rounds], int max_chunks,
                            bool inside, Op op, A (&values)[Rounds]) {
  constexpr int chunk_items = Leaves::chunk_items;
  typename Leaves::chunk chunks[Rounds] = {};
  if (inside) {
    WARPFOLD_UNROLL
    for (int r = 0; r < Rounds; ++r) leaves.source.load_inside(chunks[r], own[r].first, own[r].count);
  } else {
    WARPFOLD_UNROLL
    for (int r = 0; r < Rounds; ++r) leaves.source.load_items(chunks[r], own[r].first, own[r].count);
  }
  // A lane joins what is at a distance if its own subtree begins at a multiple of twice that, and the other one exists.
  int reach[Rounds];
  WARPFOLD_UNROLL
  for (int r = 0; r < Rounds; ++r) {
    values[r] = thread::fold_chunk(leaves, chunks[r], op, own[r].count);
    const int aligned = own[r].index | warp_lanes;
    reach[r] = least_of(chunks_of<chunk_items>(own[r].count), aligned & -aligned);
  }
  WARPFOLD_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    if (distance >= max_chunks) break;
    WARPFOLD_UNROLL
    for (int r = 0; r < Rounds; ++r) {
      const A other = warp::shuffle_down(values[r], distance);
      if (distance < reach[r]) values[r] = op(values[r], other);
    }
  }
}

}  // namespace warpfold::segmented
