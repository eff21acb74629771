// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short segments, folded side by side: each by neighbouring lanes, a chunk a lane, by the canonical tree from the segment's
// first item. As many whole segments as fit the 32 lanes are folded at once; where each begins does not matter to its tree.
#pragma once
#include <type_traits>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/warp/reduce.cuh>
#include <warpfold/warp/scan.cuh>

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
__device__ void fold_chunks(const Leaves& leaves, const segment_chunk<Index> (&own)[Rounds], int most_chunks,
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
    if (distance >= most_chunks) break;
    WARPFOLD_UNROLL
    for (int r = 0; r < Rounds; ++r) {
      const A other = warp::shuffle_down(values[r], distance);
      if (distance < reach[r]) values[r] = op(values[r], other);
    }
  }
}

/// A segment of up to 32 chunks that waits: 16 bytes, which are written and read by one instruction.
template <class Index> struct alignas(16) waiting_segment {
  Index first;  ///< item
  int count;    ///< items
  int number;   ///< for the caller

  __device__ void store(waiting_segment& to) const { arch::store_shared<sizeof(waiting_segment)>(&to, this); }
  __device__ static waiting_segment load(const waiting_segment& from) {
    waiting_segment own;
    arch::load_shared<sizeof(waiting_segment)>(&from, &own);
    return own;
  }
};
/// Those that wait, in order, until 32 chunks of them are together. In shared memory; of one warp.
template <class Index, int Capacity> using waiting_segments = thread::array<waiting_segment<Index>, Capacity>;

/// Lets the segments of those lanes wait that have one (`waits`), after the `waiting` ones that do. Returns how many wait now.
/// All lanes call it, and __syncwarp() before the next fold_waiting.
template <class Index, int Capacity>
__device__ int add_waiting(waiting_segments<Index, Capacity>& queue, int waiting, bool waits, Index first, int count,
                           int number) {
  const unsigned lanes = __ballot_sync(full_warp, waits);
  if (waits)
    waiting_segment<Index>{first, count, number}.store(queue[waiting + __popc(lanes & ((1u << arch::lane_id()) - 1))]);
  return waiting + __popc(lanes);
}

/// Moves those from number `from` on, less than 32, to the front. Returns how many these are. All lanes call it.
template <class Index, int Capacity>
__device__ int keep_waiting(waiting_segments<Index, Capacity>& queue, int from, int waiting) {
  const int left = waiting - from, lane = arch::lane_id();
  __syncwarp();  // what has been folded has been read
  if (from == 0) return left;
  const auto kept = waiting_segment<Index>::load(queue[lane < left ? from + lane : from]);
  __syncwarp();
  if (lane < left) kept.store(queue[lane]);
  __syncwarp();
  return left;
}

/// Folds segments from number `from` on of the `waiting` ones, up to 32 of them: as many as fill 32 lanes again and again, or
/// all. Calls store(number, result) in one lane each. Returns how many it has folded. All lanes call it.
template <class Leaves, class Index, int Capacity, class Op, class Store, class A = typename Leaves::accumulator>
__device__ int fold_waiting(const Leaves& leaves, waiting_segments<Index, Capacity>& queue, int from, int waiting,
                            bool all, Op op, Store store) {
  constexpr int chunk_items = Leaves::chunk_items;
  const int lane = arch::lane_id(), taken = least_of(waiting - from, warp_lanes);
  const auto own_one = waiting_segment<Index>::load(queue[from + least_of(lane, taken - 1)]);
  const Index first = own_one.first;
  const int count = lane < taken ? own_one.count : 0;
  const int chunks = chunks_of<chunk_items>(count);
  const int end = warp::sum_through(chunks), begin = end - chunks, total = __shfl_sync(full_warp, end, warp_lanes - 1);
  const int most_chunks = warp::all_reduce(chunks, maximum{});
  const bool inside = leaves.source.is_inside(warp::shuffle(first, 0), warp::shuffle(first + count, taken - 1));
  const unsigned lanes_to_own = ~0u >> (warp_lanes - 1 - lane);
  int done = 0, folded = 0;  // chunks, segments
  WARPFOLD_NO_UNROLL
  while (total - done >= warp_lanes || (all && done < total)) {
    const bool fits = chunks > 0 && begin >= done && end <= done + warp_lanes;
    const unsigned heads =
        warp::all_reduce(fits ? 1u << (begin - done) : 0u, bit_or{});  // the lanes that get first chunks
    const unsigned heads_to_own = heads & lanes_to_own;
    const int source = folded + __popc(heads_to_own) - 1;
    const int index = lane - (warp_lanes - 1) + __clz(static_cast<int>(heads_to_own));
    const segment_chunk<Index> own[1] = {{warp::shuffle(first, source) + index * chunk_items,
                                          __shfl_sync(full_warp, count, source) - index * chunk_items, index}};
    A value[1];
    fold_chunks(leaves, own, most_chunks, inside, op, value);
    if (index == 0 && own[0].count > 0) store(queue[from + source].number, value[0]);
    folded += __popc(heads);
    done = __shfl_sync(full_warp, end, folded - 1);
  }
  return folded;
}

}  // namespace warpfold::segmented
