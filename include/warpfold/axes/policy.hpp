// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of reductions over axes. They change their speed, never a result.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <warpfold/warp/batch_rows.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Scratch for partial results of outputs that several blocks share: 2 MiB of 4 bytes, or 4 MiB.
constexpr std::size_t partial_bytes(std::size_t accumulator_bytes) {
  return (std::size_t{1} << 19) * clamped<std::size_t>(accumulator_bytes, 4, 8);
}
inline constexpr int max_work_items = 16384;  ///< of a grid whose blocks share outputs
inline constexpr int sector_bytes = 32;       ///< what memory delivers at least

/// Bytes of the work items that a multiprocessor has at a time, at least. Splits are nodes, whose sizes double: many
/// small ones leave little to the last blocks, but there is more to join; which takes longer where operators do.
inline constexpr int light_work_bytes = 96 * 1024, heavy_work_bytes = 384 * 1024;
/// Of small arrays, all blocks shall have some; but to join them takes as long as to read so many bytes.
inline constexpr int least_work_bytes = 32 * 1024;
/// Bytes of a tile that need not be split, if there are many tiles; and lanes to which tiles are narrowed for that.
inline constexpr int whole_tile_bytes = 256 * 1024, least_tile_lanes = 16;
/// How many partial results a thread has in flight when it joins them, and how many at least. The outputs of a lane
/// have `bytes` bytes.
__host__ __device__ constexpr int join_batch(std::size_t bytes) { return bytes <= 4 ? 16 : bytes <= 16 ? 8 : 4; }
__host__ __device__ constexpr int least_joined(std::size_t bytes) { return bytes <= 16 ? 8 : 4; }
/// From this many splits for each row group on, blocks of columns wait for each other and share the joins even if each
/// has one split. (On an H200, places of maxima of 6 million floats in 128 columns, 46 splits a group, take 20 us so,
/// and 34 if the last block joins; logsumexp of 12 million in 200 columns, 15 a group, 46 and 34.)
inline constexpr int least_shared_splits = 24;
/// From this many splits per thread of a block on, splits are joined by single outputs, whose partial results lie side
/// by side. Below, they are joined by vectors, which are written faster.
inline constexpr int least_side_by_side = 8;

/// The alignment by which memory takes `bytes` bytes of values at once, or as much of them as it can.
consteval std::size_t vector_alignment(std::size_t bytes, std::size_t alignment) {
  return greatest_of(alignment, least_of(bytes & -bytes, std::size_t{16}));
}

struct kernel_policy {
  int block_threads;      ///< with items, at most
  int resident_threads;   ///< of all blocks of a multiprocessor, for which it has registers
  int tile_lanes;         ///< of a tile, if all rows are long
  bool has_narrow_tiles;  ///< whether tiles of least_tile_lanes are as fast; their splits may be joined singly
  int batch_rows;         ///< loads that a thread has in flight
  int alone_rows;         ///< the same of a thread that folds alone
  int load_bytes;         ///< of each of these
  int work_bytes;         ///< of the work items that a multiprocessor has at a time, at least
  bool loads_ahead;       ///< whether these are under way while the block joins; a warp without items does the rest
  int phase_steps;        ///< batches of a thread after which its block joins
};

/// Whether there is more to compute than to load: items become much wider, or no numbers.
template <class T, class A>
inline constexpr bool is_heavy = sizeof(A) > sizeof(T) && !(std::is_arithmetic_v<A> && sizeof(A) <= 2 * sizeof(T));

/// For threads that load `vector` items of `item_bytes` at a time, have an accumulator for each of their outputs, and
/// `leaf_bytes` for each item of an output while they fold a batch. Memory needs 64 KiB in flight. Few threads have
/// many loads each, so little has to be joined, and load ahead; but where there is much to compute, more warps
/// have half as many loads each.
consteval kernel_policy kernel_policy_for(std::size_t item_bytes, std::size_t accumulator_bytes, std::size_t leaf_bytes,
                                          int vector, bool is_heavy) {
  kernel_policy p{};
  const std::size_t loaded = vector * item_bytes, accumulators = vector * accumulator_bytes;
  p.block_threads = clamped(static_cast<int>(std::bit_floor(32 * 1024 / accumulators)), 32, is_heavy ? 256 : 288);
  p.resident_threads = greatest_of(is_heavy                           ? 2 * p.block_threads
                                   : accumulators <= 8 && loaded <= 4 ? 640
                                                                      : 384,
                                   p.block_threads + warp_lanes);
  p.tile_lanes = least_of(loaded >= 16 ? 32 : 64, p.block_threads);
  p.has_narrow_tiles = loaded >= 16 && !is_heavy;
  // All loads of a batch are held at once, but the leaves of one column at a time.
  const std::size_t row_bytes = least_of(greatest_of(loaded, leaf_bytes), std::size_t{128});
  p.batch_rows = static_cast<int>(clamped<std::size_t>(std::bit_floor((is_heavy ? 128 : 256) / row_bytes), 2, 32));
  p.alone_rows = p.batch_rows;
  p.load_bytes = static_cast<int>(loaded);
  p.work_bytes = is_heavy ? heavy_work_bytes : light_work_bytes;
  p.loads_ahead = !is_heavy;
  p.phase_steps =
      static_cast<int>(clamped<std::size_t>(std::bit_floor(24 * 1024 / (p.block_threads * accumulators)), 1, 4));
  return p;
}

