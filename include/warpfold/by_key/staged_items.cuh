// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings a warp's consecutive items through shared memory. Lanes copy 16 bytes each, side by side and asynchronously.
// Then each lane reads its own consecutive items, without bank conflicts.
#pragma once
#include <warpfold/arch/async_copy.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/shuffle.cuh>
#include <warpfold/warp/transpose.cuh>

namespace warpfold::by_key {

/// Room for `LaneItems` items per lane, and for the item before the warp's first one.
template <class T, int LaneItems> struct staged_items {
  static constexpr int bytes = LaneItems * int{sizeof(T)}, vectors = bytes / 16;
  static_assert(bytes % 16 == 0);
  struct alignas(16) vector {
    std::uint32_t words[4];
  };
  using places = warp::run_places<vectors>;

  thread::array<vector, warp_lanes * vectors> items;
  vector before;

  /// Starts to copy the items from `first` on, which lie at a multiple of 16 bytes, and, if `has_before`, the vector
  /// before them. All lanes call it, after all have read the previous items.
  __device__ void start(const T* data, std::int64_t first, bool has_before) {
    const int lane = arch::lane_id();
    const auto* const from = reinterpret_cast<const vector*>(data + first) + lane;
    WARPFOLD_UNROLL
    for (int row = 0; row < vectors; ++row)
      arch::async_copy_to_shared(&items[places::of_row(row, lane)], from + row * warp_lanes);
    if (has_before && lane == 0) arch::async_copy_to_shared(&before, from - 1);
  }
  /// Reads the lane's own items, `Chunks` chunks. All lanes must have called arch::wait_async_copies() and
  /// __syncwarp().
  template <class Chunk, int Chunks> __device__ void read(Chunk (&to)[Chunks]) {
    static_assert(sizeof(to) == bytes && Chunk::vector_bytes == 16);
    constexpr int chunk_vectors = vectors / Chunks;
    WARPFOLD_UNROLL
    for (int k = 0; k < vectors; ++k)
      arch::load_shared<16>(&items[places::of_lane(arch::lane_id(), k)],
                            to[k / chunk_vectors].word + k % chunk_vectors * 4);
  }
  /// The item before the warp's first one.
  __device__ T item_before() const {
    static_assert(sizeof(T) <= 16);
    constexpr int width = sizeof(T) % 4 == 0 ? 4 : sizeof(T) % 2 == 0 ? 2 : 1;
    return thread::copied<T>([&](unsigned char* to) {
      WARPFOLD_UNROLL
      for (int offset = 0; offset < int{sizeof(T)}; offset += width)
        arch::load_shared<width>(reinterpret_cast<const unsigned char*>(before.words) + 16 - sizeof(T) + offset,
                                 to + offset);
    });
  }
};

}  // namespace warpfold::by_key
