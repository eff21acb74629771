// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of reduction by key. They change its speed, never its result.
#pragma once
#include <cstddef>
#include <warpfold/config.hpp>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int tile_group = 32;  ///< tiles, or groups of them, that a warp joins at once

inline constexpr int waiting_tiles =
    2;  ///< of a block, at most, that are folded, and written once their place is known

/// Messages of 16 bytes that tell a stretch of tiles: two accumulators and two words, and a word of each message's own.
constexpr int stretch_messages(std::size_t accumulator_bytes) {
  return 1 + static_cast<int>(2 * ((accumulator_bytes + 3) / 4) / 3);
}
/// Stretches of a lap's tiles, of groups of these, and so on.
constexpr int lap_stretches(int tiles) {
  int all = 0;
  do all += tiles;
  while ((tiles = (tiles - 1) / tile_group + 1) > 1);
  return all;
}

/// Tiles of a lap, which share one set of words: tiles are as many as the input wants, so that scratch is not.
constexpr int log_lap_tiles(std::size_t accumulator_bytes) {
  int log = 15;
  while (log > 0 && lap_stretches(1 << log) * stretch_messages(accumulator_bytes) > lap_stretches(1 << 15) * 3) --log;
  return log;
}
constexpr int lap_tiles(std::size_t accumulator_bytes) { return 1 << log_lap_tiles(accumulator_bytes); }

/// Words that are zero between calls: a counter of tiles, one of laps, one a tile, two a group of tiles; the stretches.
inline constexpr std::size_t by_key_control_bytes =
    16 + sizeof(unsigned) * (lap_tiles(1) + 2 * (lap_tiles(1) / tile_group)) + 16 * lap_stretches(1 << 15) * 3;

/// At least what the laps before take, whatever the accumulator, if it is aligned to 16 bytes at most.
constexpr std::size_t laps_bytes(std::size_t accumulator_bytes) { return 16 + 48 * (2 * accumulator_bytes + 48); }

struct kernel_policy {
  int tile_threads;               ///< of a block, those that have items; one more warp serves them
  int blocks_per_multiprocessor;  ///< asked of the register allocator
  int thread_items;               ///< a power of two, 16 at most
};

/// A thread takes as many items as it has registers for, and a block as many threads as there is shared memory for: the larger
/// a tile, the less often the block meets.
consteval kernel_policy kernel_policy_for(std::size_t key_bytes, std::size_t value_bytes,
                                          std::size_t accumulator_bytes) {
  const int held = static_cast<int>(key_bytes + (value_bytes > accumulator_bytes ? value_bytes : accumulator_bytes));
  const int staged = static_cast<int>(key_bytes + accumulator_bytes);
  const bool is_small = held <= 24;
  kernel_policy p{256, held <= 64 ? 2 : 1, 16};
  while (p.thread_items > 1 && p.thread_items * held > (is_small ? 192 : 128)) p.thread_items /= 2;
  if (held <= 16 && p.thread_items * held <= 128) p.blocks_per_multiprocessor = 3;
  while (p.tile_threads > warp_lanes && p.tile_threads * (p.thread_items + 1) * staged > (is_small ? 56 : 40) * 1024)
    p.tile_threads /= 2;
  return p;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
