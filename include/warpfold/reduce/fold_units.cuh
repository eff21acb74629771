// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last step: one block folds the results of all units, nodes of one size side by side, to the root.
#pragma once
#include <warpfold/warp/fold_values.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Up to this many units, one warp folds them.
inline constexpr int units_of_one_warp = 256;

/// The canonical tree over values[0] … values[count - 1], count > 0. Each warp folds a node of it. All threads of
/// `Warps` warps call it; for up to units_of_one_warp values, warp 0 suffices. `shared` has room for one value per
/// warp. Valid in thread 0. Cost: warp::fold_values of a warp's part, and a barrier.
template <int Warps, class A, class Op> __device__ A fold_units(A* shared, const A* values, int count, Op op) {
  int per_warp = units_of_one_warp;  // a power of two
  while (per_warp * Warps < count) per_warp *= 2;
  const int warp = arch::flat_warp(), lane = arch::lane_id(), first = warp * per_warp,
            nodes = (count + per_warp - 1) / per_warp;
  A node{};
  if (first < count)
    node = warp::fold_values<A>(
        least_of(count - first, per_warp), [&](int i) { return values[first + i]; }, op);
  if (nodes == 1) return node;
  if (lane == 0 && warp < nodes) shared[warp] = node;
  __syncthreads();
  if (warp == 0 && lane < nodes) node = warp::reduce(shared[lane], op, nodes);
  return node;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
