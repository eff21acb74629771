// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The full binary tree over a data-block. Source: TB2 (Algorithm 1 of the paper on reductions on CUDA).
#pragma once
#include <warpfold/strategies/group.cuh>
#include <warpfold/strategies/slots.cuh>

namespace warpfold::block {

/// A block algorithm (see fold_run.cuh): pairs at doubling stride, the left one keeps the result; R = 2, D = 2 B.
/// Order: kept, any associative operator; a partial data-block needs no identity. No bank conflicts (tree_slots).
/// Cost: log2(D) barriers, D - 1 operations in log2(D) steps of ever fewer threads.
template <int BlockThreads = 256> struct tree {
  static_assert(is_power_of_two(BlockThreads), "warpfold: block::tree needs a power of two of threads");
  static constexpr int resident_threads = 2048, block_threads = BlockThreads;
  template <class Leaves> static constexpr int data_block_items = 2 * BlockThreads;

  template <class A> struct storage { tree_slots<A, 2 * BlockThreads> data; };

  /// Folds the first `count` > 0 items. Valid in the group's first thread. `shared.data` is used up, and free on return
  /// but for slot 0, which that thread has read.
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
