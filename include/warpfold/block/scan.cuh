// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordered scans of one value per thread over a CUDA-block: warps first, then the nodes of the warps to the left. Every
// prefix has the bits of block::reduce over it.
#pragma once
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/scan.cuh>

namespace warpfold::block {

/// Shared memory of the scans: one value per warp. The caller keeps it in shared memory, and puts a __syncthreads()
/// between two uses of the same storage.
template <class A, int BlockThreads> struct scan_storage {
  static_assert(BlockThreads >= warp_lanes && BlockThreads <= 1024 && BlockThreads % warp_lanes == 0,
                "warpfold: block scans take whole warps");
  thread::array<A, BlockThreads / warp_lanes> nodes;  ///< one per warp
};

namespace detail {
/// Calls push(node) in each thread for the nodes to the left of its warp, the lowest level first. `through` is the
/// thread's prefix within its warp. One barrier.
template <int BlockThreads, class A, class Op, class Push>
__device__ void push_warps_before(scan_storage<A, BlockThreads>& storage, const A& through, Op op, int count,
                                  Push push) {
  constexpr int warps = BlockThreads / warp_lanes;
  const int thread = arch::thread_rank(), warp = thread / warp_lanes, lane = thread % warp_lanes;
  if constexpr (warps > 1) {
    if (lane == warp_lanes - 1) storage.nodes[warp] = through;  // used if all values of the warp count
    __syncthreads();
    warp::nodes_before(storage.nodes[least_of(lane, warps - 1)], warp, least_of(count / warp_lanes, warps), op,
                       [&](int, const A& node) { push(node); });
  }
}
}  // namespace detail

/// Each of the first `count` threads (1 to BlockThreads, the same in all) gets the fold of threads 0 to itself, thread
/// 0's value leftmost. BlockThreads is a multiple of 32; all threads call it. `op` is not called with the values of
/// other threads. Cost: one barrier, 10 shuffles per word and one more for each digit of the warp's number.
template <int BlockThreads, class A, class Op>
__device__ A inclusive_scan(scan_storage<A, BlockThreads>& storage, A value, Op op, int count = BlockThreads) {
  const int thread = arch::thread_rank(), in_warp = count - thread / warp_lanes * warp_lanes;
  value = warp::inclusive_scan(value, op, least_of(in_warp, warp_lanes));
  detail::push_warps_before(storage, value, op, count, [&](const A& node) {
    if (thread < count) value = op(node, value);
  });
  return value;
}

/// Each of the first `count` threads gets op(init, fold of the threads before it), and thread 0 gets `init`. Else as
/// inclusive_scan. Cost: one shuffle more.
template <int BlockThreads, class A, class Op>
__device__ A exclusive_scan(scan_storage<A, BlockThreads>& storage, A value, Op op, A init, int count = BlockThreads) {
  const int thread = arch::thread_rank(), lane = thread % warp_lanes, in_warp = count - (thread - lane);
  const A through = warp::inclusive_scan(value, op, least_of(in_warp, warp_lanes));
  A before = warp::shuffle_up(through, 1);
  bool exists = lane > 0;
  detail::push_warps_before(storage, through, op, count, [&](const A& node) {
    if (thread < count) before = exists ? op(node, before) : node;
    exists = true;
  });
  return thread > 0 && thread < count ? op(init, before) : init;
}

}  // namespace warpfold::block
