// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <concepts>
#include <cstdint>

#include "cuda_resources.hpp"

namespace bench {

/// splitmix64's finaliser of a counter: item i of a buffer depends on (seed, i) only, so filling needs no state.
__host__ __device__ inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t x = (index + 1) * 0x9E3779B97F4A7C15u + seed * 0xD1B54A32D192ED03u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Floating-point items are uniform in [0, 1). All have one sign, so the error bound of a sum is a share of the sum,
/// and a lost or doubled tile cannot hide behind it. An item type of its own gives `static T random_item(bits)`.
template <class T> __device__ T random_item(std::uint64_t bits) {
  if constexpr (std::integral<T>) {
    return static_cast<T>(bits >> 32);
  } else if constexpr (requires { T::random_item(bits); }) {
    return T::random_item(bits);
  } else if constexpr (sizeof(T) == 8) {
    return static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53);
  } else {
    return static_cast<T>(static_cast<float>(bits >> 40) * 0x1p-24f);
  }
}

template <class T> __global__ void fill_random_kernel(T* items, std::int64_t count, std::uint64_t seed) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    items[i] = random_item<T>(random_bits(seed, static_cast<std::uint64_t>(i)));
}

/// Fills device memory with random items; asynchronous.
template <class T> void fill_random(T* items, std::int64_t count, std::uint64_t seed, cudaStream_t stream) {
  const int blocks = 8 * device_attribute(cudaDevAttrMultiProcessorCount);
  fill_random_kernel<<<blocks, 256, 0, stream>>>(items, count, seed);
  check(cudaGetLastError());
}

}  // namespace bench
