// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several ordered reductions over a CUDA-block at once, for the price of one's barrier: x, y and z of a sum of vectors.
// Source: "Faster Parallel Reductions on Kepler", Interleaving Multiple Reductions.
#pragma once
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/interleaved_reduce.cuh>

namespace warpfold::block {

/// Shared memory of interleaved_reduce: one value per warp and reduction.
template <class A, int BlockThreads, int Count> struct interleaved_storage {
  static_assert(BlockThreads % warp_lanes == 0 && BlockThreads >= warp_lanes && BlockThreads <= 1024);
  thread::array<A, BlockThreads / warp_lanes> partials[Count];
};

/// Folds each of a thread's `Count` values with the values of the same index in the other threads, thread 0's leftmost.
/// All BlockThreads threads must call it, with a __syncthreads() between two uses of the same storage. Results valid in
/// thread 0, in `values`. Cost: one barrier, 2 * Count * log2(32) shuffles per word.
template <int BlockThreads, int Count, class A, class Op>
__device__ void interleaved_reduce(interleaved_storage<A, BlockThreads, Count>& storage, A (&values)[Count], Op op) {
  constexpr int warps = BlockThreads / warp_lanes;
  const int warp = arch::thread_rank() / warp_lanes, lane = arch::lane_id();
  warp::interleaved_reduce(values, op);
  if constexpr (warps > 1) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Count; ++i)
      if (lane == 0) storage.partials[i][warp] = values[i];
    __syncthreads();
    if (warp != 0) return;
    WARPFOLD_UNROLL
    for (int i = 0; i < Count; ++i)
      if (lane < warps) values[i] = warp::reduce(storage.partials[i][lane], op, warps);
  }
}

}  // namespace warpfold::block
