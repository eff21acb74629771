// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue of segments that wait until together they fill the 32 lanes of a warp with chunks.
#pragma once
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/segmented/code_size.cuh>
#include <warpfold/segmented/edge_joins.cuh>
#include <warpfold/segmented/fold_chunks.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/prefetch.cuh>
#include <warpfold/warp/scan.cuh>

namespace warpfold::segmented {

/// A pending segment of fewer than 64 chunks, in 16 bytes that one instruction reads or writes.
template <class Index> struct alignas(16) pending_segment {
  Index first;  ///< item
  int count;    ///< items
  int number;   ///< the caller's number for it

  __device__ void store(pending_segment& to) const { arch::store_shared<sizeof(pending_segment)>(&to, this); }
  __device__ static pending_segment load(const pending_segment& from) {
    pending_segment own;
    arch::load_shared<sizeof(pending_segment)>(&from, &own);
    return own;
  }
};
/// The queue of one warp, in shared memory, in the order of segments.
template <class Index, int Capacity> using pending_segments = thread::array<pending_segment<Index>, Capacity>;

/// Appends the segments of the lanes with `is_pending` to the `pending` ones of the queue. Returns the new number of
/// pending segments. All lanes call it, and __syncwarp() before the next fold_pending.
template <class Index, int Capacity>
__device__ int append_pending(pending_segments<Index, Capacity>& queue, int pending, bool is_pending, Index first,
                              int count, int number) {
  const unsigned lanes = __ballot_sync(full_warp, is_pending);
  if (is_pending)
    pending_segment<Index>{first, count, number}.store(queue[pending + __popc(lanes & ((1u << arch::lane_id()) - 1))]);
  return pending + __popc(lanes);
}

/// Moves the segments from place `from` on, fewer than 32, to the front. Returns their number. All lanes call it.
template <class Index, int Capacity>
__device__ int keep_pending(pending_segments<Index, Capacity>& queue, int from, int pending) {
  const int kept = pending - from, lane = arch::lane_id();
  __syncwarp();  // all lanes have read the folded ones
  if (from == 0) return kept;
  const auto moved = pending_segment<Index>::load(queue[lane < kept ? from + lane : 0]);
  __syncwarp();
  if (lane < kept) moved.store(queue[lane]);
  __syncwarp();
  return kept;
}

/// Folds up to 32 of the `pending` segments from place `from` on: as many as fill 32 lanes once or several times, or
/// all of them if `all`, or if their edges are joined late. Calls store(number, first item, items, result) in one lane
/// for each. Returns how many it has folded. All lanes call it. `edges`: the edge_storage (edge_joins.cuh) if edges are
/// joined late, else anything empty.
template <class Leaves, class Index, int Capacity, class Edges, class Op, class Store>
__device__ int fold_pending(const Leaves& leaves, pending_segments<Index, Capacity>& queue,
                            [[maybe_unused]] Edges& edges, int from, int pending, bool all, Op op, Store store) {
  using A = typename Leaves::accumulator;
  constexpr int chunk_items = Leaves::chunk_items;
  const int lane = arch::lane_id(), taken = least_of(pending - from, warp_lanes);
  const auto own_one = pending_segment<Index>::load(queue[from + least_of(lane, taken - 1)]);
  const Index first = own_one.first;
  const int count = lane < taken ? own_one.count : 0;
  if constexpr (!std::is_empty_v<Edges>) {
    const bool all_inside = leaves.source.is_inside(warp::shuffle(first, 0), warp::shuffle(first + count, taken - 1));
    fold_lanes(leaves, first, count, all_inside, op, edges,
               [&](const A& value) { store(own_one.number, first, count, value); });
    return taken;
  }
  const int chunks = chunks_of<chunk_items>(count);
  const int end = warp::sum_through(chunks), begin = end - chunks, total = __shfl_sync(full_warp, end, warp_lanes - 1);
  const int max_chunks = warp::all_reduce(chunks, maximum{});
  const bool inside = leaves.source.is_inside(warp::shuffle(first, 0), warp::shuffle(first + count, taken - 1));
  const unsigned lanes_to_own = ~0u >> (warp_lanes - 1 - lane);
  int done = 0, folded = 0;  // chunks and segments
  WARPFOLD_NO_UNROLL
  while (total - done >= warp_lanes || (all && done < total)) {
    const bool fits = chunks > 0 && begin >= done && end <= done + warp_lanes;
    const unsigned heads =
        warp::all_reduce(fits ? 1u << (begin - done) : 0u, bit_or{});  // lanes that get a first chunk
    const unsigned heads_to_own = heads & lanes_to_own;
    const int source = folded + __popc(heads_to_own) - 1;
    const int index = lane - (warp_lanes - 1) + __clz(static_cast<int>(heads_to_own));
    const segment_chunk<Index> own[1] = {{warp::shuffle(first, source) + index * chunk_items,
                                          __shfl_sync(full_warp, count, source) - index * chunk_items, index}};
    // The chunks of the next round lie behind these, where segments are neighbours. (On an H200, argmax of 2^26 floats
    // in segments of 129 takes 91 us so, and 98 without. Extrema, of which more warps fold, take 4 % longer so.)
    if constexpr (thread::locates<Leaves>)
      warp::prefetch_by_lanes<chunk_items>(thread::plain_source(leaves.source),
                                           std::int64_t{own[0].first} + warp_lanes * chunk_items);
    A value[1];
    fold_chunks<has_long_joins<Leaves> ? chunk_rounds::apart_by_one_join : chunk_rounds::apart>(leaves, own, max_chunks,
                                                                                                inside, op, value);
    if (index == 0 && own[0].count > 0) store(queue[from + source].number, own[0].first, own[0].count, value[0]);
    folded += __popc(heads);
    done = __shfl_sync(full_warp, end, folded - 1);
  }
  return folded;
}

}  // namespace warpfold::segmented
