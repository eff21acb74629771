// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter of the kernels that scan along an axis.
#pragma once
#include <warpfold/axes/index_map.cuh>
#include <warpfold/axes/scan_plan.hpp>
#include <warpfold/axes/strip_ring.cuh>
#include <warpfold/grid/initial_value.cuh>

namespace warpfold::axis_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

using axis_reduction::place;

/// `leaves` and `out` begin at the first item of the first column.
template <class Leaves, class Op, class Out, class Map = axis_reduction::index_map> struct scan_arguments {
  using A = typename Leaves::accumulator;
  using leaves_type = Leaves;
  using operation = Op;
  static constexpr int row_bytes = row_bytes_of(sizeof(typename Leaves::item), sizeof(A));

  Leaves leaves;
  Op op;
  Out out;
  grid::initial_value<A> init;
  A first;  ///< of an exclusive scan without init: its first result
  Map kept;
  std::int64_t columns, items;
  std::int64_t in_stride, out_stride;
  scan_plan plan;
  strip_rings<row_bytes> rings;  ///< of the bands
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_scan
