// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordered reduction of one value per thread over a CUDA-block, by shuffles: warps first, then the first warp over the
// warp results. The association is the canonical tree over the threads. Source: blockReduceSum, "Faster Parallel
// Reductions on Kepler", made ordered and right for every block size.
#pragma once
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::block {

/// Shared memory of reduce and all_reduce: one value per warp. The caller keeps it in shared memory, and puts a
/// __syncthreads() between two uses of the same storage.
template <class A, int BlockThreads> struct reduce_storage {
  static_assert(BlockThreads >= 1 && BlockThreads <= 1024);
  thread::array<A, (BlockThreads + warp_lanes - 1) / warp_lanes> partials;  ///< one per warp
};

/// Folds the values of the first `count` threads (1 to BlockThreads, the same in all), thread 0's leftmost.
/// BlockThreads may be any number from 1 to 1024, also no multiple of 32; all threads of the block must call it. `op`
/// is not called with the values of the others. Result valid in thread 0. Cost: one barrier (none for 32 threads or
/// fewer), 2 * log2(32) shuffles per word at most.
template <int BlockThreads, class A, class Op>
__device__ A reduce(reduce_storage<A, BlockThreads>& storage, A value, Op op, int count = BlockThreads) {
  const int thread = arch::thread_rank(), warp = thread / warp_lanes, lane = thread % warp_lanes;
  const int in_warp = count - warp * warp_lanes;  // values of this warp that count
  if (in_warp >= warp_lanes) value = warp::reduce(value, op);
  else if (lane < in_warp) value = warp::reduce(value, op, in_warp);
  if constexpr (BlockThreads > warp_lanes) {
    if (lane == 0) storage.partials[warp] = value;
    __syncthreads();
    const int partials = (count + warp_lanes - 1) / warp_lanes;
    if (thread < partials) value = warp::reduce(storage.partials[thread], op, partials);
  }
  return value;
}

/// reduce with the result valid in every thread. Cost: one barrier more than reduce, that is two, or one for 32 threads
/// or fewer.
template <int BlockThreads, class A, class Op>
__device__ A all_reduce(reduce_storage<A, BlockThreads>& storage, A value, Op op, int count = BlockThreads) {
  value = reduce(storage, value, op, count);
  if (arch::thread_rank() == 0) storage.partials[0] = value;  // which it alone has read
  __syncthreads();
  return storage.partials[0];
}

}  // namespace warpfold::block
