// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter of the scan's kernel.
#pragma once
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/grid/node_ring.cuh>
#include <warpfold/scan/items.cuh>
#include <warpfold/scan/policy.hpp>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Where tiles publish their nodes, those of groups of 32 tiles, of groups of groups, and so on. A group is a window of
/// the level below: only its own tiles read its members.
template <class A> using tile_ring = grid::node_ring<A, 1>;
using scan_control = grid::ring_control<1>;

template <class Leaves, class Op, class Out> struct scan_arguments {
  using A = typename Leaves::accumulator;

  Leaves leaves;
  Op op;
  Out out;
  grid::initial_value<result_t<A>> init;
  result_t<A> first;  ///< of an exclusive scan without init: its first result, by key: of each run
  tile_ring<A> nodes;
  int first_blocks;  ///< the blocks that start together and draw in turn (grid/drawn_work.cuh), if others follow; or 0
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
