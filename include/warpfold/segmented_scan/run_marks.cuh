// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where runs of a tile begin: the pieces of segments, and gaps, whose items belong to no segment.
#pragma once
#include <cstdint>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/shared_access.cuh>

namespace warpfold::segmented_scan {

/// One byte for each of `Items` items of a warp's tile, in shared memory: lanes that mark neighbours do not wait for
/// each other. If `HasGaps`, another one says whether a segment ends before the item.
template <int Items, bool HasGaps> struct run_marks {
  static constexpr bool has_gaps = HasGaps;
  static constexpr int items = Items;
  static constexpr int words = Items / 4;

  static_assert(Items % 16 == 0);

  alignas(16) std::uint32_t begins[words], ends[HasGaps ? words : 4];

  /// All lanes of the warp call it.
  __device__ void clear() {
    clear(begins);
    if (HasGaps) clear(ends);
    __syncwarp();
  }
  /// A piece begins at `item`.
  __device__ void mark_begin(int item) { mark(begins, item); }
  /// Pieces begin at those of the four items from `item` on, a multiple of four, whose bits are set.
  __device__ void mark_begins(int item, unsigned four) {
    constexpr std::uint32_t copies = 0x00204081, first_of_each = 0x01010101;  // bit k goes to bit 8 k
    if (item < Items) begins[static_cast<unsigned>(item) / 4] = four * copies & first_of_each;
  }
  /// A segment ends before `item`, which may lie past the tile.
  __device__ void mark_end(std::int64_t item) {
    if (HasGaps && item < Items) mark(ends, static_cast<int>(item));
  }
  /// Of the `Count` items from `item` on, a multiple of `Count`: bit k says whether item k begins a piece.
  template <int Count> __device__ unsigned begins_at(int item) const { return bits<Count>(begins, item); }
  /// The same of gaps.
  template <int Count> __device__ unsigned gaps_at(int item) const {
    return HasGaps ? bits<Count>(ends, item) & ~begins_at<Count>(item) : 0;
  }

 private:
  __device__ static void clear(std::uint32_t* marks) {
    constexpr std::uint32_t none[4] = {};
    WARPFOLD_UNROLL
    for (int first = 0; first < words; first += 4 * warp_lanes)
      if (const int own = first + 4 * arch::lane_id(); own < words) arch::store_shared<16>(marks + own, none);
  }
  /// Several lanes may mark an item: volatile stores of one value do not race.
  __device__ static void mark(std::uint32_t* words, int item) {
    reinterpret_cast<volatile unsigned char*>(words)[item] = 1;
  }
  template <int Count> __device__ static unsigned bits(const std::uint32_t* marks, int item) {
    if (item >= Items) return 0;
    constexpr std::uint32_t one_of_each = 0x01020408;  // times this, bit 8 k is bit 24 + k
    constexpr int bytes = Count < 16 ? Count : 16;
    std::uint32_t own[(bytes + 3) / 4] = {};
    arch::load_shared<bytes>(reinterpret_cast<const unsigned char*>(marks) + item, own);
    unsigned all = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; k += 4) all |= own[k / 4] * one_of_each >> 24 << k;
    return all;
  }
};

}  // namespace warpfold::segmented_scan
