// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where runs of a tile begin: the pieces of segments, and gaps, whose items belong to no segment.
#pragma once
#include <cstdint>
#include <warpfold/arch/lane.cuh>

namespace warpfold::segmented_scan {

/// One bit for each of `Items` items of a warp's tile, in shared memory. If `HasGaps`, another one says whether a
/// segment ends before the item.
template <int Items, bool HasGaps> struct run_marks {
  static constexpr bool has_gaps = HasGaps;
  static constexpr int words = (Items + warp_lanes - 1) / warp_lanes;

  unsigned begins[words], ends[HasGaps ? words : 1];

  /// All lanes of the warp call it.
  __device__ void clear() {
    for (int i = arch::lane_id(); i < words; i += warp_lanes) {
      begins[i] = 0;
      if (HasGaps) ends[i] = 0;
    }
    __syncwarp();
  }
  /// A piece begins at `item`.
  __device__ void mark_begin(std::int64_t item) { mark(begins, item); }
  /// A segment ends before `item`, which may lie past the tile.
  __device__ void mark_end(std::int64_t item) {
    if (HasGaps && item < Items) mark(ends, item);
  }
  /// Of the `Count` items from `item` on, a multiple of `Count`: those that begin a piece.
  template <int Count> __device__ unsigned begins_at(int item) const { return bits<Count>(begins, item); }
  /// Those that begin a gap.
  template <int Count> __device__ unsigned gaps_at(int item) const {
    return HasGaps ? bits<Count>(ends, item) & ~begins_at<Count>(item) : 0;
  }

 private:
  __device__ static void mark(unsigned* words, std::int64_t item) {
    atomicOr(words + static_cast<int>(item) / warp_lanes, 1u << (static_cast<int>(item) & (warp_lanes - 1)));
  }
  template <int Count> __device__ static unsigned bits(const unsigned* words, int item) {
    return words[item / warp_lanes] >> (item & (warp_lanes - 1)) & ((1u << Count) - 1);
  }
};

}  // namespace warpfold::segmented_scan
