// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

namespace bench {

/// Folds the vectors of one tile from `first` on, thread by thread; all Unroll loads are in flight before the first is
/// used.
template <int Unroll> __device__ unsigned read_tile(const uint4* __restrict__ first, std::int64_t count) {
  uint4 row[Unroll] = {};
  const bool full = count >= Unroll * std::int64_t{blockDim.x};
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const std::int64_t i = u * std::int64_t{blockDim.x} + threadIdx.x;
    if (full || i < count) row[u] = first[i];
  }
  unsigned folded = 0;
#pragma unroll
  for (int u = 0; u < Unroll; ++u) folded ^= row[u].x ^ row[u].y ^ row[u].z ^ row[u].w;
  return folded;
}

/// Reads `count` vectors of 16 bytes and keeps nothing; blocks take tiles in turn. The store keeps the loads alive: on
/// random data a thread reaches it with probability 2^-32, and may then write `sink`.
template <int Unroll>
__global__ void read_kernel(const uint4* __restrict__ vectors, std::int64_t count, unsigned* sink) {
  const std::int64_t tile_vectors = std::int64_t{Unroll} * blockDim.x;
  unsigned folded = 0;
  for (std::int64_t tile = blockIdx.x * tile_vectors; tile < count; tile += gridDim.x * tile_vectors)
    folded ^= read_tile<Unroll>(vectors + tile, count - tile);
  if (folded == 0x9E3779B9u) *sink = folded;
}

}  // namespace bench
