// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by all kernels of the ladder: their indices, their shared memory, and the two ways in which a block finishes.
// All kernels have one signature, (input, output, items), so that the table of rungs can hold them.
#pragma once

#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/config.hpp>

#include <cstdint>

namespace ladder {

using warpfold::full_warp;
using warpfold::warp_lanes;

__device__ inline std::int64_t thread_in_grid() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline std::int64_t threads_in_grid() { return std::int64_t{gridDim.x} * blockDim.x; }

/// The item, or zero past the end: the sources assume that N is a multiple of a block's items.
template <class T> __device__ T item_or_zero(const T* input, std::int64_t index, std::int64_t items) {
  return index < items ? input[index] : T{};
}

/// `extern __shared__ T data[]`, as long as the launch said.
template <class T> __device__ T* shared_items() { return &warpfold::arch::dynamic_shared<T>(); }

/// 003: each block adds its sum to the result. The blocks join in any order, and the result must start at zero.
struct add_to_result {
  template <class T> __device__ static void store(T* result, T sum) { atomicAdd(result, sum); }
};

/// 001, 002 and 004: each block leaves its sum in its own place, for the next launch to reduce. The order is kept.
struct one_partial_a_block {
  template <class T> __device__ static void store(T* partials, T sum) { partials[blockIdx.x] = sum; }
};

}  // namespace ladder
