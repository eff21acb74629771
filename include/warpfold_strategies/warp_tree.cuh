// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warps that reduce data-warps, 32 items each, in shared memory. Source: TB4-warp, Algorithm 2 of Martín 2012, after
// Sengupta. The source relies on lanes in lockstep, which CUDA no longer promises. So __syncwarp() stands between
// steps. Its last call reads s_data where s_result is meant; here the results of the data-warps are reduced.
#pragma once
#include <warpfold_strategies/group.cuh>
#include <warpfold_strategies/running.cuh>
#include <warpfold_strategies/slots.cuh>

namespace warpfold::block {

/// The source's tb_reduceWarp: folds items [first, first + count), at most 32, in five left-storing steps, and
/// overwrites them. Valid in lane 0. All lanes call it.
template <class Slots, class Op, class A = typename Slots::item>
__device__ A reduce_data_warp(Slots& data, int first, int count, Op op) {
  const int lane = arch::lane_id(), own = first + lane;
  A value{};
  if (lane < count) value = data.get(own);
  WARPFOLD_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    if (lane % (2 * distance) == 0 && lane + distance < count) {
      value = op(value, data.get(own + distance));
      data.set(own, value);
    }
    __syncwarp();
  }
  return value;
}

/// Folds the first `count` > 0 items, 32 at a time, and overwrites them. Valid in lane 0 of the warp that calls it.
template <class Slots, class Op, class A = typename Slots::item>
__device__ A reduce_by_warp(Slots& data, int count, Op op) {
  A value = reduce_data_warp(data, 0, count < warp_lanes ? count : warp_lanes, op);
  for (int first = warp_lanes; first < count; first += warp_lanes) {
    const int left = count - first;
    const A next = reduce_data_warp(data, first, left < warp_lanes ? left : warp_lanes, op);
    if (arch::lane_id() == 0) value = op(value, next);
  }
  return value;
}

/// A block algorithm (see fold_run.cuh): of B / 32 warps, warp w reduces the data-warps w, w + B / 32, w + 2 B / 32 and
/// so on; the first warp reduces their results. R = 4, D = 4 B. Keeps order, for any associative operator; needs no
/// identity; has no bank conflicts (tree_slots). Cost: one barrier, and 5 steps a data-warp.
template <int BlockThreads = 256> struct warp_tree {
  static_assert(BlockThreads % warp_lanes == 0, "warpfold: block::warp_tree needs whole warps");
  static constexpr int resident_threads = 1536, block_threads = BlockThreads,
                       data_warps = 4 * BlockThreads / warp_lanes;
  template <class Leaves> static constexpr int data_block_items = 4 * BlockThreads;

  template <class A> struct storage {
    tree_slots<A, 4 * BlockThreads> data;
    tree_slots<A, data_warps> results;
  };

  /// Calls visit(data-warp, its result), in lane 0, for each data-warp of the calling warp. The first `count` > 0 items
  /// of the data-block exist.
  template <class Group, class A, class Op, class Visit>
  static __device__ void for_each_data_warp(const Group& group, storage<A>& shared, int count, Op op, Visit visit) {
    WARPFOLD_NO_UNROLL
    for (int w = group.warp(); w * warp_lanes < count; w += Group::warps) {
      const int left = count - w * warp_lanes;
      const A value = reduce_data_warp(shared.data, w * warp_lanes, left < warp_lanes ? left : warp_lanes, op);
      if (arch::lane_id() == 0) visit(w, value);
    }
  }

  /// Folds the first `count` > 0 items, and overwrites them. Valid in the group's first thread.
  template <class Group, class A, class Op>
  static __device__ A fold(const Group& group, storage<A>& shared, int count, Op op) {
    for_each_data_warp(group, shared, count, op, [&](int w, const A& value) { shared.results.set(w, value); });
    group.sync();
    return group.warp() == 0 ? reduce_by_warp(shared.results, (count + warp_lanes - 1) / warp_lanes, op) : A{};
  }

  /// Folds the calling warp's data-warps only. Joining the warps' results needs a commutative operator. Valid in lane
  /// 0.
  template <class Group, class A, class Op>
  static __device__ thread::running<A> fold_by_warps(const Group& group, storage<A>& shared, int count, Op op) {
    thread::running<A> total;
    for_each_data_warp(group, shared, count, op, [&](int, const A& value) { total.append(value, op); });
    return total;
  }
};

}  // namespace warpfold::block