/// Where items become doubles, which takes long: twice as many threads, which have half as many loads each. (On an
/// H200, means of 300 columns take 83 us so instead of 93, of 3000 columns 74 instead of 79.)
constexpr kernel_policy converting(kernel_policy p) {
  p.batch_rows /= 2;
  p.resident_threads = 640;
  p.phase_steps = least_of(2 * p.phase_steps, 4);
  return p;
}

/// Bytes that stand for the accumulators of an item where columns are folded by runs: 16 rows are in flight.
inline constexpr std::size_t run_leaf_bytes = 8;
/// The most batches of these rows that a thread has under way in shared memory; and the bytes of shared memory that a
/// block has for them and for the values that it joins.
inline constexpr int most_batches_ahead = 2;
inline constexpr std::size_t most_share_bytes = 46 * 1024;
/// Threads of a block whose lanes hold runs of several parts: two of these blocks have enough registers each.
inline constexpr int fused_threads = 192;
/// Bytes of the work items of a multiprocessor where these are folded.
inline constexpr int fused_work_bytes = 192 * 1024;
/// Threads of a block that fold whole columns: few, so that multiprocessors get equal shares.
inline constexpr int whole_column_threads = 64;
/// If a multiprocessor has fewer warps for all columns, blocks are single ones.
inline constexpr int few_column_warps = 16;
/// Threads of a multiprocessor where lanes sum columns in a form of their own (thread/lane_accumulator.cuh).
constexpr int summing_threads(std::size_t accumulator_bytes) { return accumulator_bytes <= 64 ? 512 : 256; }
/// If one thread per column keeps the device busy for this share of the time, threads fold whole columns, and nothing
/// is joined. (These three were measured on an H200: sums, means, argmax and logsumexp of 1000 to 10^6 columns.)
inline constexpr int least_busy_percent = 80;
/// A multiprocessor is busy with light folds if its threads have so many bytes in flight; with heavy ones, if it has so
/// many quarters of the threads that its registers allow.
inline constexpr int busy_bytes = 40 * 1024, busy_quarters = 3;

/// The most batches of a warp that could share them with others of its block, but need not, to keep the device busy:
/// blocks that join the nodes of warps wait for each other, and start anew with each output.
inline constexpr int most_lone_batches = 16;
/// With more batches than these, they must keep it busy for a larger share of the time.
inline constexpr int few_lone_batches = 8, least_lone_percent = 90;

struct row_policy {
  int block_threads;
  int blocks_per_multiprocessor;  ///< requested of the register allocator
  int batch_rows;                 ///< rows of 32 chunks that a warp has in flight
  int short_chunks;               ///< chunks of short outputs that a lane has in flight
  int chunk_items;
  bool takes_turns;  ///< whether a warp may have several shares of an output
  bool gathers;      ///< whether warps gather their batches in shared memory, ahead

  constexpr std::int64_t batch_items() const { return std::int64_t{batch_rows} * warp_lanes * chunk_items; }
};

/// `leaf_bytes` are those of an accumulator that a block joins, `lane_bytes` those of an item that a lane holds.
consteval row_policy row_policy_for(std::size_t chunk_bytes, int chunk_items, std::size_t leaf_bytes,
                                    std::size_t lane_bytes) {
  row_policy p{};
  p.block_threads = leaf_bytes <= 64 ? 256 : leaf_bytes <= 704 ? 64 : 32;
  p.blocks_per_multiprocessor = leaf_bytes <= 8 && chunk_bytes <= 16 ? 3 : lane_bytes <= 32 ? 2 : 1;
  p.batch_rows = warp::batch_rows(chunk_bytes, lane_bytes);
  p.short_chunks = greatest_of(warp::batch_rows(chunk_bytes, leaf_bytes) / 2, 1);
  p.chunk_items = chunk_items;
  p.takes_turns = true;
  return p;
}

