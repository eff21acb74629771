// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hardware's barriers 1 to 15 of a block: some of its warps meet while the others go on.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::arch {

/// As __syncthreads() among `Threads` threads, whole warps, that name the same barrier.
template <int Id, int Threads> __device__ void sync_warps() {
  static_assert(Id >= 1 && Id <= 15 && Threads % warp_lanes == 0);
#if defined(__CUDA_ARCH__)
  __syncwarp();  // the compiler, which does not know the next statement to be a barrier, need not reconverge the warp
  asm volatile("bar.sync %0, %1;" ::"n"(Id), "n"(Threads) : "memory");
#elif !defined(__CUDACC__)
  cuda_emulator::named_barrier_sync(Id, Threads);
#endif
}

/// The same for warps that wait at different places in the code. (bar.sync is barrier.sync.aligned: with it, synccheck
/// takes them for divergent.)
template <int Id> __device__ void meet_warps([[maybe_unused]] int threads) {
  static_assert(Id >= 1 && Id <= 15);
#if defined(__CUDA_ARCH__)
  __syncwarp();
  asm volatile("barrier.sync %0, %1;" ::"n"(Id), "r"(threads) : "memory");
#elif !defined(__CUDACC__)
  cuda_emulator::named_barrier_sync(Id, threads);
#endif
}

}  // namespace warpfold::arch
