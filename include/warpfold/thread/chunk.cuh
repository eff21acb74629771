// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chunk: the consecutive items that a lane loads at once, kept as raw words until they are needed.
#pragma once
#include <warpfold/arch/vector_load.cuh>
#include <warpfold/standard.hpp>
#include <warpfold/thread/array.cuh>

namespace warpfold::thread {

/// The least power of two of items whose bytes fill 16-byte vectors: 16 bytes for sizes 1, 2, 4, 8, 16; an odd multiple
/// of 16 for others (4 items of 12 bytes); one item where that would be more than 128 bytes.
WARPFOLD_JIT consteval int items_per_chunk(std::size_t item_bytes) {
  int items = 1;
  while (items * item_bytes % 16 != 0 && items < 16) items *= 2;
  return items * item_bytes % 16 == 0 && items * item_bytes <= 128 ? items : 1;
}

/// The vectors that hold a part of an item reach at most this many items beyond it: a vector but one byte.
WARPFOLD_JIT consteval int vector_margin(int item_bytes, int vector_bytes = 16) {
  return (vector_bytes + item_bytes - 2) / item_bytes;
}

/// Loads go by `Access`: arch::read_only, or arch::read_once where the kernel may overwrite the items.
template <class T, int Items> struct chunk {
  static constexpr int bytes = Items * int{sizeof(T)};
  static constexpr int words = (bytes + 3) / 4;
  /// The widest vector, 16 bytes at most, that divides the chunk.
  static constexpr int vector_bytes = bytes % 16 == 0 ? 16 : bytes & -bytes;

  static constexpr int margin = vector_margin(sizeof(T), vector_bytes);
  /// Words of the aligned vectors around a chunk.
  static constexpr int window_words = words + vector_bytes / 4;

  std::uint32_t word[words];

  __device__ T item(int k) const {
    return copied<T>([&](unsigned char* to) {
      std::memcpy(to, reinterpret_cast<const unsigned char*>(word) + k * sizeof(T), sizeof(T));
    });
  }

  __device__ void set(int k, const T& item) {
    std::memcpy(reinterpret_cast<unsigned char*>(word) + k * sizeof(T), &item, sizeof(T));
  }

  /// All items from `source`, aligned to vector_bytes.
  template <class Access = arch::read_only> __device__ void load(const T* source) {
    WARPFOLD_UNROLL
    for (int offset = 0; offset < bytes; offset += vector_bytes)
      Access::template load<vector_bytes>(reinterpret_cast<const unsigned char*>(source) + offset,
                                          reinterpret_cast<unsigned char*>(word) + offset);
  }

  /// All items from `source`, which lies `shift` bytes (1 to vector_bytes - 1, the same in all lanes) past a boundary
  /// of vectors: reads the aligned vectors around the items, which end vector_bytes - shift bytes past the chunk, and
  /// cuts the chunk out of them. The second half of what a lane reads is the first half of what its neighbour reads, so
  /// memory delivers it once.
  template <class Access = arch::read_only>
  __device__ void load_shifted(const T* source, int shift) requires(vector_bytes >= 4) {
    std::uint32_t window[window_words];
    const auto* aligned = reinterpret_cast<const unsigned char*>(source) - shift;
    WARPFOLD_UNROLL
    for (int i = 0; i < window_words; i += vector_bytes / 4)
      Access::template load<vector_bytes>(aligned + 4 * i, window + i);
    cut(window, shift);
  }

  /// Cuts the chunk out of the aligned words around it: it starts `shift` bytes (0 to vector_bytes - 1) into `window`,
  /// which is used up.
  __device__ void cut(std::uint32_t (&window)[window_words], int shift) {
    if constexpr (vector_bytes > 8 && alignof(T) % 16 != 0)
      if (shift & 8) {
        WARPFOLD_UNROLL
        for (int i = 0; i < words + 2; ++i) window[i] = window[i + 2];
      }
    if (vector_bytes > 4 && alignof(T) % 8 != 0 && shift & 4) {
      WARPFOLD_UNROLL
      for (int i = 0; i < words + 1; ++i) window[i] = window[i + 1];
    }
    WARPFOLD_UNROLL
    for (int i = 0; i < words; ++i)
      word[i] = alignof(T) % 4 == 0 ? window[i] : __funnelshift_r(window[i], window[i + 1], 8 * (shift & 3));
  }

  /// The first `count` items from `source`, at most all, by the aligned vectors that hold some of them. Each lane may
  /// have its own place and count. Nothing is loaded if `count` is not positive.
  template <class Access = arch::read_only>
  __device__ void load_window(const T* source, int count) requires(vector_bytes == 16) {
    const auto address = reinterpret_cast<std::uintptr_t>(source);
    const auto* aligned = reinterpret_cast<const unsigned char*>(address & ~std::uintptr_t{15});
    const int shift = static_cast<int>(address & 15), end = shift + count * int{sizeof(T)};
    std::uint32_t window[window_words] = {};
    WARPFOLD_UNROLL
    for (int i = 0; i < window_words; i += 4)
      if (i == 0 ? count > 0 : 4 * i < end) Access::template load<16>(aligned + 4 * i, window + i);
    cut(window, shift);
  }

  /// The same if `source` lies at a boundary of vectors.
  template <class Access = arch::read_only>
  __device__ void load_vectors(const T* source, int count) requires(vector_bytes == 16) {
    const auto* const from = reinterpret_cast<const unsigned char*>(source);
    WARPFOLD_UNROLL
    for (int offset = 0; offset < bytes; offset += 16)
      if (offset < count * int{sizeof(T)})
        Access::template load<16>(from + offset, reinterpret_cast<unsigned char*>(word) + offset);
  }

  /// Items [skipped, count) of those at `source`, which is aligned as `T` is. Nothing else is read.
  template <class Access = arch::read_only> __device__ void load(const T* source, int count, int skipped = 0) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (k >= skipped && k < count) load_item<Access>(k, source + k);
  }
  /// Item `k` from `source`, which is aligned as `T` is.
  template <class Access = arch::read_only> __device__ void load_item(int k, const T* source) {
    constexpr int width = alignof(T) <= 16 ? int{alignof(T)} : 16;
    if constexpr (bytes < 4 && bytes == width) {
      word[0] = Access::template load_word<width>(source);
    } else {
      WARPFOLD_UNROLL
      for (int offset = 0; offset < int{sizeof(T)}; offset += width)
        Access::template load<width>(reinterpret_cast<const unsigned char*>(source) + offset,
                                     reinterpret_cast<unsigned char*>(word) + k * sizeof(T) + offset);
    }
  }
};

}  // namespace warpfold::thread
