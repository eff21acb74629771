// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <warpfold/thread/chunk.cuh>

namespace warpfold::thread {

/// A source (source.cuh) of items that lie `stride` places apart, one per chunk.
template <class T> struct strided_source {
  static constexpr int chunk_items = 1;
  using chunk = thread::chunk<T, 1>;
  using item = T;

  const T* data;
  std::int64_t stride, items;

  __device__ static constexpr int misaligned_bytes() { return 0; }
  __device__ void load(chunk& to, std::int64_t first) const { to.load(data + first * stride, 1); }
  __device__ void load_edge(chunk& to, std::int64_t first) const {
    if (first < items) load(to, first);
  }
  /// The same items, `places` further in memory.
  __device__ strided_source from(std::int64_t places) const { return {data + places, stride, items}; }
  __device__ static T value(const chunk& from, int k) { return from.item(k); }
  __device__ T at(std::int64_t number) const { return data[number * stride]; }
};

}  // namespace warpfold::thread
