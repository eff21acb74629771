// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a thread stands in its warp and block.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::arch {

/// The thread's index in its block, x fastest.
__device__ inline int thread_rank() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

/// The thread's index in its warp: 0 to 31.
__device__ inline int lane_id() { return thread_rank() & (warp_lanes - 1); }

}  // namespace warpfold::arch
