// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the stretches of a warp's lanes.
#pragma once
#include <warpfold/thread/open_runs.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::warp {

/// The number of heads in the lanes before the calling one, and in all lanes.
struct heads_before {
  int lane, warp;
};

/// Of the first `Lanes` lanes, a power of two; in the others it means nothing. All lanes call it.
template <int Lanes = warp_lanes> __device__ heads_before count_heads(int own) {
  int through = own;
  WARPFOLD_UNROLL
  for (int distance = 1; distance < Lanes; distance *= 2) {
    const int other = __shfl_up_sync(full_warp, through, distance);
    if (arch::lane_id() >= distance) through += other;
  }
  return {through - own, __shfl_sync(full_warp, through, Lanes - 1)};
}

/// The stretch of the first `Lanes` lanes, a power of two, each of which brings that of its own items; those without any come
/// last. `before`: heads in the lanes before. Calls close(rank, value) in one lane for each run that is complete, `rank` being
/// the number of heads before its own. Valid in lane 0. All lanes call it.
template <int Lanes = warp_lanes, class Op, class A, class Close>
__device__ thread::open_runs<A> join_runs(const thread::run_joiner<Op, A>& joiner, thread::open_runs<A> own, int before, Close close) {
  WARPFOLD_UNROLL
  for (int distance = 1; distance < Lanes; distance *= 2) {
    thread::open_runs<A> right{shuffle_down(own.first, distance), shuffle_down(own.last, distance),
                               __shfl_down_sync(full_warp, own.heads, distance), true};
    if constexpr (!thread::run_joiner<Op, A>::uses_identity)
      right.has_first = __shfl_down_sync(full_warp, static_cast<int>(own.has_first), distance) != 0;
    const bool joins = (arch::lane_id() & (2 * distance - 1)) == 0 && (Lanes == warp_lanes || arch::lane_id() < Lanes);
    const auto close_own = [&](const A& across) {
      if (joins) close(before + own.heads - 1, across);
    };
    // Where that costs an instruction, all lanes join, those between for nothing: a branch would cost more.
    if (thread::run_joiner<Op, A>::uses_identity || joins) own = joiner.join(own, right, close_own);
  }
  return own;
}

}  // namespace warpfold::warp
