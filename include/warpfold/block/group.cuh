// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole warps of a block that do one thing together: all of them, or some. Block algorithms work for either.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/warps_barrier.cuh>

namespace warpfold::block {

/// All threads of a block of `Threads` threads.
template <int Threads> struct whole_block {
  static_assert(Threads % warp_lanes == 0 && Threads >= warp_lanes && Threads <= 1024);
  static constexpr int threads = Threads, warps = Threads / warp_lanes;

  __device__ static int rank() { return arch::thread_rank(); }
  __device__ static int warp() { return rank() / warp_lanes; }
  __device__ static void sync() { __syncthreads(); }
};

/// `Warps` warps of a block that has more, from warp `First` on. `barrier` has been initialised for their threads, if
/// they are several and meet.
template <int Warps, int First = 0> struct some_warps {
  static constexpr int threads = Warps * warp_lanes, warps = Warps;
  arch::warps_barrier* barrier = nullptr;

  __device__ static int rank() { return arch::thread_rank() - First * warp_lanes; }
  __device__ static int warp() { return arch::thread_rank() / warp_lanes - First; }
  __device__ static bool contains_caller() { return warp() >= 0 && warp() < Warps; }
  __device__ void sync() const {
    if constexpr (Warps == 1) __syncwarp();
    else barrier->template sync<First + 1, threads>();
  }
};

}  // namespace warpfold::block