/// Of warps that gather their batches ahead: blocks have half as many warps, for which there is shared memory. (On an
/// H200, with 24 warps on a multiprocessor instead of 16, sums of 512x2048x49 floats over axes 0 and 2 take 80 us
/// instead of 64: the cache loses sectors that neighbouring outputs share.)
constexpr void gather(row_policy& policy) {
  policy.gathers = true;
  if (policy.block_threads > 128)
    policy.block_threads /= 2, policy.blocks_per_multiprocessor = least_of(4, 2 * policy.blocks_per_multiprocessor);
}
/// Outputs of fewer batches are read item by item, if their items lie along two axes. (On an H200, sums of 2x20000x999
/// floats over axes 0 and 2 take 58 us so, 69 gathered.)
inline constexpr int least_gathered_batches = 4;

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
consteval narrow_policy narrow_policy_for(std::size_t item_bytes, int columns) {
  const int rows = narrow_chunk_rows(item_bytes, columns);
  const std::size_t chunk = rows * static_cast<std::size_t>(columns) * item_bytes;
  return {256, 2, rows, static_cast<int>(clamped<std::size_t>(std::bit_floor(160 / chunk), 1, 8))};
}
/// The most bytes of nodes that a lane exchanges at a time.
inline constexpr int most_node_bytes = 128;
/// Whether a lane's registers hold whole rows.
consteval bool takes_narrow(std::size_t item_bytes, std::size_t leaf_bytes) {
  return std::has_single_bit(item_bytes) && item_bytes <= 8 && leaf_bytes <= 8;
}

struct tile_policy {
  int block_threads;
  int tile_items;
};

/// A tile has 12 KiB of items, and at most 48 KiB of accumulators.
consteval tile_policy tile_policy_for(std::size_t item_bytes, std::size_t accumulator_bytes) {
  return {256, static_cast<int>(least_of(12 * 1024 / item_bytes, 48 * 1024 / accumulator_bytes))};
}
/// Threads that read single bytes take longer than blocks that bring whole matrices.
constexpr bool takes_tiles(std::size_t item_bytes) { return item_bytes == 1; }
inline constexpr int max_tile_columns = 32;

/// Single threads fold outputs of up to 31 items, by two or four rounds of items that they load at once; where there is
/// more to compute for an item, by two longer rounds. If items are very few, a thread takes several outputs, or vectors
/// of them. Values of more than 16 bytes would not fit its registers, unless it folds runs of them. (On an H200, us by
/// rounds of 16 and of 8: means of 7 items in the middle 113 and 82, of 12 84 and 80; moments of 7 177 and 168, of 12
/// 125 and 155.)
inline constexpr int few_items_round = 8, long_round = 2 * few_items_round, few_items_count = 4 * few_items_round - 1;
inline constexpr int very_few_items = 4, very_few_items_vectors = 2, few_items_threads = 128;
/// With fewer outputs than these, rounds one after another take longer than threads that share an output, unless these
/// are `long_rounds`.
inline constexpr std::int64_t min_outputs_of_four_rounds = 30'000;
constexpr int most_few_items(std::size_t value_bytes, std::int64_t outputs, bool long_rounds) {
  if (value_bytes > 16) return very_few_items;
  return long_rounds || outputs >= min_outputs_of_four_rounds ? few_items_count : 2 * few_items_round;
}

inline constexpr int most_share_threads = 256;  ///< of a block whose threads fold alone

/// Adjacent columns that a thread takes at once: 4, but 16 bytes of items and 32 of accumulators at most. (With 8
/// narrow columns, fewer shapes have vectors, and fewer threads have work. On an H200, us with 8 and 4: sums of 2^27
/// halves in 768 columns 83 and 78, of 128x500x1024 over the middle 53 and 39, of 4096x91x180 68 and 40; of 2^28 bytes
/// in 1100 columns 144 and 95.)
consteval int vector_items(std::size_t item_bytes, std::size_t accumulator_bytes) {
  if (!std::has_single_bit(item_bytes)) return 1;
  int items = 1;
  while (2 * items <= 4 && 2 * items * item_bytes <= 16 && 2 * items * accumulator_bytes <= 32) items *= 2;
  return items;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
