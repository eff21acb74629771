// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of segmented reduction. They change its speed, never its result.
#pragma once
#include <algorithm>
#include <cstddef>
#include <warpfold/warp/batch_rows.hpp>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int units_per_group = 256;          ///< units of a long segment that are joined at once
inline constexpr int max_warps = 10912;  ///< of a grid: their counters fill 128 KiB
inline constexpr int counters_per_warp = 3;       ///< a warp
inline constexpr int max_units_per_warp = 8;            ///< units that a warp's range has at most, about
/// Joining units takes trips to memory. Where most segments are long, those are not cut of which so many fill a range.
inline constexpr int uncut_segments_per_warp = 2;
/// Items and segments, weighed, that are worth a warp of their own: about as many as there are warps then, within these bounds.
/// More warps would hold each other up while they look for their places.
inline constexpr int min_items_per_warp = 128, max_min_items_per_warp = 768;

/// Units of all long segments together: units grow with the input, so that scratch does not.
constexpr int max_units(std::size_t accumulator_bytes) { return accumulator_bytes <= 16 ? 1 << 15 : 1 << 14; }

/// A warp's units of the segment before its first one come first where items have so many bytes, else last: of wider and narrower
/// ones, that order costs registers, and gains nothing.
inline constexpr int previous_first_item_bytes = 4;

inline constexpr int tile_segments_per_lane = 4;  ///< of 32 segments, that are known at once
inline constexpr int max_segment_cost = 8;   ///< of a segment, in items: more leave too much to the warps of a long one

/// Steps are staged where items have so many bytes, segments so many of them on average (of fewer, lanes read neighbours' items
/// anyway; of more, a stage holds few segments), and warps so many steps. And, from more steps on, where most segments are empty.
inline constexpr int min_staged_item_bytes = 4, min_staged_mean_items = 4, max_staged_mean_items = 16;
inline constexpr int min_staged_tiles = 4, min_staged_empty_tiles = 16;
inline constexpr int window_bytes = 4080;  ///< of a step's items: with up to 15 before them, 4 KiB

/// Segments are dealt by number where warps would have so many rows of 32 chunks at most if all had as many, and three segments for
/// two of them; and where segments have three quarters of a row on average at least, and so many rows at most.
inline constexpr int max_even_share_rows = 16, max_mean_segment_rows = 64;
/// Groups have twice the warps as long as each would have more than so many rows of a segment of average length.
inline constexpr int target_share_rows = 2;
/// Where a warp then still has more than so many, and half as many again as if all warps had as many, none are dealt. A longer segment is a group's as long as warps have so
/// many of it at most, or it is half as long again as the average.
inline constexpr int max_mean_share_rows = 8, max_share_rows = 16;

/// Items of a chunk: as many as fit `bytes`, and as accumulators four times that, but at least `least`.
constexpr int chunk_items_within(std::size_t bytes, std::size_t item_bytes, std::size_t accumulator_bytes, int least) {
  int items = least;
  while (2 * items * item_bytes <= bytes && 2 * items * accumulator_bytes <= 4 * bytes) items *= 2;
  return items;
}
/// Of the chunk that is a short segment, and of those that lanes take of longer ones, since what it costs a lane to find its
/// place is paid once a chunk.
constexpr int narrow_chunk_items(std::size_t item_bytes, std::size_t accumulator_bytes, int least) {
  return chunk_items_within(32, item_bytes, accumulator_bytes, least);
}
constexpr int wide_chunk_items(std::size_t item_bytes, std::size_t accumulator_bytes, int narrow_items) {
  return chunk_items_within(64, item_bytes, accumulator_bytes, narrow_items);
}

struct kernel_policy {
  int block_threads;
  int blocks_per_multiprocessor;  ///< asked of the register allocator
  int tiny_items;                 ///< of a segment that a lane reads item by item, a step's at once
  int long_rows;                  ///< rows of 32 chunks that a warp has in flight, of long segments
};

consteval kernel_policy kernel_policy_for(std::size_t chunk_bytes, std::size_t accumulator_bytes) {
  kernel_policy p{};
  p.block_threads = accumulator_bytes <= 64 ? 256 : 128;
  p.blocks_per_multiprocessor = accumulator_bytes <= 8 && chunk_bytes <= 32 ? 4
                                : accumulator_bytes <= 16                   ? 3
                                : accumulator_bytes <= 32                   ? 2
                                                                            : 1;
  p.tiny_items = accumulator_bytes <= 8 ? 4 : accumulator_bytes <= 16 ? 2 : 1;
  p.long_rows = std::max(2, warp::batch_rows(chunk_bytes, accumulator_bytes));
  return p;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
