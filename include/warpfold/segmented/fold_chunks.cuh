// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds several short segments side by side in one warp. Each takes neighbouring lanes, one chunk per lane, and is
// folded by the canonical tree from its own first item, whatever lane that falls on.
#pragma once
#include <type_traits>
#include <warpfold/segmented/load_chunk.cuh>
#include <warpfold/thread/choose.cuh>
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/thread/locate.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::segmented {

/// The chunks of `items` items; not positive if `items` is not.
template <int ChunkItems> __device__ int chunks_of(int items) {
  return (items + ChunkItems - 1) >> log2_of(ChunkItems);
}

/// The calling lane's chunk of a segment.
template <class Index> struct segment_chunk {
  Index first;  ///< item
  int count;    ///< items from `first` to the segment's end; the chunk is empty if this is not positive
  int index;    ///< the chunk's number within the segment; the lanes to the right have the later ones
};

/// The extrema of the segments whose chunks 32 lanes hold, and where they lie: only values are exchanged, then each
/// segment's lanes vote who has the extremum. `reach` is as in fold_chunks. Valid in the lane with the segment's first
/// chunk.
template <class Leaves, class Index>
__device__ auto locate_in_chunks(const Leaves& leaves, const typename Leaves::chunk& from,
                                 const segment_chunk<Index>& own, int reach, int max_chunks) {
  constexpr int chunk_items = Leaves::chunk_items;
  const int lane = arch::lane_id(), chunks = greatest_of(chunks_of<chunk_items>(own.count), 1);
  const unsigned segment_lanes = (chunks < warp_lanes ? (1u << chunks) - 1 : full_warp) << lane;
  return leaves.transform.op.assemble(
      [&](auto part) {
        using part_type = decltype(part);
        const auto found = thread::locate_in_chunk<part_type>(leaves, from, own.count);
        auto best = found.value;
        for (int distance = 1; distance < least_of(max_chunks, warp_lanes); distance *= 2) {
          const auto other = warp::shuffle_down(best, distance);
          if (distance < reach) best = typename part_type::extremum{}(best, other);
        }
        const auto of_segment = warp::shuffle(best, (lane - own.index) & (warp_lanes - 1));
        const bool holds = own.count > 0 && part_type::ties_with(found.value, of_segment);
        const unsigned holders = __ballot_sync(full_warp, holds) & segment_lanes;
        const int holder =
            part_type::takes_first ? __ffs(static_cast<int>(holders)) - 1 : 31 - __clz(static_cast<int>(holders));
        const int position = warp::shuffle(found.position, holder & (warp_lanes - 1));
        return thread::located<decltype(best)>{warp::shuffle(found.value, holder & (warp_lanes - 1)),
                                               from.first + (holder - lane) * chunk_items + position};
      },
      from.first);
}

/// How fold_chunks joins the nodes of lanes.
enum class chunk_rounds {
  apart,
  apart_by_one_join,  ///< the code has one join for all levels
  joined              ///< a segment may go on in the next round's first lanes. Not of operators that locate
};

/// Folds `Rounds` times 32 chunks, whose loads are all issued before the first fold. Segments have at most `max_chunks`
/// chunks. A result is valid in the lane, and round, with the segment's first chunk.
template <chunk_rounds Kind = chunk_rounds::apart, int Rounds, class Leaves, class Index, class Op,
          class A = typename Leaves::accumulator>
__device__ void fold_chunks(const Leaves& leaves, const segment_chunk<Index> (&own)[Rounds], int max_chunks,
                            const chunk_access& access, Op op, A (&values)[Rounds]) {
  constexpr int chunk_items = Leaves::chunk_items;
  typename Leaves::chunk chunks[Rounds] = {};
  load_chunks(
      leaves, chunks, access, [&](int r) { return own[r].first; }, [&](int r) { return own[r].count; });
  // A lane joins the subtree at a distance if its own one begins at a multiple of twice the distance, and the other
  // exists.
  int reach[Rounds];
  WARPFOLD_UNROLL
  for (int r = 0; r < Rounds; ++r) {
    const int aligned = own[r].index | warp_lanes;
    reach[r] = least_of(chunks_of<chunk_items>(own[r].count), aligned & -aligned);
  }
  if constexpr (thread::locates<Leaves>) {
    static_assert(Kind != chunk_rounds::joined);
    WARPFOLD_UNROLL
    for (int r = 0; r < Rounds; ++r) values[r] = locate_in_chunks(leaves, chunks[r], own[r], reach[r], max_chunks);
  } else {
    WARPFOLD_UNROLL
    for (int r = 0; r < Rounds; ++r) values[r] = thread::fold_chunk(leaves, chunks[r], op, own[r].count);
    const auto join_at = [&](int distance) {
      if constexpr (Kind == chunk_rounds::joined) {
        const int from = arch::lane_id() + distance;
        A others[Rounds];
        WARPFOLD_UNROLL
        for (int r = 0; r < Rounds; ++r) others[r] = warp::shuffle(values[r], from & (warp_lanes - 1));
        WARPFOLD_UNROLL
        for (int r = 0; r < Rounds; ++r) {
          const A other = thread::choose(from < warp_lanes, others[r], others[least_of(r + 1, Rounds - 1)]);
          if (distance < reach[r]) values[r] = op(values[r], other);
        }
      } else {
        WARPFOLD_UNROLL
        for (int r = 0; r < Rounds; ++r) {
          const A other = warp::shuffle_down(values[r], distance);
          if (distance < reach[r]) values[r] = op(values[r], other);
        }
      }
    };
    if constexpr (Kind == chunk_rounds::apart_by_one_join) {
      WARPFOLD_NO_UNROLL
      for (int distance = 1; distance < least_of(max_chunks, warp_lanes); distance *= 2) join_at(distance);
    } else {
      WARPFOLD_UNROLL
      for (int distance = 1; distance < warp_lanes; distance *= 2) {
        if (distance >= max_chunks) break;
        join_at(distance);
      }
    }
  }
}

}  // namespace warpfold::segmented
