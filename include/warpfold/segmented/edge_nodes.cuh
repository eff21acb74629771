// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes at the right edges of a warp's segments, in shared memory, and how a warp packs the chunks that they hold.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::segmented {

/// Nodes of type `Node` at the right edges of the segments of `Segments` lanes. `Levels` bounds the digits of their
/// numbers of chunks, but 2^Levels chunks are allowed: such a segment has no other node.
template <class Node, int Levels, int Segments = warp_lanes> class edge_nodes {
 public:
  using node = Node;

  /// The node of 2^level chunks of the segment of lane `segment`.
  __device__ Node& at(int level, int segment) { return nodes_[level % Levels][segment]; }
  __device__ const Node& at(int level, int segment) const { return nodes_[level % Levels][segment]; }

  /// For packed_nodes: the segment that each node belongs to. A segment of at most 32 chunks has at most 5.
  thread::array<unsigned char, 5 * Segments> owners;

 private:
  thread::array<thread::array<Node, Segments>, Levels> nodes_;
};

/// The nodes at the edges of 32 segments of at most 32 chunks each, packed into rounds of 32 lanes, one chunk per lane:
/// first all nodes of 32 chunks, then all of 16, and so on. So each begins at a multiple of its size, no round but the
/// last one is partly empty, and no node crosses its end.
template <class Nodes> class packed_nodes {
 public:
  /// Where a chunk belongs: chunk `chunk` of segment `segment`, and chunk `part` of a node of 2^level chunks.
  struct place {
    int level, segment, chunk, part;
    bool exists;
  };

  /// The segment of lane l has `chunks` chunks.
  __device__ packed_nodes(int chunks, Nodes& nodes) : nodes_(nodes) {
    const int lane = arch::lane_id();
    int numbers = 0;
    WARPFOLD_UNROLL
    for (int level = levels - 1; level >= 0; --level) {
      const bool has_node = chunks >> level & 1;
      const unsigned owners = __ballot_sync(full_warp, has_node);
      begins_[level] = total_, numbers_[level] = numbers;
      if (has_node) nodes.owners[numbers + __popc(owners & ((1u << lane) - 1))] = static_cast<unsigned char>(lane);
      total_ += __popc(owners) << level, numbers += __popc(owners);
    }
    __syncwarp();
  }

  __device__ int total() const { return total_; }  ///< chunks
  /// What the calling lane has in the round from chunk `done` of all on, where its segment's owner has `chunks` chunks.
  __device__ place at(int done, int chunks) const {
    const int own = done + arch::lane_id();
    int level = levels - 1, begin = 0, number = 0;
    WARPFOLD_UNROLL
    for (int l = levels - 2; l >= 0; --l)
      if (own >= begins_[l]) level = l, begin = begins_[l], number = numbers_[l];
    const int within = own - begin, part = within & ((1 << level) - 1);
    const bool exists = own < total_;
    const int segment = exists ? nodes_.owners[number + (within >> level)] : 0;
    return {level, segment, (__shfl_sync(full_warp, chunks, segment) >> (level + 1) << (level + 1)) + part, part,
            exists};
  }

 private:
  static constexpr int levels = log2_of(warp_lanes) + 1;
  Nodes& nodes_;
  int begins_[levels], numbers_[levels];  // of the nodes of 2^level chunks: the first one's first chunk, and number
  int total_ = 0;
};

}  // namespace warpfold::segmented
