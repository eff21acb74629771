// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter of the segmented scan's kernel.
#pragma once
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/segmented_scan/unit_table.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Segments, class Leaves, class Op, class Out> struct scan_arguments {
  using A = typename Leaves::accumulator;

  Segments segments;
  Leaves leaves;
  Op op;
  Out out;
  grid::initial_value<A> init;
  A first;  ///< of an exclusive scan without init: the first result of each segment
  unit_table<A> units;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
