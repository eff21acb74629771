// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of integers over the lanes of a warp.
#pragma once
#include <warpfold/arch/lane.cuh>

namespace warpfold::warp {

namespace detail {
/// `own` and the value `distance` lanes to the left, if there is one, added. (One instruction both exchanges and says whether
/// there is one.)
__device__ inline int add_left(int own, int distance) {
#if defined(__CUDA_ARCH__)
  asm volatile("{ .reg .b32 other; .reg .pred exists; shfl.sync.up.b32 other|exists, %0, %1, 0, 0xffffffff; @exists add.s32 %0, %0, other; }"
               : "+r"(own) : "r"(distance));
  return own;
#else
  const int other = __shfl_up_sync(full_warp, own, distance);
  return arch::lane_id() >= distance ? own + other : own;
#endif
}
}  // namespace detail

/// The sum of `own` over the lanes up to the calling one, of the first `Lanes`, a power of two. All lanes of the warp call it.
template <int Lanes = warp_lanes> __device__ int sum_through(int own) {
  WARPFOLD_UNROLL
  for (int distance = 1; distance < Lanes; distance *= 2) own = detail::add_left(own, distance);
  return own;
}

/// The greatest `own` of the lanes up to the calling one. All lanes of the warp call it.
__device__ inline int max_through(int own) {
  WARPFOLD_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) own = greatest_of(own, __shfl_up_sync(full_warp, own, distance));
  return own;
}

}  // namespace warpfold::warp
