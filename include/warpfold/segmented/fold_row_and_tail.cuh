// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of equal lengths, a row of 32 chunks and a few items more each: in chunks alone, these would leave half of the lanes
// without anything to do.
#pragma once
#include <warpfold/segmented/fold_chunks.cuh>

namespace warpfold::segmented {

/// Whether segments of `items` items are such rows: with one item more a lane, at most.
template <int ChunkItems> __host__ __device__ constexpr bool is_row_and_tail(std::int64_t items) {
  return warp_lanes * ChunkItems < items && items <= warp_lanes * (ChunkItems + 1);
}

/// The canonical trees over `Segments` segments of `length` items each, as is_row_and_tail says, that follow one another from the
/// first item on; of these, the first `count` exist. All of their items are on the way together. `inside`: whether is_inside
/// is known of them. Valid in lane 0. All lanes of a warp call it.
template <int Segments, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ void fold_row_and_tail(const Leaves& leaves, int length, int count, bool inside, Op op,
                                  A (&results)[Segments]) {
  constexpr int chunk_items = Leaves::chunk_items, row = warp_lanes * chunk_items;
  const int lane = arch::lane_id(), few = length - row;
  segment_chunk<int> own[Segments];
  typename Leaves::source_type::item last[Segments] = {};
  WARPFOLD_UNROLL
  for (int k = 0; k < Segments; ++k) {
    own[k] = {k * length + lane * chunk_items, k < count ? row - lane * chunk_items : 0, lane};
    if (k < count && lane < few) last[k] = leaves.source.at(k * length + row + lane);
  }
  fold_chunks(leaves, own, warp_lanes, inside, op, results);
  WARPFOLD_UNROLL
  for (int k = 0; k < Segments; ++k) {
    if (k >= count) break;
    A rest{};
    if (lane < few) rest = leaves.leaf_of(last[k]);
    rest = warp::all_reduce(rest, op, few);
    if (lane == 0) results[k] = op(results[k], rest);
  }
}

}  // namespace warpfold::segmented
