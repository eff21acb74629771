// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items that lie in shared memory as they lay in global memory, as a source of chunks (see thread/source.cuh).
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::block {

/// `Items` a chunk, from any address: where that is not aligned to 16 bytes, a lane reads the aligned vectors around its
/// chunk, 16 bytes more, and cuts. No bank conflicts: chunks of 16 bytes, and of odd multiples, fall on different banks.
template <class T, int Items = thread::items_per_chunk(sizeof(T))> struct staged_source {
  static constexpr int chunk_items = Items;
  using chunk = thread::chunk<T, Items>;
  using item = T;

  const unsigned char* data;  ///< in shared memory; the aligned vectors around the items lie there, too
  std::int64_t items;

  __device__ static constexpr int misaligned_bytes() { return 0; }  // load takes any alignment
  __device__ void load(chunk& to, std::int64_t first) const {
    const unsigned char* begin = data + first * std::int64_t{sizeof(T)};
    const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(begin) & 15);
    if constexpr (chunk::vector_bytes == 16) {
      if (shift == 0) return load_vectors(to.word, begin);
      std::uint32_t window[chunk::words + 4];
      load_vectors(window, begin - shift);
      return to.cut(window, shift);
    } else load_items(to, begin, Items);
  }
  __device__ void load_edge(chunk& to, std::int64_t first) const {
    const std::int64_t left = items - first;
    if (left > 0) load_items(to, data + first * std::int64_t{sizeof(T)}, left < Items ? static_cast<int>(left) : Items);
  }
  __device__ static T value(const chunk& from, int k) { return from.item(k); }

 private:
  template <int Words> __device__ static void load_vectors(std::uint32_t (&word)[Words], const unsigned char* begin) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Words; i += 4) arch::load_shared<16>(begin + 4 * i, word + i);
  }
  __device__ static void load_items(chunk& to, const unsigned char* begin, int count) {
    constexpr int width = alignof(T) <= 16 ? int{alignof(T)} : 16, bytes = sizeof(T);
    WARPFOLD_UNROLL
    for (int offset = 0; offset < Items * bytes; offset += width)
      if (offset < count * bytes)
        arch::load_shared<width>(begin + offset, reinterpret_cast<unsigned char*>(to.word) + offset);
  }
};

/// Room in shared memory for `Items` accumulators, as the loader fills it and a staged_source reads it. (Its stores of
/// chunks meet bank conflicts; its loads do not.)
template <class A, int Items> struct staged_items {
  static constexpr int items = Items;
  using source = staged_source<A>;

  __device__ void set(int item, const A& value) { std::memcpy(bytes + item * sizeof(A), &value, sizeof(A)); }
  __device__ thread::leaves<source, thread::no_transform, A> leaves(int count) const { return {{bytes, count}, {}}; }

  alignas(16) unsigned char bytes[Items * sizeof(A)];
};

}  // namespace warpfold::block
