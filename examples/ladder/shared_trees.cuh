// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trees in shared memory: which thread adds what decides divergence and bank conflicts.
// 003's kernels and Harris's are the same trees; they differ in how the block finishes.
#pragma once

#include "kernel_parts.cuh"

namespace ladder {

/// 003 #3, shared; Harris 1: neighbours first, at doubling stride, by every second, fourth, eighth ... thread. All
/// warps stay busy with ever fewer of their threads.
template <class Finish, class T> __global__ void interleaved_divergent(const T* input, T* out, std::int64_t items) {
  T* data = shared_items<T>();
  data[threadIdx.x] = item_or_zero(input, thread_in_grid(), items);
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (threadIdx.x % (2 * s) == 0) data[threadIdx.x] += data[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) Finish::store(out, data[0]);
}

/// 003 #4, anti-divergence; Harris 2: the same pairs, by consecutive threads.
/// Whole warps retire, but a warp's addresses are now 2s items apart: up to 8 threads meet in one bank.
template <class Finish, class T> __global__ void interleaved_strided(const T* input, T* out, std::int64_t items) {
  T* data = shared_items<T>();
  data[threadIdx.x] = item_or_zero(input, thread_in_grid(), items);
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned lid = 2 * s * threadIdx.x;
    if (lid < blockDim.x) data[lid] += data[lid + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) Finish::store(out, data[0]);
}

/// 003 #5, anti-conflicts; Harris 3: the upper half is added to the lower half.
/// Neighbouring threads read neighbouring words: no conflicts, and no order either.
template <class Finish, class T> __global__ void sequential_addressing(const T* input, T* out, std::int64_t items) {
  T* data = shared_items<T>();
  data[threadIdx.x] = item_or_zero(input, thread_in_grid(), items);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) data[threadIdx.x] += data[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) Finish::store(out, data[0]);
}

/// Both kernels of 001 bring 2·B items to shared memory with B threads.
template <class T> __device__ void load_two_blocks(T* array, const T* input, std::int64_t items) {
  const std::int64_t start = 2 * std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  array[threadIdx.x] = item_or_zero(input, start, items);
  array[threadIdx.x + blockDim.x] = item_or_zero(input, start + blockDim.x, items);
}

/// 001, naive reduction: thread t owns items 2t and 2t + 1; the stride doubles.
/// The note's loop ends at `stride < blockDim.x`, one step short of the 2·B items that its text asks for.
template <class T> __global__ void naive_tree(const T* input, T* output, std::int64_t items) {
  T* array = shared_items<T>();
  load_two_blocks(array, input, items);
  for (unsigned stride = 1; stride <= blockDim.x; stride *= 2) {
    __syncthreads();
    if (threadIdx.x % stride == 0) array[2 * threadIdx.x] += array[2 * threadIdx.x + stride];
  }
  if (threadIdx.x == 0) output[blockIdx.x] = array[0];
}

/// 001, improved reduction: thread t owns items t and t + B; the stride starts at B and halves.
/// Threads retire from the end, so whole warps retire until one remains.
template <class T> __global__ void reassigned_tree(const T* input, T* output, std::int64_t items) {
  T* array = shared_items<T>();
  load_two_blocks(array, input, items);
  for (unsigned stride = blockDim.x; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) array[threadIdx.x] += array[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) output[blockIdx.x] = array[0];
}

}  // namespace ladder
