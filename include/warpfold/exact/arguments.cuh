// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of the kernels of exact sums. `Leaves` are the items that are summed, of type V, before they are
// lifted.
#pragma once
#include <warpfold/exact/lazy_superaccumulator.cuh>
#include <warpfold/exact/segment_partition.cuh>
#include <warpfold/grid/initial_value.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves, class Out> struct sum_arguments {
  using V = typename Leaves::accumulator;

  Leaves leaves;
  Out out;
  grid::initial_value<superaccumulator<V>> init;
  std::int64_t batches;
  global_sum<V>* sum;  ///< if there are several blocks
  unsigned* ticket;    ///< zero before, zero after
};

template <class Segments, class Leaves, class Op, class Out> struct segment_sum_arguments {
  using V = typename Leaves::accumulator;

  Segments segments;
  Leaves leaves;
  Op op;
  Out out;
  grid::initial_value<superaccumulator<V>> init;
  grid::initial_value<superaccumulator<V>> empty;  ///< the result of an empty segment
  segment_partition partition;
  global_sum<V>* cut;  ///< one for each warp: of the segment that begins in its range and is cut at its end
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
