// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items in shared memory, at any offset from a 16-byte boundary, as a source (see source.cuh). The offset
// comes from bulk copies, which bring the aligned vectors around the items.
#pragma once
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/thread/chunk.cuh>

namespace warpfold::thread {

/// `Items` a chunk. A chunk that is not aligned to 16 bytes is cut out of the aligned vectors around it. No bank
/// conflicts: chunks of 16 bytes, and of odd multiples of 16, fall on different banks.
template <class T, int Items = items_per_chunk(sizeof(T))> struct shared_source {
  static constexpr int chunk_items = Items;
  using chunk = thread::chunk<T, Items>;
  using item = T;
  /// load_inside reads up to this many bytes from the vector in which an item begins. They must be shared memory.
  static constexpr int past_bytes = chunk::bytes + 16;

  const unsigned char* bytes;  ///< a multiple of 16
  int before;                  ///< bytes before item 0, less than 16
  std::int64_t items = 0;      ///< only load_edge looks at it

  __device__ static constexpr int misaligned_bytes() { return 0; }  // load takes any alignment
  /// The chunk from item `first` on, all of whose items exist. Reads only the vectors that hold some of them.
  __device__ void load(chunk& to, std::int64_t first) const {
    const int begin = begin_of(static_cast<int>(first)), shift = begin & 15;
    if constexpr (chunk::vector_bytes == 16) {
      if (shift != 0) return load_window(to, begin, shift);
      load_vectors(to.word, begin);
    } else load_exactly(to, begin, Items);
  }
  /// The items that exist of the chunk from item `first` on. Reads nothing else.
  __device__ void load_edge(chunk& to, std::int64_t first) const {
    const std::int64_t left = items - first;
    if (left > 0) load_exactly(to, begin_of(static_cast<int>(first)), left < Items ? static_cast<int>(left) : Items);
  }
  /// The chunk from item `first` on. The caller uses only the items that exist. Reads past them (past_bytes).
  __device__ void load_inside(chunk& to, int first, int) const requires(chunk::vector_bytes == 16) {
    const int begin = begin_of(first);
    load_window(to, begin, begin & 15);
  }
  __device__ void load_items(chunk& to, int first, int count) const requires(chunk::vector_bytes == 16) {
    load_inside(to, first, count);
  }
  __device__ T at(std::int64_t number) const {
    T value;
    load_bytes<sizeof(T)>(reinterpret_cast<unsigned char*>(&value), begin_of(static_cast<int>(number)), sizeof(T));
    return value;
  }
  __device__ static T value(const chunk& from, int k) { return from.item(k); }

 private:
  __device__ int begin_of(int number) const { return before + number * int{sizeof(T)}; }
  __device__ void load_window(chunk& to, int begin, int shift) const {
    std::uint32_t window[chunk::words + 4];
    load_vectors(window, begin - shift);
    to.cut(window, shift);
  }
  template <int Words> __device__ void load_vectors(std::uint32_t (&word)[Words], int begin) const {
    WARPFOLD_UNROLL
    for (int i = 0; i < Words; i += 4) arch::load_shared<16>(bytes + begin + 4 * i, word + i);
  }
  __device__ void load_exactly(chunk& to, int begin, int count) const {
    load_bytes<Items* int{sizeof(T)}>(reinterpret_cast<unsigned char*>(to.word), begin, count * int{sizeof(T)});
  }
  /// The first `count` of up to `Bytes` bytes from `begin` on, where an item begins.
  template <int Bytes> __device__ void load_bytes(unsigned char* to, int begin, int count) const {
    constexpr int width = alignof(T) <= 16 ? int{alignof(T)} : 16;
    WARPFOLD_UNROLL
    for (int offset = 0; offset < Bytes; offset += width)
      if (offset < count) arch::load_shared<width>(bytes + begin + offset, to + offset);
  }
};

}  // namespace warpfold::thread
