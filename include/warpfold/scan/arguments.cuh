// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter of the scan's kernel.
#pragma once
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/scan/keyed.cuh>
#include <warpfold/scan/node_table.cuh>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves, class Op, class Out> struct scan_arguments {
  using A = typename Leaves::accumulator;

  Leaves leaves;
  Op op;
  Out out;
  grid::initial_value<result_t<A>> init;
  result_t<A> first;  ///< of an exclusive scan without init: its first result, by key: of each run
  node_table<A> nodes;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
