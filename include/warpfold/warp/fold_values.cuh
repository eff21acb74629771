// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds partial results in memory by one warp.
#pragma once
#include <warpfold/warp/batched_reduce.cuh>
#include <warpfold/warp/counter.cuh>

namespace warpfold::warp {

/// The canonical tree over load(0) … load(count - 1), count > 0. All lanes of the warp call it; valid in every lane.
/// Cost: a trip to memory for every 256 values (64 if they are wider than 16 bytes), and as many batched reductions.
template <class A, class Load, class Op> __device__ A fold_values(int count, Load load, Op op) {
  constexpr int rows = sizeof(A) <= 16 ? 8 : 2, most = rows * warp_lanes;
  const auto fold_rows_from = [&](int first) {
    A values[rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < rows; ++row) {
      const int i = first + row * warp_lanes + arch::lane_id();
      values[row] = load(i < count ? i : 0);
    }
    return fold_rows(values, op, least_of(count - first, most));
  };
  counter<A> nodes;
  unsigned batches = 0;
  WARPFOLD_NO_UNROLL
  for (int first = 0; first < count; first += most) {
    const A node = fold_rows_from(first);
    if (count <= most) return node;  // to push one batch would take as long as a shuffle or two
    nodes.push(batches++, node, op);
  }
  return nodes.total(batches, op);
}

}  // namespace warpfold::warp
