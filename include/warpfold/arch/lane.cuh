// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a thread stands in its warp and block.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::arch {

/// The thread's index in its block, x fastest.
__device__ inline int thread_rank() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

/// The thread's index in its warp: 0 to 31. (Not read from %laneid: the compiler then no longer sees which branches a
/// whole warp takes, and large reductions get 4 % slower.)
__device__ inline int lane_id() { return thread_rank() & (warp_lanes - 1); }

/// The index of the thread, and of its warp, in its block. For the library's own kernels, whose blocks have one
/// dimension. The compiler learns that, so lane_id() reads one register, not three.
__device__ inline int flat_thread() {
#if defined(__CUDA_ARCH__)
  const unsigned y = threadIdx.y, z = threadIdx.z;  // clang assumes nothing of what a function returns
  __builtin_assume(y == 0);
  __builtin_assume(z == 0);
#endif
  return static_cast<int>(threadIdx.x);
}
__device__ inline int flat_warp() { return static_cast<int>(static_cast<unsigned>(flat_thread()) / warp_lanes); }
/// flat_warp, read from lane 0. The compiler then sees that whole warps take a branch on it together, and does not
/// guard the shuffles behind such a branch. All lanes of the warp call it.
__device__ inline int uniform_warp() { return __shfl_sync(full_warp, flat_warp(), 0); }

}  // namespace warpfold::arch
