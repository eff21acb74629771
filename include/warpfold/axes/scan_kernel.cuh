// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of a scan along an axis, where there are many columns: every prefix has the bits of reduce over it.
//
//   for each strip of neighbouring columns: down the strip, tile after tile
//     each thread scans its rows of a column, while those of the next tile are on their way
//     the nodes of the tile's threads are made in shared memory
//     all items are joined to the nodes above them: in the tile, then of earlier tiles, the lowest level first
//     results are written, and the tile's node is pushed to the binary counter of its column
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/scan_tile.cuh>

namespace warpfold::axis_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Policy, class Arguments> struct strip_storage {
  using A = typename Arguments::A;
  thread::array<A, Policy::threads> nodes;
  thread::array<A, Policy::lanes * counter_levels> before;  ///< digit d of the tiles' number: from d * lanes on
  [[no_unique_address]] typename strip_tiles<Policy, Arguments>::stage_type stage;
};

/// Pushes the node of tile number `tile` to the binary counter of its column. Threads of the last group call it.
template <class A, class Op>
__device__ void count_tile(A* before, const tile_place& place, std::int64_t tile, A node, Op op) {
  A* own = before + place.lane;
  WARPFOLD_NO_UNROLL
  for (; tile & 1; tile >>= 1, own += place.lanes()) node = op(*own, node);
  *own = node;
}

/// Joins init and the nodes before the items that have not been pushed, and makes exclusive prefixes.
template <bool IsExclusive, class Arguments, class Before, class Items>
__device__ void finish(const Arguments& arguments, Before& before, Items& items) {
  if (arguments.init.exists()) before.push(arguments.init.alone(), items);
  before.finish(items);
  if constexpr (IsExclusive) items.shift(before.exists ? before.joined : arguments.first);
}

template <bool IsExclusive, class Policy, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(Policy::threads, Policy::blocks_per_multiprocessor)
strip_kernel(const __grid_constant__ scan_arguments<Leaves, Op, Out> arguments) {
  using A = typename Leaves::accumulator;
  using strip_type = strip_tiles<Policy, scan_arguments<Leaves, Op, Out>>;
  auto& shared = arch::dynamic_shared<strip_storage<Policy, scan_arguments<Leaves, Op, Out>>>();
  const tile_place place(arguments.plan.log_lanes, arguments.plan.log_groups);
  for (std::int64_t number = blockIdx.x; number < arguments.plan.strips; number += gridDim.x) {
    strip_type strip(arguments, shared.stage, place, number);
    if constexpr (Policy::is_staged) __syncthreads();
    typename Leaves::chunk loaded[Policy::rows] = {};
    strip.load(loaded, 0);
    WARPFOLD_NO_UNROLL
    for (std::int64_t tile = 0; tile < arguments.plan.tiles; ++tile) {
      typename strip_type::items_type items{arguments.op};
      strip.take(items, loaded, tile);
      if (tile + 1 < arguments.plan.tiles) strip.load(loaded, tile + 1);
      thread::inclusive_scan(items.values, items.op, items.count);
      const A node = make_nodes(shared.nodes.data(), place, items, items.values[Policy::rows - 1]);
      warp::left_nodes<IsExclusive, A> before;
      push_groups_before(shared.nodes.data(), place, before, items);
      WARPFOLD_NO_UNROLL
      for (std::int64_t left = tile; left != 0; left &= left - 1)
        before.push(shared.before[((__ffsll(left) - 1) << place.log_lanes) + place.lane], items);
      finish<IsExclusive>(arguments, before, items);
      const bool counts = place.is_last_group() && items.is_whole();
      strip.write(items, tile);
      __syncthreads();  // all have read the nodes
      if (counts && tile + 1 < arguments.plan.tiles)
        count_tile(shared.before.data(), place, tile, node, items.op);
    }
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_scan
