// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes at the right edges of a warp's segments, in shared memory.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/thread/array.cuh>

namespace warpfold::segmented {

/// Nodes of type `Node` at the right edges of the segments of `Segments` lanes. `Levels` bounds the digits of their
/// numbers of chunks, but 2^Levels chunks are allowed: such a segment has no other node.
template <class Node, int Levels, int Segments = warp_lanes> class edge_nodes {
 public:
  using node = Node;

  /// The node of 2^level chunks of the segment of lane `segment`.
  __device__ Node& at(int level, int segment) { return nodes_[level % Levels][segment]; }
  __device__ const Node& at(int level, int segment) const { return nodes_[level % Levels][segment]; }

  /// For packed_nodes: the segment that each node belongs to. A segment of fewer than 64 chunks has at most 6.
  thread::array<unsigned char, 6 * Segments> owners;

 private:
  thread::array<thread::array<Node, Segments>, Levels> nodes_;
};

namespace detail {

/// The node over a whole segment: `value` is that of its tail, if it `has_tail`, and `nodes` those of its chunks.
template <class Op, class Count, class Nodes, class A = typename Nodes::node>
__device__ A join_left_nodes(Op op, Count chunks, int segment, const Nodes& nodes, bool has_tail, A value) {
  WARPFOLD_NO_UNROLL
  for (int level = 0; chunks >> level != 0; ++level) {
    if (!(chunks >> level & 1)) continue;
    value = has_tail ? op(nodes.at(level, segment), value) : nodes.at(level, segment);
    has_tail = true;
  }
  return value;
}

}  // namespace detail

}  // namespace warpfold::segmented
