// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The look-back of one warp that meets tile after tile, in rising order. Tiles of a block share most nodes of the upper
// levels, and a node never changes, so the warp keeps those that it has seen: of each level, the nodes of one window.
// Polling every node again for every tile would keep the few lines of the upper levels busy for all blocks.
#pragma once
#include <warpfold/grid/node_ring.cuh>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class A> class seen_nodes {
 public:
  /// Finds the nodes before `tile`: before[b] becomes that of bit b of the tile's number, written by lane 0. The warp
  /// has entered the tile.
  template <class Nodes, class Before, class Op>
  __device__ void look_back(const Nodes& nodes, int tile, Before& before, Op op) {
    while (!__all_sync(full_warp, look(nodes, tile))) arch::pause<grid::lookback_pause>();
    each_level(tile, [&](int level, int rank) {
      warp::nodes_before(values_[level], rank, rank, op, [&](int bit, const A& node) {
        if (arch::lane_id() == 0) before[grid::log_window * level + bit] = node;
      });
    });
  }

 private:
  static constexpr int levels = grid::ring_levels;

  /// Calls each(level, rank): `rank` nodes of the tile's window lie before it.
  template <class Each> __device__ static void each_level(int tile, Each each) {
    WARPFOLD_UNROLL
    for (int level = 0; level < levels; ++level) {
      const int at = tile >> (grid::log_window * level);
      if (at == 0) break;
      each(level, at & (warp_lanes - 1));
    }
  }
  /// Looks once at what has not been seen. Returns whether the lane's nodes of all levels have been.
  template <class Nodes> __device__ bool look(const Nodes& nodes, int tile) {
    const int lane = arch::lane_id();
    bool all = true;
    each_level(tile, [&](int level, int rank) {
      const int window = tile >> (grid::log_window * level) >> grid::log_window;
      if (window != windows_[level]) windows_[level] = window, is_there_[level] = false;
      if (lane >= rank || is_there_[level]) return;
      is_there_[level] = nodes.nodes[nodes.window_place(level, window) + lane].try_receive(values_[level]);
      all = all && is_there_[level];
    });
    return all;
  }

  A values_[levels] = {};
  bool is_there_[levels] = {};  ///< the lane's node of the window
  int windows_[levels] = {};
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
