// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <string>
#include <vector>

#include "../common/contender.hpp"
#include "../common/cuda_resources.hpp"
#include "../common/read_kernel.cuh"

namespace bench {

/// The arrays that a segmented reduction, or one by key, reads and writes. Bases are aligned to 16 bytes.
struct traffic {
  const void* items;
  std::size_t items_bytes;
  const void* segments;  // offsets, owners, begins and ends, or keys
  std::size_t segments_bytes;
  void* out;
  std::size_t out_bytes;
  std::size_t bytes() const { return items_bytes + segments_bytes + out_bytes; }
};

/// Reads two arrays and writes a third, each block its share of all three, tile by tile: the limit for those bytes.
template <int Unroll>
__global__ void move_kernel(const uint4* a, std::int64_t a_vectors, const uint4* b, std::int64_t b_vectors, uint4* out,
                            std::int64_t out_vectors, unsigned* sink) {
  const std::int64_t tile_vectors = std::int64_t{Unroll} * blockDim.x;
  const std::int64_t tiles = (a_vectors + b_vectors + tile_vectors - 1) / tile_vectors;
  unsigned folded = 0;
  std::int64_t written = 0;
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t first = tile * tile_vectors;
    if (first < a_vectors) folded ^= read_tile<Unroll>(a + first, a_vectors - first);
    else folded ^= read_tile<Unroll>(b + (first - a_vectors), b_vectors - (first - a_vectors));
    const std::int64_t from = tile * out_vectors / tiles, to = (tile + 1) * out_vectors / tiles;
    for (std::int64_t i = from + threadIdx.x; i < to; i += blockDim.x, ++written) out[i] = uint4{folded, 1, 2, 3};
  }
  if (folded == 0x9E3779B9u && written == 0) *sink = folded;
}

template <int Unroll, int BlockThreads, int BlocksPerProcessor>
void move(const traffic& t, unsigned* sink, cudaStream_t stream) {
  const auto vectors = [](std::size_t bytes) { return static_cast<std::int64_t>((bytes + 15) / 16); };
  const int blocks = BlocksPerProcessor * device_attribute(cudaDevAttrMultiProcessorCount);
  move_kernel<Unroll><<<blocks, BlockThreads, 0, stream>>>(
      static_cast<const uint4*>(t.items), vectors(t.items_bytes), static_cast<const uint4*>(t.segments),
      vectors(t.segments_bytes), static_cast<uint4*>(t.out), vectors(t.out_bytes), sink);
  check(cudaGetLastError());
}

/// Contenders that move those bytes and reduce nothing. `sink` and all arrays have room up to the next vector.
inline contenders make_move_contenders(const traffic& t, unsigned* sink) {
  return {{"move_4x512x4", [=](cudaStream_t stream, int) { move<4, 512, 4>(t, sink, stream); }},
          {"move_8x256x4", [=](cudaStream_t stream, int) { move<8, 256, 4>(t, sink, stream); }},
          {"move_4x256x8", [=](cudaStream_t stream, int) { move<4, 256, 8>(t, sink, stream); }},
          {"move_2x512x4", [=](cudaStream_t stream, int) { move<2, 512, 4>(t, sink, stream); }}};
}
inline std::vector<std::string> move_contender_names() {
  return {"move_4x512x4", "move_8x256x4", "move_4x256x8", "move_2x512x4"};
}

}  // namespace bench
