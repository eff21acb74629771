// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of integers over the lanes of a warp. (By shuffles as the compiler knows them: their own answer, whether there is a lane to
// the left, takes an assembly statement, which cost reductions by key 2 %.)
#pragma once
#include <warpfold/arch/lane.cuh>

namespace warpfold::warp {

/// The sum of `own` over the lanes up to the calling one, of the first `Lanes`, a power of two. All lanes of the warp call it.
template <int Lanes = warp_lanes> __device__ int sum_through(int own) {
  WARPFOLD_UNROLL
  for (int distance = 1; distance < Lanes; distance *= 2) {
    const int left = __shfl_up_sync(full_warp, own, distance);
    if (arch::lane_id() >= distance) own += left;
  }
  return own;
}

}  // namespace warpfold::warp
