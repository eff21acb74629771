// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter of a kernel that reduces a sequence to one value.
#pragma once
#include <warpfold/grid/initial_value.cuh>

namespace warpfold::grid {

/// `Schedule` says which items each block takes.
template <class Leaves, class Op, class Out, class Schedule> struct reduction_arguments {
  using A = typename Leaves::accumulator;
  using operation = Op;

  Leaves leaves;
  Op op;
  Out out;
  initial_value<A> init;
  Schedule schedule;
  A* partials;       ///< scratch for partial results, if there are several blocks
  unsigned* ticket;  ///< zero before, zero after; the next word is the counter of a schedule that draws

  __device__ void write(const A& result) const { *out = init.join(result, op); }
};

}  // namespace warpfold::grid
