// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp's consecutive items on their way through shared memory: copied 16 bytes a lane, side by side, while the warp does
// something else, and read as what each lane has, consecutive items too, without conflicts of banks.
#pragma once
#include <warpfold/arch/async_copy.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::by_key {

/// Where the vectors of 16 bytes lie, of which each lane has `Vectors` consecutive ones: eight lanes that read their k-th ones
/// touch all banks, and so do eight that write neighbouring ones.
template <int Vectors> struct staged_places {
  static constexpr int power = Vectors & -Vectors, banks = power < 8 ? power : 8,
                       shift = power < 8 ? 3 : log2_of(power);

  __host__ __device__ static constexpr int of(int vector) { return vector ^ (vector >> shift & (banks - 1)); }
  /// of(row * 32 + lane), as the compiler needs it to see that rows are a constant apart.
  __host__ __device__ static constexpr int of_row(int row, int lane) {
    return row * warp_lanes + (lane ^ (((row * warp_lanes >> shift) + (lane >> shift)) & (banks - 1)));
  }
  /// of(lane * Vectors + k), likewise.
  __host__ __device__ static constexpr int of_lane(int lane, int k) {
    if constexpr (is_power_of_two(Vectors)) return lane * Vectors + (k ^ (lane * Vectors >> shift & (banks - 1)));
    else return of(lane * Vectors + k);
  }
};

/// Room for `LaneItems` items a lane, and for the item before them.
template <class T, int LaneItems> struct staged_items {
  static constexpr int bytes = LaneItems * int{sizeof(T)}, vectors = bytes / 16;
  static_assert(bytes % 16 == 0);
  struct alignas(16) vector {
    std::uint32_t words[4];
  };
  using places = staged_places<vectors>;

  thread::array<vector, warp_lanes * vectors> items;
  vector before;

  /// Starts to copy the items from number `first` on, where 16 bytes begin; and, if `has_before`, what precedes them. All lanes
  /// call it, after all have read what was here.
  __device__ void start(const T* data, std::int64_t first, bool has_before) {
    const int lane = arch::lane_id();
    const auto* const from = reinterpret_cast<const vector*>(data + first) + lane;
    WARPFOLD_UNROLL
    for (int row = 0; row < vectors; ++row)
      arch::async_copy_to_shared(&items[places::of_row(row, lane)], from + row * warp_lanes);
    if (has_before && lane == 0) arch::async_copy_to_shared(&before, from - 1);
  }
  /// The lane's own items, `Chunks` chunks, once all lanes have called arch::wait_async_copies() and met.
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
    T item;
    WARPFOLD_UNROLL
    for (int offset = 0; offset < int{sizeof(T)}; offset += width)
      arch::load_shared<width>(reinterpret_cast<const unsigned char*>(before.words) + 16 - sizeof(T) + offset,
                               reinterpret_cast<unsigned char*>(&item) + offset);
    return item;
  }
};

}  // namespace warpfold::by_key
