// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From sequential addressing on: more additions on the way in, fewer instructions around each of them.
// 003 #6 to #10 and Harris 4 to 7. These kernels need blocks of at least 64 threads, a power of two.
#pragma once

#include "kernel_parts.cuh"

namespace ladder {

/// The first addition happens during the load: two items per thread, a block apart.
template <class T> __device__ T dual_load(const T* input, std::int64_t id, std::int64_t items) {
  return item_or_zero(input, id, items) + item_or_zero(input, id + blockDim.x, items);
}
__device__ inline std::int64_t first_of_two() { return 2 * std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

/// One step of sequential addressing: s sums remain.
template <class T> __device__ void halve(T* data, unsigned s) {
  if (threadIdx.x < s) data[threadIdx.x] += data[threadIdx.x + s];
  __syncthreads();
}

/// The steps before the last warp, for a block size that the compiler knows: no loop, no test of s.
template <unsigned BlockThreads, class T> __device__ void unrolled_to_two_warps(T* data) {
  static_assert(BlockThreads >= 64 && BlockThreads <= 1024 && (BlockThreads & (BlockThreads - 1)) == 0);
  if constexpr (BlockThreads >= 1024) halve(data, 512);
  if constexpr (BlockThreads >= 512) halve(data, 256);
  if constexpr (BlockThreads >= 256) halve(data, 128);
  if constexpr (BlockThreads >= 128) halve(data, 64);
}

/// The last six steps, for the threads of one warp. Each reads, then writes, with a warp barrier after both: the
/// sources' `volatile` relied on lockstep, and warps do not run in lockstep. The slide starts x at 0 and loses the
/// thread's own sum.
template <class T> __device__ void unrolled_last_warp(T* data) {
  T x = data[threadIdx.x];
  const auto step = [&](unsigned s) {
    x += data[threadIdx.x + s];
    __syncwarp();
    data[threadIdx.x] = x;
    __syncwarp();
  };
  step(32), step(16), step(8), step(4), step(2), step(1);
}

/// The last six steps with shuffles: shared memory is read once, then registers are exchanged. The slide's masks leave
/// out threads that take part; here all 32 are named.
template <class T> __device__ T shuffled_last_warp(const T* data) {
  T x = data[threadIdx.x] + data[threadIdx.x + 32];
  x += __shfl_down_sync(full_warp, x, 16);
  x += __shfl_down_sync(full_warp, x, 8);
  x += __shfl_down_sync(full_warp, x, 4);
  x += __shfl_down_sync(full_warp, x, 2);
  x += __shfl_down_sync(full_warp, x, 1);
  return x;
}

/// 003 #6, dual load; Harris 4, first add during load: half the blocks, and no thread idles from the start.
template <class Finish, class T> __global__ void first_add_during_load(const T* input, T* out, std::int64_t items) {
  T* data = shared_items<T>();
  data[threadIdx.x] = dual_load(input, first_of_two(), items);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) data[threadIdx.x] += data[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) Finish::store(out, data[0]);
}

/// 003 #7, unrolled last; Harris 5, unroll the last warp: six block barriers become warp barriers.
template <class Finish, class T> __global__ void unroll_last_warp(const T* input, T* out, std::int64_t items) {
  T* data = shared_items<T>();
  data[threadIdx.x] = dual_load(input, first_of_two(), items);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
    if (threadIdx.x < s) data[threadIdx.x] += data[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x < 32) unrolled_last_warp(data);
  if (threadIdx.x == 0) Finish::store(out, data[0]);
}

/// 003 #8, unrolled all; Harris 6, completely unrolled: the block size is a template parameter.
template <unsigned BlockThreads, class Finish, class T>
__global__ void completely_unrolled(const T* input, T* out, std::int64_t items) {
  T* data = shared_items<T>();
  data[threadIdx.x] = dual_load(input, first_of_two(), items);
  __syncthreads();
  unrolled_to_two_warps<BlockThreads>(data);
  if (threadIdx.x < 32) unrolled_last_warp(data);
  if (threadIdx.x == 0) Finish::store(out, data[0]);
}

/// 003 #9, shuffle: the last warp exchanges registers.
template <unsigned BlockThreads, class T>
__global__ void shuffle_last_warp(const T* input, T* result, std::int64_t items) {
  T* data = shared_items<T>();
  data[threadIdx.x] = dual_load(input, first_of_two(), items);
  __syncthreads();
  unrolled_to_two_warps<BlockThreads>(data);
  T x{};
  if (threadIdx.x < 32) x = shuffled_last_warp(data);
  if (threadIdx.x == 0) atomicAdd(result, x);
}

/// 003 #10, multi seq: a thread adds many items, a grid apart, before the block meets once.
template <unsigned BlockThreads, class T>
__global__ void multi_sequential(const T* input, T* result, std::int64_t items) {
  T* data = shared_items<T>();
  T in{};
  for (std::int64_t id = thread_in_grid(); id < items; id += threads_in_grid()) in += input[id];
  data[threadIdx.x] = in;
  __syncthreads();
  unrolled_to_two_warps<BlockThreads>(data);
  T x{};
  if (threadIdx.x < 32) x = shuffled_last_warp(data);
  if (threadIdx.x == 0) atomicAdd(result, x);
}

/// Harris 7, multiple elements per thread: pairs of items, a grid apart; as many blocks as fill the GPU.
/// The source reads past the end where N is not a multiple of two blocks; `dual_load` does not.
template <unsigned BlockThreads, class T>
__global__ void multiple_items(const T* input, T* partials, std::int64_t items) {
  T* data = shared_items<T>();
  data[threadIdx.x] = T{};
  for (std::int64_t id = first_of_two(); id < items; id += 2 * threads_in_grid())
    data[threadIdx.x] += dual_load(input, id, items);
  __syncthreads();
  unrolled_to_two_warps<BlockThreads>(data);
  if (threadIdx.x < 32) unrolled_last_warp(data);
  if (threadIdx.x == 0) partials[blockIdx.x] = data[0];
}

}  // namespace ladder
