// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where warps publish the nodes that later units of a long segment need: units, groups of 32 units, groups of 32
// groups, and so on, counted from the segment's first item.
//
// - A unit's node has the number of the tile that the unit begins in. Each tile has one whole unit at most, and
//   neighbouring units of a segment have neighbouring tiles. A node of level j is published by the last of its units.
//   Nodes of one level are 32^j tiles apart at least, so that its number is that unit's tile / 32^j.
// - Scratch does not grow with the number of tiles: each level has room for a few windows of 32 nodes, which windows of
//   tiles use in turn. A node is read from tiles of its own window and the next one only. When all tiles of both have
//   read what they need, the window's places are cleared for the window that uses them next. So all words are zero
//   between calls, and no call clears them.
// - Tiles of a window that uses places again wait until they are cleared. Thousands of tiles lie between, so they do
//   not wait in practice. A tile depends on earlier tiles only.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/ticket.cuh>
#include <warpfold/grid/published_value.cuh>
#include <warpfold/segmented_scan/policy.hpp>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Windows that a level has room for, as a power of two: all of 2^log_windows * 32 tiles, and four at least.
__host__ __device__ constexpr int log_windows_of(int level, int log_windows) {
  const int log = log_windows - log_group * level;
  return log > 2 ? log : 2;
}
__host__ __device__ constexpr int windows_before(int level, int log_windows) {
  int all = 0;
  for (int each = 0; each < level; ++each) all += 1 << log_windows_of(each, log_windows);
  return all;
}
inline constexpr int most_log_windows = 11;
inline constexpr int most_window_messages = 3300;  ///< messages for a node of each window
/// Windows of tiles that there is room for, as a power of two: fewer where accumulators are wide.
constexpr int log_windows_for(std::size_t accumulator_bytes) {
  int log = most_log_windows;
  while (log > 2 && grid::messages_per_value(accumulator_bytes) * windows_before(levels, log) > most_window_messages)
    --log;
  return log;
}

/// Words that are zero before the grid starts and after it ends. The nodes lie behind them, and are zero too.
struct alignas(16) table_control {
  static constexpr int most_windows = windows_before(levels, most_log_windows);
  unsigned next_tile;
  unsigned left[most_windows];    ///< tiles, or windows of them, that need no more nodes
  unsigned pairs[most_windows];   ///< of a window and the next one, those that are complete
  unsigned rounds[most_windows];  ///< how often the places have been cleared for another window
};

/// Bytes of control words for accumulators of `accumulator_bytes` bytes.
constexpr std::size_t control_bytes_for(std::size_t accumulator_bytes) {
  return sizeof(table_control) +
         std::size_t{warp_lanes} *
             static_cast<std::size_t>(windows_before(levels, log_windows_for(accumulator_bytes))) *
             static_cast<std::size_t>(grid::messages_per_value(accumulator_bytes)) * 16;
}

template <class A> struct unit_table {
  static constexpr int log_windows = log_windows_for(sizeof(A));
  static constexpr int tiles_without_rounds = warp_lanes << log_windows;  ///< so many have places of their own

  table_control* control;
  grid::published_value<A>* nodes;
  int tiles;

  /// Waits until the places that the tile may publish to or read from are free of older nodes. All lanes call it. Costs
  /// nothing while there are fewer tiles than places.
  __device__ void enter(int tile) const {
    if (tiles <= tiles_without_rounds) return;
    const int lane = arch::lane_id(), level = lane >> 1;
    if (level < levels) {
      const int window = (tile >> (log_group * (level + 1))) - (lane & 1);
      const int round = window < 0 ? 0 : window >> log_windows_of(level, log_windows);
      if (round > 0)
        while (arch::acquire(control->rounds + place(level, window)) != static_cast<unsigned>(round)) arch::pause();
    }
    __syncwarp();
  }
  /// Publishes the node of `level` whose last unit begins in `tile`. The caller's warp must call release afterwards.
  __device__ void publish(int level, int tile, const A& node) const { nodes[node_place(level, tile)].publish(node); }
  /// Releases what the warp has published. All lanes call it.
  __device__ static void release() {
    __syncwarp();
    if (arch::lane_id() == 0) arch::fence_before_arrival();
  }
  /// The node of `level` whose last unit begins in `tile`, in the first `needed` lanes. All lanes call it.
  __device__ A receive(int level, int tile, int needed) const {
    const bool is_needed = arch::lane_id() < needed;
    const auto& node = nodes[is_needed ? node_place(level, tile) : 0];
    A value{};
    bool is_there = !is_needed;
    for (;; arch::pause<lookback_pause>()) {
      if (!is_there) is_there = node.try_receive(value);
      if (__all_sync(full_warp, is_there)) return value;
    }
  }
  /// Counts the tile, which has entered, and neither publishes nor reads any more. Returns in lane 0 what finish takes.
  /// A tile that is alone has no table, and is not counted.
  /// What the tile published has been released before, and it has needed what it read to get here: so this is no
  /// release, and the caller's stores are not waited for.
  __device__ unsigned leave(int tile) const {
    const int window = tile >> log_group;
    return arch::lane_id() == 0 && tiles > 1 ? atomicInc(control->left + place(0, window), members(0, window) - 1) : 0;
  }
  /// Clears places that nobody reads any more. All lanes call it, with what `leave` returned in lane 0.
  __device__ void finish(int tile, unsigned left_before) const {
    if (tiles == 1) return;
    int window = tile >> log_group;
    if (__shfl_sync(full_warp, left_before, 0) != members(0, window) - 1) return;
    arch::fence_after_arrivals();
    for (int level = 0;; ++level) {
      const int windows = count_of(level + 1);
      const bool is_last = window == windows - 1;
      if (window > 0 && arch::warp_completes(control->pairs + place(level, window - 1), 2)) clear(level, window - 1);
      if (arch::warp_completes(control->pairs + place(level, window), is_last ? 1 : 2)) clear(level, window);
      if (windows == 1) return;
      window >>= log_group;
      if (!arch::warp_completes(control->left + place(level + 1, window), members(level + 1, window))) return;
    }
  }

 private:
  /// Clears the places of a window, which it and the next one have read, and lets the window come that is next there.
  __device__ void clear(int level, int window) const {
    const int own = place(level, window), lane = arch::lane_id(), log = log_windows_of(level, log_windows);
    if (lane < static_cast<int>(members(level, window))) nodes[own * warp_lanes + lane].clear();
    __syncwarp();
    const int windows = count_of(level + 1), next = window + (1 << log);
    if (lane == 0 && windows > 1 << log)
      arch::release(control->rounds + own, next < windows ? static_cast<unsigned>(next >> log) : 0);
  }
  /// The number of tiles, or windows, on a level.
  __device__ int count_of(int level) const { return ((tiles - 1) >> (log_group * level)) + 1; }
  /// Members of a window of the level that exist.
  __device__ unsigned members(int level, int window) const {
    return static_cast<unsigned>(least_of(count_of(level) - (window << log_group), warp_lanes));
  }
  __device__ static int place(int level, int window) {
    int first = 0;
    WARPFOLD_UNROLL
    for (int each = 0; each < levels - 1; ++each)
      if (each < level) first += 1 << log_windows_of(each, log_windows);
    return first + (window & ((1 << log_windows_of(level, log_windows)) - 1));
  }
  __device__ static int node_place(int level, int tile) {
    const int number = tile >> (log_group * level);
    return place(level, number >> log_group) * warp_lanes + (number & (warp_lanes - 1));
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
