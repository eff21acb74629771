// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of reductions over axes. They change their speed, never a result.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <warpfold/warp/batch_rows.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Scratch for partial results of outputs that several blocks share: 2 MiB of 4 bytes, or 4 MiB.
constexpr std::size_t partial_bytes(std::size_t accumulator_bytes) {
  return (std::size_t{1} << 19) * std::clamp<std::size_t>(accumulator_bytes, 4, 8);
}
inline constexpr int max_work_items = 16384;  ///< of a grid whose blocks share outputs
inline constexpr int splits_per_group = 128;  ///< partial results of an output that one block joins at once
static_assert(max_work_items <= splits_per_group * splits_per_group, "two levels of joins");
/// Work items for each block that is resident at once, where one for each would not do. Splits are nodes, whose sizes
/// double: no grid divides them evenly, but many small ones leave little to the last blocks.
inline constexpr int waves = 16;
inline constexpr int sector_bytes = 32;  ///< what memory delivers at least

struct kernel_policy {
  int block_threads;
  int blocks_per_multiprocessor;  ///< requested of the register allocator
  int batch_rows;                 ///< loads that a thread has in flight
};

/// For threads that load `vector` items of `item_bytes` at a time, and have an accumulator for each.
consteval kernel_policy kernel_policy_for(std::size_t item_bytes, std::size_t accumulator_bytes, int vector) {
  kernel_policy p{};
  const std::size_t loaded = vector * item_bytes, accumulators = vector * accumulator_bytes,
                    held = std::max(loaded, accumulators);
  p.block_threads = static_cast<int>(std::clamp<std::size_t>(std::bit_floor(32 * 1024 / accumulators), 32, 256));
  p.blocks_per_multiprocessor = held <= 16 ? 3 : held <= 32 ? 2 : 1;
  // All loads of a batch are held at once, but the leaves of one column at a time.
  const std::size_t row_bytes = std::min<std::size_t>(std::max(loaded, accumulator_bytes), 128);
  p.batch_rows = static_cast<int>(std::clamp<std::size_t>(std::bit_floor(128 / row_bytes), 2, 16));
  return p;
}

struct row_policy {
  int block_threads;
  int blocks_per_multiprocessor;  ///< requested of the register allocator
  int batch_rows;                 ///< rows of 32 chunks that a warp has in flight
  int short_chunks;               ///< chunks of short outputs that a lane has in flight
  int chunk_items;

  constexpr std::int64_t batch_items() const { return std::int64_t{batch_rows} * warp_lanes * chunk_items; }
};

consteval row_policy row_policy_for(std::size_t chunk_bytes, int chunk_items, std::size_t accumulator_bytes) {
  row_policy p{};
  p.block_threads = accumulator_bytes <= 64 ? 256 : accumulator_bytes <= 704 ? 64 : 32;
  p.blocks_per_multiprocessor = accumulator_bytes <= 8 && chunk_bytes <= 16 ? 3 : accumulator_bytes <= 32 ? 2 : 1;
  p.batch_rows = warp::batch_rows(chunk_bytes, accumulator_bytes);
  p.short_chunks = std::max(p.batch_rows / 2, 1);
  p.chunk_items = chunk_items;
  return p;
}

/// Rows of as many columns as are read whole by one lane.
inline constexpr int max_narrow_columns = 8;
/// Rows of a matrix among several for which it has a block of its own.
inline constexpr int min_narrow_rows = 4096;

/// Rows of `columns` items whose bytes fill 16-byte vectors.
consteval int narrow_chunk_rows(std::size_t item_bytes, int columns) {
  int rows = 1;
  while (rows * static_cast<std::size_t>(columns) * item_bytes % 16 != 0) rows *= 2;
  return rows;
}

struct narrow_policy {
  int block_threads;
  int blocks_per_multiprocessor;  ///< requested of the register allocator
  int chunk_rows;
  int batch_chunks;  ///< chunks that a lane has in flight

  constexpr std::int64_t batch_rows() const { return std::int64_t{batch_chunks} * warp_lanes * chunk_rows; }
};
consteval narrow_policy narrow_policy_for(std::size_t item_bytes, int columns, std::size_t accumulator_bytes) {
  const int rows = narrow_chunk_rows(item_bytes, columns);
  const std::size_t chunk = rows * static_cast<std::size_t>(columns) * item_bytes, held = columns * accumulator_bytes;
  const auto chunks = static_cast<int>(std::clamp<std::size_t>(std::bit_floor(256 / std::max(chunk, 2 * held)), 1, 8));
  return {256, 2, rows, chunks};
}
/// Whether a lane's registers hold whole rows.
consteval bool takes_narrow(std::size_t item_bytes, std::size_t accumulator_bytes) {
  return std::has_single_bit(item_bytes) && item_bytes <= 8 && accumulator_bytes <= 8;
}

struct tile_policy {
  int block_threads;
  int tile_items;
};

/// A tile has 12 KiB of items, and at most 48 KiB of accumulators.
consteval tile_policy tile_policy_for(std::size_t item_bytes, std::size_t accumulator_bytes) {
  return {256, static_cast<int>(std::min(12 * 1024 / item_bytes, 48 * 1024 / accumulator_bytes))};
}
/// Wider items go by columns: a few of them fill a sector.
consteval bool takes_tiles(std::size_t item_bytes, std::size_t accumulator_bytes) {
  return item_bytes <= 16 && accumulator_bytes <= 32;
}
inline constexpr int max_tile_columns = 32;

/// Of so few items an output, a thread takes several outputs, or vectors of them, at a time.
inline constexpr int few_items = 4, few_items_vectors = 2;

/// Adjacent columns that a thread takes at once: 16 bytes of items and 32 of accumulators at most.
consteval int vector_items(std::size_t item_bytes, std::size_t accumulator_bytes) {
  if (!std::has_single_bit(item_bytes)) return 1;
  int items = 1;
  while (2 * items * item_bytes <= 16 && 2 * items * accumulator_bytes <= 32) items *= 2;
  return items;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
