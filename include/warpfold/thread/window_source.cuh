// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A window of items that lies in shared memory, as a source of leaves.
#pragma once
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/thread/chunk.cuh>

namespace warpfold::thread {

/// `Items` a chunk. Lanes read whole chunks, also past the window's end, where past_bytes more must be shared memory.
/// The caller does not use what lies outside the window.
template <class T, int Items> struct window_source {
  static constexpr int chunk_items = Items;
  using chunk = thread::chunk<T, Items>;
  using item = T;
  static_assert(chunk::vector_bytes == 16);
  static constexpr int past_bytes = chunk::bytes + 16;

  const unsigned char* bytes;  ///< a multiple of 16
  int before;                  ///< bytes before item 0, less than 16

  /// The whole chunk from item `first` on. The caller uses only the items that exist.
  __device__ void load_inside(chunk& to, int first, int) const {
    const int begin = before + first * int{sizeof(T)}, shift = begin & 15;
    std::uint32_t window[chunk::words + 4];
    WARPFOLD_UNROLL
    for (int i = 0; i < chunk::words + 4; i += 4) arch::load_shared<16>(bytes + (begin - shift) + 4 * i, window + i);
    to.cut(window, shift);
  }
  __device__ void load_items(chunk& to, int first, int count) const { load_inside(to, first, count); }
  __device__ T at(std::int64_t item) const {
    constexpr int width = alignof(T) <= 16 ? int{alignof(T)} : 16;
    const unsigned char* from = bytes + before + static_cast<int>(item) * int{sizeof(T)};
    return copied<T>([=](unsigned char* to) {
      WARPFOLD_UNROLL
      for (int offset = 0; offset < int{sizeof(T)}; offset += width)
        arch::load_shared<width>(from + offset, to + offset);
    });
  }
  __device__ static T value(const chunk& from, int k) { return from.item(k); }
};

}  // namespace warpfold::thread
