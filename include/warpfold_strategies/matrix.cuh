// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data-block as a matrix in shared memory, whose rows are folded by one thread each. Source: Matrix, Algorithm 3 of
// Martín 2012, after Dotsenko. The source stores the row results over the matrix; here they have their own slots.
#pragma once
#include <warpfold_strategies/warp_tree.cuh>

namespace warpfold::block {

/// A block algorithm (see fold_run.cuh): a thread folds a row of W items from left to right, and one warp reduces the H
/// row results by a tree. D = H W. All B threads load. Keeps order, for any associative operator; needs no identity;
/// has no bank conflicts (matrix_slots). Cost: W - 1 operations, one after another, then log2(H) steps; no barrier up
/// to H = 32, else one.
template <int H = 32, int W = 32, int BlockThreads = 256> struct matrix {
  static_assert(H >= 1 && H <= 1024 && W >= 1, "warpfold: block::matrix has 1 to 1024 rows");
  static_assert(BlockThreads % warp_lanes == 0, "warpfold: block::matrix needs whole warps");
  static constexpr int resident_threads = 2048, block_threads = BlockThreads;
  template <class Leaves> static constexpr int data_block_items = H* W;

  template <class A> struct storage {
    matrix_slots<A, H, W> data;
    tree_slots<A, H> row_results;
  };

  /// Folds the first `count` > 0 items. Valid in the group's first thread.
  template <class Group, class A, class Op>
  static __device__ A fold(const Group& group, storage<A>& shared, int count, Op op) {
    for (int row = group.rank(); row * W < count; row += Group::threads)
      shared.row_results.set(row, fold_row(shared.data, row, count - row * W, op));
    if constexpr (H <= warp_lanes) __syncwarp();  // one warp has both the rows and the tree
    else group.sync();
    return group.warp() == 0 ? reduce_by_warp(shared.row_results, (count + W - 1) / W, op) : A{};
  }

 private:
  template <class A, class Op>
  static __device__ A fold_row(const matrix_slots<A, H, W>& data, int row, int count, Op op) {
    A value = data.get(row, 0);
    if (count >= W) {
      WARPFOLD_UNROLL
      for (int column = 1; column < W; ++column) value = op(value, data.get(row, column));
    } else {
      WARPFOLD_NO_UNROLL
      for (int column = 1; column < count; ++column) value = op(value, data.get(row, column));
    }
    return value;
  }
};

}  // namespace warpfold::block
