// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where blocks publish the nodes of the canonical tree that other blocks need: tiles, groups of 32 tiles, groups of 32
// groups, and so on. Scratch does not grow with the number of tiles: each level has room for a few groups, which
// neighbouring groups use in turn.
//
// - The members of a group are read by the tiles under the group only. When the last of these has read, it clears the
//   members' places for the group that uses them next. So all words are zero between calls, and no call clears them.
// - Tiles of a group that uses places again wait until they are cleared, while the items are on their way. Thousands of
//   tiles lie between, so they do not wait in practice.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/ticket.cuh>
#include <warpfold/grid/published_value.cuh>
#include <warpfold/scan/policy.hpp>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Groups that a level has room for, as a power of two: all groups of 2^log_tile_groups * 32 tiles, and two at least.
__host__ __device__ constexpr int log_group_places(int level, int log_tile_groups) {
  const int log = log_tile_groups - log_group * level;
  return log > 1 ? log : 1;
}
__host__ __device__ constexpr int group_places_before(int level, int log_tile_groups) {
  int all = 0;
  for (int each = 0; each < level; ++each) all += 1 << log_group_places(each, log_tile_groups);
  return all;
}
inline constexpr int most_log_tile_groups = 10;
inline constexpr int most_group_messages = 3300;  ///< messages for a member of each group
/// Groups of tiles that there is room for, as a power of two: fewer where accumulators are wide.
constexpr int log_tile_groups_for(std::size_t accumulator_bytes) {
  int log = most_log_tile_groups;
  while (log > 1 &&
         grid::messages_per_value(accumulator_bytes) * group_places_before(levels, log) > most_group_messages)
    --log;
  return log;
}
constexpr int all_group_places(std::size_t accumulator_bytes) {
  return group_places_before(levels, log_tile_groups_for(accumulator_bytes));
}

/// Words that are zero before the grid starts and after it ends. The nodes lie behind them, and are zero too.
struct alignas(16) scan_control {
  static constexpr int most_groups = group_places_before(levels, most_log_tile_groups);
  unsigned next_tile;
  unsigned readers[most_groups];  ///< tiles, or groups of them, that have read the group
  unsigned rounds[most_groups];   ///< how often the places have been cleared for another group
};

/// Bytes of control words for accumulators of `accumulator_bytes` bytes.
constexpr std::size_t control_bytes_for(std::size_t accumulator_bytes) {
  return sizeof(scan_control) + std::size_t{warp_lanes} *
                                    static_cast<std::size_t>(all_group_places(accumulator_bytes)) *
                                    static_cast<std::size_t>(grid::messages_per_value(accumulator_bytes)) * 16;
}

template <class A> struct node_table {
  static constexpr int log_tile_groups = log_tile_groups_for(sizeof(A));
  static constexpr int tiles_without_rounds = warp_lanes << log_tile_groups;  ///< so many have places of their own

  scan_control* control;
  grid::published_value<A>* nodes;
  int tiles;

  /// Waits until the places of the tile's groups, of all levels, are free. One warp of the tile calls it, and a barrier
  /// must follow before the tile publishes or receives. Costs nothing while there are fewer tiles than places.
  __device__ void enter(int tile) const {
    const int level = arch::lane_id();
    if (level >= levels) return;
    const int group = tile >> (log_group * (level + 1)), round = group >> log_group_places(level, log_tile_groups);
    if (round == 0) return;
    while (arch::acquire(control->rounds + place(level, group)) != static_cast<unsigned>(round)) arch::pause();
  }
  /// Whether `tile` is the last one of its group of that level, whose node other groups need.
  __device__ bool completes_group(int level, int tile) const {
    return ((tile + 1) & ((1 << (log_group * (level + 1))) - 1)) == 0 && tile + 1 < tiles;
  }
  /// The node of tile or group number `index` of its level.
  __device__ void publish(int level, int index, const A& node) const {
    nodes[place(level, index >> log_group) * warp_lanes + (index & (warp_lanes - 1))].publish(node);
  }
  /// The members of a group, which other blocks publish. Valid in the first `needed` lanes. One warp calls it.
  __device__ A receive(int level, int group, int needed) const {
    const int lane = arch::lane_id();
    const auto& node = nodes[place(level, group) * warp_lanes + lane];
    A value{};
    bool is_there = lane >= needed;
    for (;; arch::pause<lookback_pause>()) {
      if (!is_there) is_there = node.try_receive(value);
      if (__all_sync(full_warp, is_there)) return value;
    }
  }
  /// To be called when the block has read all that it needs, by the thread that has published the tile's node and has
  /// called fence_before_arrival since. Returns what finish takes. Only nodes of groups, which other threads published,
  /// need a release here: the thread needed what the block read to get here, so its arrival cannot be seen before.
  __device__ unsigned leave(int tile) const {
    const int group = tile >> log_group;
    unsigned* const readers = control->readers + place(0, group);
    if (completes_group(0, tile)) return arch::count_arrival(readers, members(0, group));
    return atomicInc(readers, members(0, group) - 1);
  }
  /// Clears what nobody reads any more. One warp calls it, with what `leave` returned in lane 0.
  __device__ void finish(int tile, unsigned left_before) const {
    int group = tile >> log_group;
    if (warp_first(left_before) != members(0, group) - 1) return;
    arch::fence_after_arrivals();
    __syncwarp();  // lane 0 has acquired for all
    for (int level = 0;; ++level) {
      const int own = place(level, group), count = static_cast<int>(members(level, group)), lane = arch::lane_id();
      if (lane < count) nodes[own * warp_lanes + lane].clear();
      __syncwarp();
      const int groups = count_of(level + 1), log_places = log_group_places(level, log_tile_groups);
      const int next = group + (1 << log_places);
      if (lane == 0 && groups > 1 << log_places)
        arch::release(control->rounds + own, next < groups ? static_cast<unsigned>(next >> log_places) : 0);
      if (groups == 1) return;
      group >>= log_group;
      if (!arch::warp_completes(control->readers + place(level + 1, group), members(level + 1, group))) return;
    }
  }

 private:
  /// The number of tiles, or groups, on a level.
  __device__ int count_of(int level) const { return ((tiles - 1) >> (log_group * level)) + 1; }
  /// Members of a group of the level that exist.
  __device__ unsigned members(int level, int group) const {
    return static_cast<unsigned>(least_of(count_of(level) - (group << log_group), warp_lanes));
  }
  __device__ static int place(int level, int group) {
    int first = 0;
    WARPFOLD_UNROLL
    for (int each = 0; each < levels - 1; ++each)
      if (each < level) first += 1 << log_group_places(each, log_tile_groups);
    return first + (group & ((1 << log_group_places(level, log_tile_groups)) - 1));
  }
  __device__ static unsigned warp_first(unsigned value) { return __shfl_sync(full_warp, value, 0); }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
