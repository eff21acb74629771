// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of integers over the lanes of a warp. (By the shuffle intrinsics. PTX's shuffle also tells whether there is a
// lane to the left, but an assembly statement for it cost reductions by key 2 %.)
#pragma once
#include <warpfold/arch/lane.cuh>

namespace warpfold::warp {

/// The sum of `own` over lanes 0 to the calling one, valid in the first `Lanes` lanes, a power of two. All lanes of the
/// warp call it.
template <int Lanes = warp_lanes> __device__ int sum_through(int own) {
  WARPFOLD_UNROLL
  for (int distance = 1; distance < Lanes; distance *= 2) {
    const int left = __shfl_up_sync(full_warp, own, distance);
    if (arch::lane_id() >= distance) own += left;
  }
  return own;
}

}  // namespace warpfold::warp
