// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the carries of a warp's lanes.
#pragma once
#include <warpfold/by_key/run_carry.cuh>
#include <warpfold/warp/scan.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::by_key {

/// The number of heads in the lanes before the calling one, and in the whole warp.
struct heads_before {
  int lane, warp;
};

/// Counts the heads of the first `Lanes` lanes, a power of two. The result means nothing in the other lanes. All lanes
/// call it.
template <int Lanes = warp_lanes> __device__ heads_before count_heads(int own) {
  const int through = warp::sum_through<Lanes>(own);
  return {through - own, __shfl_sync(full_warp, through, Lanes - 1)};
}

/// The carry of the first `Lanes` lanes, a power of two. Each lane brings the carry of its own items; lanes without
/// items come last. `heads` counts from wherever the caller likes. A lane calls close(rank, value) if joining its carry
/// to its left neighbour's completes a run; `rank` is the number of heads before the run's own. Valid in lane 0. All
/// lanes call it.
template <int Lanes = warp_lanes, class Op, class A, class Close>
__device__ run_carry<A> join_carries(const carry_joiner<Op, A>& joiner, run_carry<A> own, const heads_before& heads,
                                     Close close) {
  constexpr bool uses_identity = carry_joiner<Op, A>::uses_identity;
  const int lane = arch::lane_id(), left_side = lane & -lane;  // the distance at which the lane is joined to the left
  const unsigned with_heads = __ballot_sync(full_warp, own.heads != 0);
  const unsigned with_first = uses_identity ? full_warp : __ballot_sync(full_warp, own.has_first);
  const auto any = [](unsigned marks, int lanes) { return (marks & ((1u << lanes) - 1)) != 0; };
  A complete = own.first;
  WARPFOLD_UNROLL
  for (int distance = 1; distance < Lanes; distance *= 2) {
    const bool joins = (lane & (2 * distance - 1)) == 0 && (Lanes == warp_lanes || lane < Lanes);
    const A right_first = warp::shuffle_down(own.first, distance), right_last = warp::shuffle_down(own.last, distance);
    A across = own.last;
    // With an identity all lanes join, although half of the results are unused: a branch would cost more.
    if (uses_identity || (joins && with_first >> lane >> distance & 1)) across = joiner.op(own.last, right_first);
    const A from_left = warp::shuffle_up(across, distance);
    complete = thread::choose(left_side == distance, from_left, complete);
    own.first = thread::choose(any(with_heads >> lane, distance), own.first, across);
    own.last = thread::choose(any(with_heads >> lane >> distance, distance), right_last, across);
  }
  const bool closes = any(with_heads >> (lane - left_side), left_side) && any(with_heads >> lane, left_side);
  if (closes && lane < Lanes) close(heads.lane - 1, complete);
  own.heads = heads.warp;
  return own;
}

}  // namespace warpfold::by_key
