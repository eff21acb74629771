// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of reduction by key. They change its speed, never its result.
#pragma once
#include <cstddef>
#include <warpfold/config.hpp>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Tiles, or groups of them, that a warp joins at once: one per lane.
inline constexpr int tiles_per_group = 32;

/// A block folds at most so many tiles before it writes the first of them: a tile is written once its place is known.
inline constexpr int tiles_in_flight = 2;

/// Messages of 16 bytes that hold the carry of some tiles: two accumulators, two words, and a flag in each message.
constexpr int messages_per_carry(std::size_t accumulator_bytes) {
  return 1 + static_cast<int>(2 * ((accumulator_bytes + 3) / 4) / 3);
}
/// Carries of an epoch's tiles, of groups of these, of groups of groups, and so on.
constexpr int epoch_carries(int tiles) {
  int all = 0;
  do all += tiles;
  while ((tiles = (tiles - 1) / tiles_per_group + 1) > 1);
  return all;
}

/// The tiles of an epoch share one set of scratch words, so that scratch does not grow with the number of tiles.
constexpr int log_epoch_tiles(std::size_t accumulator_bytes) {
  int log = 15;
  while (log > 0 && epoch_carries(1 << log) * messages_per_carry(accumulator_bytes) > epoch_carries(1 << 15) * 3) --log;
  return log;
}
constexpr int epoch_tiles(std::size_t accumulator_bytes) { return 1 << log_epoch_tiles(accumulator_bytes); }

/// The words that are zero between calls: a counter of tiles, the finished epochs, one word per tile, two per group of
/// tiles, and the carries.
inline constexpr std::size_t by_key_control_bytes =
    32 + sizeof(unsigned) * (epoch_tiles(1) + 2 * (epoch_tiles(1) / tiles_per_group)) + 16 * epoch_carries(1 << 15) * 3;

/// Room for epoch_scratch of any accumulator that is aligned to 16 bytes at most.
constexpr std::size_t epochs_bytes(std::size_t accumulator_bytes) { return 48 * (2 * accumulator_bytes + 48); }

struct kernel_policy {
  int tile_threads;               ///< threads of a block that have items; one more warp looks back
  int blocks_per_multiprocessor;  ///< asked of the register allocator
  int thread_items;               ///< a power of two, 16 at most
};

/// A thread takes as many items as its registers hold, and a block as many threads as have room in shared memory: the
/// larger a tile, the fewer barriers per item. Bytes of registers per thread (192, 128) and of shared memory per block
/// (56 and 40 KiB) are tuned by bench/reduce_by_key_bench.
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
