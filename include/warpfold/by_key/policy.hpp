// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of reduction by key. They change its speed, never its result.
#pragma once
#include <cstddef>
#include <warpfold/config.hpp>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The number of neighbouring tiles whose counts and carries a warp reads at once, one a lane. A window is such tiles,
/// or such windows.
inline constexpr int lookback_window = 32;

/// The most tiles that a block has folded and not yet written, since their place in the output is not known.
inline constexpr int max_tiles_in_flight = 2;

/// The number of 16-byte messages that publish a run carry: two accumulators, two words, and one word of each message
/// that says whether it has arrived.
constexpr int messages_per_carry(std::size_t accumulator_bytes) {
  return 1 + static_cast<int>(2 * ((accumulator_bytes + 3) / 4) / 3);
}
/// The number of carries of an epoch: one for each tile, each window of tiles, each window of windows, and so on.
constexpr int epoch_carries(int tiles) {
  int all = 0;
  do all += tiles;
  while ((tiles = (tiles - 1) / lookback_window + 1) > 1);
  return all;
}

/// The tiles of an epoch: as many as have room in scratch, whose size does not depend on the accumulator.
constexpr int log_epoch_tiles(std::size_t accumulator_bytes) {
  int log = 15;
  while (log > 0 && epoch_carries(1 << log) * messages_per_carry(accumulator_bytes) > epoch_carries(1 << 15) * 3) --log;
  return log;
}
constexpr int epoch_tiles(std::size_t accumulator_bytes) { return 1 << log_epoch_tiles(accumulator_bytes); }

/// Bytes that are zero between calls: the counters of tiles and epochs, one word a tile, two a window, the carries.
inline constexpr std::size_t by_key_control_bytes =
    16 + sizeof(unsigned) * (epoch_tiles(1) + 2 * (epoch_tiles(1) / lookback_window)) + 16 * epoch_carries(1 << 15) * 3;

/// An upper bound on what epochs hand over to later ones, for accumulators that are aligned to 16 bytes at most.
constexpr std::size_t epoch_scratch_bytes(std::size_t accumulator_bytes) {
  return 16 + 48 * (2 * accumulator_bytes + 48);
}

struct kernel_policy {
  int tile_threads;               ///< the threads of a block that hold items; the service warp comes on top
  int blocks_per_multiprocessor;  ///< asked of the register allocator
  int thread_items;               ///< a power of two, 16 at most
};

/// Large tiles make a block meet less often. A thread takes as many items as it has registers for, and a block as many
/// threads as have room in shared memory.
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
