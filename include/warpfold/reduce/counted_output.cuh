// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// share_kernel for a number of items that it reads from device memory. The host plans the grid for as many items as
// there may be; blocks without work leave at once.
#pragma once
#include <warpfold/grid/device_items.cuh>
#include <warpfold/reduce/kernel.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// `out`, with the number of items that the kernel is to read.
template <class Out, class N, class A> struct counted_output {
  Out out;
  grid::device_items<N> count;
  grid::initial_value<A> nothing;  ///< is written if there are no items

  __device__ decltype(auto) operator*() const { return *out; }
  __device__ void write_nothing() const {
    if (blockIdx.x == 0 && arch::flat_thread() == 0) *out = nothing.alone();
  }
};
template <class Out, class N, class A> inline constexpr bool is_counted<counted_output<Out, N, A>> = true;

/// Units whose results the last block can join.
template <class Leaves>
inline constexpr int most_units = max_units(sizeof(typename Leaves::accumulator),
                                            policy_of<Leaves>.share_threads / warp_lanes);

/// The arguments for the items that there are. Units are as large as planned, or smaller, so that all blocks have one.
template <class Leaves, class Op, class Out, class N, class A>
__device__ auto with_counted_items(const reduce_arguments<Leaves, Op, counted_output<Out, N, A>>& planned) {
  constexpr std::int64_t tile_items =
      std::int64_t{policy_of<Leaves>.share_rows} * policy_of<Leaves>.share_threads * Leaves::chunk_items;
  auto counted = planned;
  const std::int64_t items = planned.out.count.read();
  grid::keep_first(counted.leaves.source, items);
  auto& schedule = counted.schedule;
  schedule.tiles = (items + tile_items - 1) / tile_items;
  const auto units = [&](int level) { return ((schedule.tiles - 1) >> level) + 1; };
  while (schedule.level > 0 && units(schedule.level) < gridDim.x && units(schedule.level - 1) <= most_units<Leaves>)
    --schedule.level;
  schedule.units = static_cast<int>(units(schedule.level));
  return counted;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
