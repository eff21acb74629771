// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of exact sums. They change their speed, never their result.
#pragma once
#include <type_traits>

namespace warpfold::exact {

/// Blocks are smaller where bins are larger, so that they fit 48 KiB; a multiprocessor has as many warps either way.
template <class V> struct sum_policy {
  static constexpr bool is_double = std::is_same_v<V, double>;
  static constexpr int max_block_warps = is_double ? 4 : 8, blocks_per_multiprocessor = is_double ? 4 : 2;
  /// Whether a warp loads its next batch before it adds one: lanes that take turns at bins would keep loads waiting.
  static constexpr bool loads_ahead = is_double;
};

/// Items that a lane sums at once: 128 bytes of them.
template <class V> inline constexpr int batch_items = static_cast<int>(128 / sizeof(V));

/// Rows of 32 chunks in a batch.
template <class Leaves> consteval int batch_rows() {
  constexpr int rows = batch_items<typename Leaves::accumulator> / Leaves::chunk_items;
  return rows < 1 ? 1 : rows > 8 ? 8 : rows;
}

template <class V> struct segment_policy {
  static constexpr bool is_double = std::is_same_v<V, double>;
  static constexpr int lane_items = is_double ? 8 : 16;     ///< items that a lane sums at once
  static constexpr int tile_segments = is_double ? 8 : 32;  ///< a tile's superaccumulators fill 3 or 4 KiB
  static constexpr int blocks_per_multiprocessor = is_double ? 2 : 3;
  static constexpr int tiny_blocks_per_multiprocessor = 2;  ///< where lanes have several segments
};

/// Segments of one length are summed by a team of warps each, in a block of its own, if they have at least
/// min_team_items, or if they are few for each multiprocessor, and have at least min_items_of_few. A warp of a team has
/// up to max_team_share items, unless the team has all warps of a block. (On an H200, 2^26 floats, us by position and
/// so: rows of 2000, 86 and 88; of 3000, 97 and 87; of 10007, 106 and 90; of 40000, 113 and 97; 2^24 floats: rows of
/// 512, 28 and 34; of 850, 42 and 34.)
inline constexpr int min_team_items = 2304, min_items_of_few = 640, max_teams_of_few = 150, max_team_share = 2048;
inline constexpr int team_blocks_per_multiprocessor = 4;
/// A warp takes as long for an item as a multiprocessor for share_cost, and to start as long as for team_start_items.
/// By position, to begin takes a multiprocessor as long as position_start_items.
inline constexpr int share_cost = 28, team_start_items = 1200, position_start_items = 60'000;
inline constexpr double full_wave = 0.97;  ///< a wave of blocks that is fuller counts as if another one followed
/// Warps of a block that sums segments.
inline constexpr int segment_block_warps = 8;
/// Positions for each warp (segment_partition.cuh): with fewer, the searches for first segments would cost more than
/// the sums.
inline constexpr int min_positions_per_warp = 512;
/// What a segment costs beside its items, in items; and where many of few items are summed at once.
inline constexpr int segment_cost = 16, tiny_segment_cost = 6;
/// Below this mean length, a lane takes several segments of whole tiles (tiny_segments.cuh). (On an H200, 2^26 floats
/// in segments of mean 10 take 181 us so, and 291 if not; of 12 each 151 and 145.)
inline constexpr int max_tiny_mean = 14;
/// Segments of at most this many items, or of this part of a warp's range, are not cut.
inline constexpr int min_uncut_items = 512, uncut_segments_per_warp = 8;
/// Other segments of one length have a warp each if its range would have at most 21 / 8 of them, and if they fill at
/// least min_whole_percent of whole waves over the device. (On an H200, 2^26 floats, us with cuts and so: rows of 8192,
/// 101 and 90; of 12288, 110 and 89; of 16384, 113 and 102; of 24000, 115 and 85; but of 18000, 59 % of two waves, 114
/// and 116.)
inline constexpr int max_whole_eighths = 21, min_whole_percent = 65, max_whole_blocks = 1 << 30;

}  // namespace warpfold::exact
