// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scan_kernel for a number of items that it reads from device memory. Blocks take tile after tile, until none is left.
#pragma once
#include <warpfold/grid/device_items.cuh>
#include <warpfold/scan/kernel.cuh>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// `out`, with the number of items that the kernel is to read.
template <class Out, class N> struct counted_output {
  Out out;
  grid::device_items<N> count;
};
template <class Out, class N> struct uncounted<counted_output<Out, N>> {
  using output = Out;
  static constexpr bool is_counted = true;
};

/// The arguments for the items that there are.
template <int TileItems, class Leaves, class Op, class Out, class N>
__device__ auto with_counted_items(const scan_arguments<Leaves, Op, counted_output<Out, N>>& planned) {
  const std::int64_t items = planned.out.count.read();
  scan_arguments<Leaves, Op, Out> counted{planned.leaves, planned.op, planned.out.out, planned.init, planned.first,
                                          planned.nodes,  0};
  grid::keep_first(counted.leaves.source, items);
  counted.nodes.tiles = static_cast<int>((items + TileItems - 1) / TileItems);
  return counted;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
