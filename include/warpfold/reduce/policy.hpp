// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of the default reduction. They change its speed, never its result. Those without a reason beside them
// are tuned by bench/reduce_bench.
#pragma once
#include <cstddef>
#include <warpfold/warp/batch_rows.hpp>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int max_wave_blocks = 512;                                     ///< one warp joins their results
inline constexpr int max_blocks_per_multiprocessor = 32, max_block_warps = 16;  ///< of any strategy
inline constexpr int max_unit_level = 30;  ///< a unit has at most 2^30 tiles: its rounds are counted in 32 bits

/// The most units of a persistent grid. Small ones are read fastest, but the last block takes longer to join many.
constexpr int max_units(std::size_t accumulator_bytes, int block_warps) {
  return block_warps * (accumulator_bytes <= 16 ? 512 : 128);
}

/// Blocks with up to max_even_tiles tiles take units of up to 2^max_even_level tiles that leave the shares even: large
/// units, so that their warps meet seldom. Blocks with more draw units of up to 2^drawn_level_for() tiles.
inline constexpr int max_even_tiles = 8, max_even_level = 3;
constexpr int drawn_level_for(std::size_t accumulator_bytes) { return accumulator_bytes <= 8 ? 1 : 2; }
/// The level of a round: the warps of a block meet once in 2^level tiles, or once per unit. Values wait in shared
/// memory until then, so rounds of wide accumulators are shorter.
constexpr int round_level_for(std::size_t accumulator_bytes, int block_warps) {
  int level = 3;
  while (level > 0 && 2 * (accumulator_bytes * block_warps << level) > 16384) --level;
  return level;
}

/// Chosen from the bytes of a lane's chunk and of the accumulator.
struct kernel_policy {
  int block_threads;              ///< of a full block
  int blocks_per_multiprocessor;  ///< asked of the register allocator
  int max_rows;    ///< rows of 32 chunks that a warp has in flight: 8 rows of 16 bytes per lane fill 32 registers
  int quick_rows;  ///< the same where each block has one tile, and latency counts
  // Of persistent blocks, which may differ:
  int share_threads;
  int share_blocks_per_multiprocessor;
  int share_rows;

  int block_warps() const { return block_threads / warp_lanes; }
  int share_warps() const { return share_threads / warp_lanes; }
};

/// `held_bytes`: bytes of accumulators that a lane holds in registers for each row of a batch. `part_bytes`: bytes of
/// the widest accumulator of a fused operator, which folds one part at a time.
consteval kernel_policy kernel_policy_for(std::size_t chunk_bytes, std::size_t accumulator_bytes,
                                          std::size_t held_bytes, std::size_t part_bytes) {
  kernel_policy p{};
  p.block_threads = held_bytes > 64 ? 128 : accumulator_bytes <= 128 ? 512 : 256;
  p.blocks_per_multiprocessor = held_bytes <= 32 ? 2 : 1;
  p.max_rows = warp::batch_rows(chunk_bytes, held_bytes);
  // If a thread has 128 registers, parts leave room for more rows: half as many threads must load as much.
  if (p.blocks_per_multiprocessor == 1 && part_bytes < accumulator_bytes)
    p.max_rows = warp::batch_rows((chunk_bytes + 1) / 2, (part_bytes + 1) / 2);
  p.quick_rows = least_of(p.max_rows, 4);
  p.share_threads = p.block_threads;
  p.share_blocks_per_multiprocessor = p.blocks_per_multiprocessor;
  p.share_rows = p.max_rows;
  // The parts of a fused operator need registers beside the rows in flight; small blocks wait less for each other.
  if (part_bytes < accumulator_bytes && 8 < accumulator_bytes && accumulator_bytes <= 128) {
    p.share_threads = 256;
    p.share_blocks_per_multiprocessor = accumulator_bytes <= 16 ? 3 : 2;
    if (accumulator_bytes > 16) p.share_rows = warp::batch_rows((chunk_bytes + 1) / 2, (part_bytes + 1) / 2);
  }
  return p;
}
consteval kernel_policy kernel_policy_for(std::size_t chunk_bytes, std::size_t accumulator_bytes) {
  return kernel_policy_for(chunk_bytes, accumulator_bytes, accumulator_bytes, accumulator_bytes);
}

/// The policy where batches are folded by runs (batches.cuh), through shared memory.
consteval kernel_policy with_runs(kernel_policy p, std::size_t accumulator_bytes) {
  if (accumulator_bytes > 16) p.blocks_per_multiprocessor = 1;
  p.max_rows = p.quick_rows = 4;
  p.share_threads = 256;
  p.share_blocks_per_multiprocessor = 2;
  p.share_rows = 8;
  return p;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
