// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 002: the vectorised loads that the post leaves to its repository, and three reductions at once.
#pragma once

#include <warpfold/arch/vector_load.cuh>

#include "shuffles.cuh"

namespace ladder {

/// 16 bytes per load. The input must be aligned to 16 bytes; the last N modulo 4 (or 2) items go to the first threads.
struct vector_loads {
  template <class T> __device__ static T sum(const T* in, std::int64_t items) {
    constexpr int width = 16 / sizeof(T);
    T sum{};
    for (std::int64_t i = thread_in_grid(); i < items / width; i += threads_in_grid()) {
      T loaded[width];
      warpfold::arch::load<16>(in + i * width, loaded);
      for (const T& item : loaded) sum += item;
    }
    return sum + item_or_zero(in, items / width * width + thread_in_grid(), items);
  }
};

/// Three fields that are reduced together.
template <class T> struct triple {
  T x, y, z;
  __device__ triple& operator+=(const triple& other) {
    x += other.x, y += other.y, z += other.z;
    return *this;
  }
};

/// `warpReduceSumTriple`: three independent chains of shuffles, interleaved; while one waits, the others issue.
template <class T> __device__ triple<T> warp_reduce_sum(triple<T> value) {
  for (unsigned offset = warp_lanes / 2; offset > 0; offset /= 2) {
    value.x += __shfl_down_sync(full_warp, value.x, offset);
    value.y += __shfl_down_sync(full_warp, value.y, offset);
    value.z += __shfl_down_sync(full_warp, value.z, offset);
  }
  return value;
}

/// The interleaved triple as a two-pass reduction: item i belongs to field i modulo 3, and each block leaves three
/// sums.
template <class T> __global__ void two_pass_triple(const T* in, T* out, std::int64_t items) {
  triple<T> sum{};
  for (std::int64_t i = 3 * thread_in_grid(); i < items; i += 3 * threads_in_grid())
    sum += {in[i], item_or_zero(in, i + 1, items), item_or_zero(in, i + 2, items)};
  sum = block_reduce_sum(sum);
  if (threadIdx.x == 0) {
    out[3 * blockIdx.x] = sum.x;
    out[3 * blockIdx.x + 1] = sum.y;
    out[3 * blockIdx.x + 2] = sum.z;
  }
}

}  // namespace ladder
