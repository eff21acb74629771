// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The full binary tree over a data-block. Source: TB2, Algorithm 1 of Martín 2012. There a partial data-block is
// padded with the identity; here pairs whose right item does not exist are skipped.
#pragma once
#include <warpfold_strategies/group.cuh>
#include <warpfold_strategies/slots.cuh>

namespace warpfold::block {

/// A block algorithm (see fold_run.cuh): pairs at doubling stride, whose left item keeps the result. R = 2, D = 2 B.
/// Keeps order, for any associative operator; needs no identity; has no bank conflicts (tree_slots).
/// Cost: log2(D) steps, a barrier each; every step has half the operations of the one before, D - 1 in all.
template <int BlockThreads = 256> struct tree {
  static_assert(is_power_of_two(BlockThreads), "warpfold: block::tree needs a power of two of threads");
  static constexpr int resident_threads = 2048, block_threads = BlockThreads;
  template <class Leaves> static constexpr int data_block_items = 2 * BlockThreads;

  template <class A> struct storage { tree_slots<A, 2 * BlockThreads> data; };

  /// Folds the first `count` > 0 items, and overwrites them. Valid in the group's first thread, which alone reads slot
  /// 0 after the last barrier.
  template <class Group, class A, class Op>
  static __device__ A fold(const Group& group, storage<A>& shared, int count, Op op) {
    for (int stride = 1; stride < count; stride *= 2) {
      WARPFOLD_NO_UNROLL
      for (int left = 2 * stride * group.rank(); left + stride < count; left += 2 * stride * Group::threads)
        shared.data.set(left, op(shared.data.get(left), shared.data.get(left + stride)));
      group.sync();
    }
    return group.rank() == 0 ? shared.data.get(0) : A{};
  }
};

}  // namespace warpfold::block
