// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short segments, folded side by side: each by neighbouring lanes, a chunk a lane, by the canonical tree from the segment's
// first item. As many whole segments as fit the 32 lanes are folded at once; where each begins does not matter to its tree.
#pragma once
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::warp {

/// How many chunks `items` items take; none or less if these are not positive.
template <int ChunkItems> __device__ int chunks_of(int items) { return (items + ChunkItems - 1) >> log2_of(ChunkItems); }

/// The calling lane's chunk of a segment.
template <class Index> struct segment_chunk {
  Index first;  ///< item
  int count;  ///< items from `first` to the segment's end; none, if it is not positive
  int index;  ///< among the segment's chunks, the rest of which the lanes to the right have
};

/// Folds segments, of each of which neighbouring lanes have the chunks, `most_chunks` at most. The result is valid in the lane
/// with a segment's first chunk. `inside`: whether is_inside is known of all their items.
template <class Leaves, class Index, class Op, class A = typename Leaves::accumulator>
__device__ A fold_chunks(const Leaves& leaves, const segment_chunk<Index>& own, int most_chunks, bool inside, Op op) {
  constexpr int chunk_items = Leaves::chunk_items;
  typename Leaves::chunk chunk{};
  if (inside) leaves.source.load_inside(chunk, own.first, own.count);
  else leaves.source.load_items(chunk, own.first, own.count);
  A value = thread::fold_chunk(leaves, chunk, op, own.count);
  // A lane joins what is at a distance if its own subtree begins at a multiple of twice that, and the other one exists.
  const int chunks = chunks_of<chunk_items>(own.count), aligned = own.index | warp_lanes;
  const int reach = least_of(chunks, aligned & -aligned);
  WARPFOLD_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    if (distance >= most_chunks) break;
    const A other = shuffle_down(value, distance);
    if (distance < reach) value = op(value, other);
  }
  return value;
}

/// The sum of `own` over the lanes up to the calling one.
__device__ inline int sum_through(int own) {
  WARPFOLD_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    const int other = __shfl_up_sync(full_warp, own, distance);
    if (arch::lane_id() >= distance) own += other;
  }
  return own;
}

/// Segments of up to 32 chunks that wait, in order, until 32 chunks of them are together. In shared memory; of one warp.
template <class Index> struct waiting_segments {
  static constexpr int capacity = 2 * warp_lanes;
  Index first[capacity];  ///< item
  int count[capacity];    ///< items
  int number[capacity];   ///< for the caller
};

/// Lets the segments of those lanes wait that have one (`waits`), after the `waiting` ones that do, less than 32. Returns how
/// many wait now. All lanes call it.
template <class Index>
__device__ int add_waiting(waiting_segments<Index>& queue, int waiting, bool waits, Index first, int count, int number) {
  const unsigned lanes = __ballot_sync(full_warp, waits);
  if (waits) {
    const int place = waiting + __popc(lanes & ((1u << arch::lane_id()) - 1));
    queue.first[place] = first, queue.count[place] = count, queue.number[place] = number;
  }
  __syncwarp();
  return waiting + __popc(lanes);
}

/// Folds the first of the `waiting` > 0 segments, up to 32 of them: as many as fill 32 lanes again and again, or all. Calls
/// store(number, result) in one lane each. Returns how many wait on. All lanes call it.
template <class Leaves, class Index, class Op, class Store>
__device__ int fold_waiting(const Leaves& leaves, waiting_segments<Index>& queue, int waiting, bool all, Op op, Store store) {
  constexpr int chunk_items = Leaves::chunk_items;
  const int lane = arch::lane_id(), taken = least_of(waiting, warp_lanes);
  const Index first = lane < taken ? queue.first[lane] : Index{0};
  const int count = lane < taken ? queue.count[lane] : 0;
  const int chunks = chunks_of<chunk_items>(count);
  const int end = sum_through(chunks), begin = end - chunks, total = __shfl_sync(full_warp, end, warp_lanes - 1);
  const int most_chunks = all_reduce(chunks, maximum{});
  const bool inside = leaves.source.is_inside(shuffle(first, 0), shuffle(first + count, taken - 1));
  const unsigned lanes_to_own = ~0u >> (warp_lanes - 1 - lane);
  int done = 0, folded = 0;  // chunks, segments
  WARPFOLD_NO_UNROLL
  while (total - done >= warp_lanes || (all && done < total)) {
    const bool fits = chunks > 0 && begin >= done && end <= done + warp_lanes;
    const unsigned heads = all_reduce(fits ? 1u << (begin - done) : 0u, bit_or{});  // the lanes that get first chunks
    const unsigned heads_to_own = heads & lanes_to_own;
    const int source = folded + __popc(heads_to_own) - 1;
    const int index = lane - (warp_lanes - 1) + __clz(static_cast<int>(heads_to_own));
    const segment_chunk<Index> own{shuffle(first, source) + index * chunk_items,
                                   __shfl_sync(full_warp, count, source) - index * chunk_items, index};
    const auto value = fold_chunks(leaves, own, most_chunks, inside, op);
    if (index == 0 && own.count > 0) store(queue.number[source], value);
    folded += __popc(heads);
    done = __shfl_sync(full_warp, end, folded - 1);
  }
  const int left = waiting - folded;
  __syncwarp();  // the numbers have been read
  WARPFOLD_NO_UNROLL
  for (int from = 0; from < left; from += warp_lanes) {  // the others move up
    const int place = from + lane;
    const bool moves = place < left;
    const Index its_first = moves ? queue.first[folded + place] : Index{0};
    const int its_count = moves ? queue.count[folded + place] : 0, its_number = moves ? queue.number[folded + place] : 0;
    __syncwarp();
    if (moves) queue.first[place] = its_first, queue.count[place] = its_count, queue.number[place] = its_number;
    __syncwarp();
  }
  return left;
}

}  // namespace warpfold::warp
