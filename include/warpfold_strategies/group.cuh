// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole warps of a block that work together: all warps of the block, or some. Block algorithms run on either kind.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/named_barrier.cuh>

namespace warpfold::block {

/// All threads of a block of `Threads` threads.
template <int Threads> struct whole_block {
  static_assert(Threads % warp_lanes == 0 && Threads >= warp_lanes && Threads <= 1024);
  static constexpr int threads = Threads, warps = Threads / warp_lanes;

  __device__ static int rank() { return arch::thread_rank(); }
  __device__ static int warp() { return rank() / warp_lanes; }
  __device__ static void sync() { __syncthreads(); }
};

/// `Warps` warps of a block, from warp `First` on. Groups of several warps wait at the named barrier `Barrier`, 1 to
/// 15, which no other group of the block may use.
template <int Warps, int First = 0, int Barrier = 1> struct some_warps {
  static constexpr int threads = Warps * warp_lanes, warps = Warps;

  __device__ static int rank() { return arch::thread_rank() - First * warp_lanes; }
  __device__ static int warp() { return arch::thread_rank() / warp_lanes - First; }
  __device__ static bool contains_caller() { return warp() >= 0 && warp() < Warps; }
  __device__ static void sync() {
    if constexpr (Warps == 1) __syncwarp();
    else arch::sync_warps<Barrier, threads>();
  }
};

}  // namespace warpfold::block
