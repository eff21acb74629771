// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds segments of one length, each a row of 32 chunks and a tail of at most 32 items: a second row of chunks would
// leave most lanes idle.
#pragma once
#include <warpfold/segmented/fold_chunks.cuh>

namespace warpfold::segmented {

/// Whether `items` items are a row of 32 chunks and a tail of at most one item per lane.
template <int ChunkItems> __host__ __device__ constexpr bool is_row_and_tail(std::int64_t items) {
  return warp_lanes * ChunkItems < items && items <= warp_lanes * (ChunkItems + 1);
}

/// The canonical trees over `Segments` segments of `length` items, `pitch` apart, of which the first `count` exist.
/// is_row_and_tail holds for `length`. All loads are issued before the first fold. Results are valid in lane 0. All
/// lanes of a warp call it.
template <int Segments, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ void fold_row_and_tail(const Leaves& leaves, int length, int pitch, int count, const chunk_access& access,
                                  Op op, A (&results)[Segments]) {
  constexpr int chunk_items = Leaves::chunk_items, row = warp_lanes * chunk_items;
  const int lane = arch::lane_id(), few = length - row;
  segment_chunk<int> own[Segments];
  typename Leaves::source_type::item last[Segments] = {};
  WARPFOLD_UNROLL
  for (int k = 0; k < Segments; ++k) {
    own[k] = {k * pitch + lane * chunk_items, k < count ? row - lane * chunk_items : 0, lane};
    if (k < count && lane < few) last[k] = leaves.source.at(k * pitch + row + lane);
  }
  fold_chunks(leaves, own, warp_lanes, access, op, results);
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
