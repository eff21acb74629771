// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 002: warps reduce in registers, and whole arrays through a grid-stride loop. Blocks are multiples of 32 threads:
// a shuffle in a partial warp would read lanes that are not there.
#pragma once

#include "kernel_parts.cuh"

namespace ladder {

/// `warpReduceSum`: lane 0 holds the sum. Lane i takes lane i + 16's value first, so the order is lost.
template <class T> __device__ T warp_reduce_sum(T value) {
  for (unsigned offset = warp_lanes / 2; offset > 0; offset /= 2) value += __shfl_down_sync(full_warp, value, offset);
  return value;
}

/// `blockReduceSum`: thread 0 holds the sum. Needs 32 values of shared memory.
template <class T> __device__ T block_reduce_sum(T value) {
  T* shared = shared_items<T>();
  const unsigned lane = threadIdx.x % warp_lanes;
  const unsigned warp = threadIdx.x / warp_lanes;

  value = warp_reduce_sum(value);       // each warp reduces what its threads hold
  if (lane == 0) shared[warp] = value;  // one partial per warp
  __syncthreads();
  value = threadIdx.x < blockDim.x / warp_lanes ? shared[lane] : T{};  // one lane for each warp
  if (warp == 0) value = warp_reduce_sum(value);
  return value;
}

/// The sum of a thread's own items, which are a grid apart: several blocks' items interleave.
struct scalar_loads {
  template <class T> __device__ static T sum(const T* in, std::int64_t items) {
    T sum{};
    for (std::int64_t i = thread_in_grid(); i < items; i += threads_in_grid()) sum += in[i];
    return sum;
  }
};

/// `deviceReduceKernel`: one partial per block, for a second launch of the same kernel with one block.
template <class Loads, class T> __global__ void two_pass(const T* in, T* out, std::int64_t items) {
  T sum = Loads::sum(in, items);
  sum = block_reduce_sum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/// `deviceReduceWarpAtomicKernel`: no shared memory, no block barrier, one atomic per warp.
/// The post's `threadIdx.x & (warpSize - 1) == 0` is an `&` with a comparison; it needs the brackets or the %.
template <class Loads, class T> __global__ void warp_atomic(const T* in, T* out, std::int64_t items) {
  T sum = Loads::sum(in, items);
  sum = warp_reduce_sum(sum);
  if (threadIdx.x % warp_lanes == 0) atomicAdd(out, sum);
}

/// `deviceReduceBlockAtomicKernel`: one atomic per block.
template <class Loads, class T> __global__ void block_atomic(const T* in, T* out, std::int64_t items) {
  T sum = Loads::sum(in, items);
  sum = block_reduce_sum(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

}  // namespace ladder
