// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter of the segmented scan's kernel.
#pragma once
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/segmented_scan/unit_table.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Segments, class Leaves, class Op, class Out> struct scan_arguments {
  using A = typename Leaves::accumulator;
  static constexpr int chunk_items = Leaves::chunk_items;

  Segments segments;
  Leaves leaves;
  Op op;
  Out out;
  grid::initial_value<A> init;
  A first;         ///< of an exclusive scan without init: the first result of each segment
  int log_unit;    ///< a tile has 2^log_unit items, and so has a unit
  int aligned_at;  ///< an item of the first chunk where vectors of results, or of items, begin; -1 if they nowhere do
  unit_table<A> units;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
