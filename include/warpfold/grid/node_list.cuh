// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list of published nodes, by which few tiles look back: a tile reads the nodes of all tiles before it at once, so it
// waits for one trip to memory. (In the ring of node_ring.cuh, a tile reads one window per level, and waits for one
// trip per level.)
//
// All words are zero before a call and after it. Protocol: the events of a tile in their order, and what makes each
// right. Orders are those of the ring, but there are no rounds.
//
//   publish   A thread writes the tile's node. Each 16 bytes are one relaxed access and hold a flag.
//   fence     fence_before_arrival, by the publishing thread: the node is ordered before the tile's departure, and so
//             before the clearing of its place.
//   receive   Warps read nodes by relaxed accesses until they see all flags. A tile waits for earlier tiles only, which
//             have begun and have published their own node before they wait. So the earliest tile never waits.
//   leave     All warps of the tile have read, and have met at a barrier. Then one thread counts the tile at
//             `departures`.
//   finish    The warp of the last tile to leave fences (acquire), synchronises, and clears all places.
#pragma once
#include <warpfold/arch/ticket.cuh>
#include <warpfold/grid/node_ring.cuh>
#include <warpfold/thread/array.cuh>

namespace warpfold::grid {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class A> struct node_list {
  ring_control<1>* control;  ///< null if nothing is published: there is one tile, or the tiles are a cluster
  published_value<A>* nodes;
  int tiles;

  /// In the memory of a ring.
  __device__ explicit node_list(const node_ring<A, 1>& ring)
      : control(ring.control), nodes(ring.nodes), tiles(ring.tiles) {}

  __device__ void publish(int tile, const A& node) const { nodes[tile].publish(node); }

  /// Receives the nodes before `tile` in the windows first, first + stride, … of 32 tiles: values[i] is the lane's
  /// node of the i-th of these windows. One warp calls it.
  template <int Windows>
  __device__ void receive(int tile, int first, int stride, thread::array<A, Windows>& values) const {
    const auto place_in = [&](int i) { return (first + i * stride) * warp_lanes + arch::lane_id(); };
    unsigned missing = 0;  // bit i: the node of window i
    WARPFOLD_UNROLL
    for (int i = 0; i < Windows; ++i) missing |= unsigned{place_in(i) < tile} << i;
    for (;; arch::pause<lookback_pause>()) {
      WARPFOLD_UNROLL
      for (int i = 0; i < Windows; ++i) {
        if (!(missing >> i & 1)) continue;
        A value{};
        if (!nodes[place_in(i)].try_receive(value)) continue;
        values[i] = value;
        missing &= ~(1u << i);
      }
      if (__all_sync(full_warp, missing == 0)) return;
    }
  }
  /// Counts the tile, which has read all that it shall. One warp calls it. Returns in lane 0 what finish takes.
  __device__ unsigned leave() const {
    return arch::lane_id() == 0 ? atomicInc(control->departures, static_cast<unsigned>(tiles) - 1) : 0;
  }
  /// Clears the places, if the tile was the last one to leave. One warp calls it, with what `leave` returned in lane 0.
  __device__ void finish(unsigned departed_before) const {
    if (__shfl_sync(full_warp, departed_before, 0) != static_cast<unsigned>(tiles) - 1) return;
    arch::fence_after_arrivals();
    __syncwarp();  // lane 0 has acquired for all
    for (int tile = arch::lane_id(); tile < tiles; tile += warp_lanes) nodes[tile].clear();
  }
};

/// The most windows of 32 tiles that each of `warps` warps receives at once: their nodes are in registers.
WARPFOLD_JIT constexpr int listed_windows_per_warp(std::size_t accumulator_bytes) {
  return accumulator_bytes <= 8 ? 4 : 1;
}
/// The most tiles of a list that is read by `warps` warps of each tile.
template <class A> WARPFOLD_JIT constexpr int most_listed_tiles(int warps) {
  constexpr int places = ring_shape<A, 1>::tiles_without_rounds;
  return least_of(places, least_of(warps * listed_windows_per_warp(sizeof(A)), warp_lanes) * warp_lanes);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::grid
