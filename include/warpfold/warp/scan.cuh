// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordered scans over the lanes of a warp. Every prefix has the bits of warp::reduce over it: a lane meets the nodes of
// the canonical tree that lie on its left, one for each binary digit of its number, the lowest level first. Butterflies
// bring each lane these nodes.
#pragma once
#include <warpfold/warp/reduce.cuh>

namespace warpfold::warp {

/// Each lane gets the fold of lanes 0 to itself, lane 0's value leftmost, within each logical warp of `Width` lanes (a
/// power of two up to 32), all of which must call it. Cost: log2(Width) shuffles per word, twice as many operations.
template <int Width = warp_lanes, class A, class Op> __device__ A inclusive_scan(A value, Op op, int count = Width) {
  static_assert(is_power_of_two(Width) && Width <= warp_lanes);
  const unsigned mask = detail::logical_warp_mask<Width>();
  const int lane = arch::lane_id() % Width;
  A node = value;  // over the aligned block of `distance` lanes, if all of them count
  WARPFOLD_UNROLL
  for (int distance = 1; distance < Width; distance *= 2) {
    const bool upper = lane & distance;
    const A other = shuffle_xor(node, distance, mask);
    if (upper && lane < count) value = op(other, value);
    if ((lane | (2 * distance - 1)) < count) node = join(upper, node, other, op);
  }
  return value;
}

/// Each lane gets op(init, fold of the lanes before it), and lane 0 gets `init`. With `count`, only the first
/// `count` lanes' values are folded, and only their results are valid, though all lanes call it. Cost: one shuffle more
/// than inclusive_scan.
template <int Width = warp_lanes, class A, class Op>
__device__ A exclusive_scan(A value, Op op, A init, int count = Width) {
  const A through = warp::inclusive_scan<Width>(value, op, count);
  const A before = shuffle_up<Width>(through, 1, detail::logical_warp_mask<Width>());
  const int lane = arch::lane_id() % Width;
  return lane == 0 || lane >= count ? init : op(init, before);
}

/// Calls each(distance, node) for the distances 1 to 16: the node of the sibling of the calling lane's node, of
/// `distance` lanes. `has(lanes)` says whether the first `lanes` lanes count. Returns the node over all lanes,
/// valid in each if all count. All lanes of the warp call it.
template <class A, class Op, class Has, class Each> __device__ A butterfly(A node, Op op, Has has, Each each) {
  const int lane = arch::lane_id();
  WARPFOLD_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    const A other = shuffle_xor(node, distance);
    each(distance, other);
    if (has((lane | (2 * distance - 1)) + 1)) node = join((lane & distance) != 0, node, other, op);
  }
  return node;
}

/// Calls each(level, node) in every lane for the nodes of the canonical tree that cover the lanes before `rank`, which
/// is the same in all lanes: one node for each digit of `rank`, the lowest level first. Returns the
/// node over the first `Lanes` lanes (a power of two), valid in them if `count` is Lanes. Only the first `count` lanes'
/// values are folded. All lanes of the warp call it.
template <int Lanes = warp_lanes, class A, class Op, class Each>
__device__ A nodes_before(A value, int rank, int count, Op op, Each each) {
  const int lane = arch::lane_id();
  WARPFOLD_UNROLL
  for (int distance = 1, level = 0; distance < Lanes; distance *= 2, ++level) {
    if (rank & distance) each(level, warp::shuffle(value, rank & ~(2 * distance - 1)));
    const A other = shuffle_xor(value, distance);
    if ((lane | (2 * distance - 1)) < count) value = join(lane & distance, value, other, op);
  }
  return value;
}

// Integers. (By the shuffle intrinsics. PTX's shuffle also tells whether there is a lane to the left, but an assembly
// statement for it cost reductions by key 2 %.)

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
