// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter of the segmented scan's kernel.
#pragma once
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/grid/node_ring.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Where units publish their nodes. A unit's node has the number of the tile that the unit begins in: each tile has one
/// whole unit at most, and neighbouring units of a segment have neighbouring tiles. A node of level j is published by
/// the last of its units. Nodes of one level are 32^j tiles apart at least, so the node's number is that unit's tile /
/// 32^j. Units are counted from their segment's begin, so tiles of the node's window and of the next one read it.
template <class A> using unit_ring = grid::node_ring<A, 2>;
using unit_control = grid::ring_control<2>;

template <class Segments, class Leaves, class Op, class Out> struct scan_arguments {
  using leaves_type = Leaves;
  using operator_type = Op;
  using output_type = Out;
  using A = typename Leaves::accumulator;
  static constexpr int chunk_items = Leaves::chunk_items;

  Segments segments;
  Leaves leaves;
  Op op;
  Out out;
  grid::initial_value<A> init;
  A first;         ///< of an exclusive scan without init: the first result of each segment
  int log_unit;    ///< a tile has 2^log_unit items, and so has a unit
  int aligned_at;  ///< an item of the first chunk where vectors of results, or of items, begin; -1 if none does
  unit_ring<A> units;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
