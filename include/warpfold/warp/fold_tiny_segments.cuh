// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments that fit a lane's chunk, a lane each: no lane needs another, and several a lane are loaded at once.
#pragma once
#include <warpfold/thread/optional.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::warp {

/// Segment number k of the calling lane has counts[k] items (0 to a chunk) from item first[k] on. Calls
/// store(k, result) for those that have any. `inside`: is_inside is known of all their items.
template <int Segments, class Leaves, class Index, class Op, class Store>
__device__ void fold_tiny_segments(const Leaves& leaves, const Index (&first)[Segments], const int (&counts)[Segments],
                                   bool inside, Op op, Store store) {
  using optional = thread::optional<Op, typename Leaves::accumulator>;
  typename Leaves::chunk chunks[Segments] = {};
  WARPFOLD_UNROLL
  for (int k = 0; k < Segments; ++k) leaves.source.load_some(chunks[k], first[k], counts[k], inside);
  WARPFOLD_UNROLL
  for (int k = 0; k < Segments; ++k) {
    const auto value = optional::template fold<Leaves::chunk_items>([&](int i) { return leaves.leaf(chunks[k], i); }, op, counts[k]);
    if (counts[k] > 0) store(k, optional::value(value));
  }
}

}  // namespace warpfold::warp
