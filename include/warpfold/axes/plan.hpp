// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans: how a kernel over axes deals its outputs and their items to blocks. The functions that make them are pure
// functions of the shape and the device, testable without a GPU.
#pragma once
#include <optional>
#include <warpfold/axes/policy.hpp>
#include <warpfold/axes/shape.hpp>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/thread/fast_divisor.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The items [first, end) of the outputs of a tile. There may be none.
struct work_item {
  std::int64_t tile, split, first, end;
};

/// How outputs and their items are dealt to blocks. A work item is a tile of outputs and a split of their items, a node
/// of each output's canonical tree.
struct plan {
  int lanes;      ///< a tile is as many outputs, or vectors of outputs
  int groups;     ///< a power of two: threads (rows: warps) of a block that share the items of an output
  int log_rows;   ///< each of these folds up to 2^log_rows items of a split (short rows: chunks)
  int log_turns;  ///< rows: in 2^log_turns shares, in turn with the others
  std::int64_t tiles;
  std::int64_t splits;
  bool by_output;       ///< whether a lane that joins splits has one output, rather than a vector
  int slices;           ///< a tile's splits are joined by as many blocks, if these draw work items,
  int slice_lanes;      ///< of so many lanes each; otherwise by the last block
  int blocks;           ///< of the grid
  bool draws;           ///< whether these draw work items; otherwise they take turns, of one each if there are splits
  bool copies_vectors;  ///< whether lanes copy 16 bytes of neighbouring outputs to shared memory for one another
  int matrix_tiles;     ///< tiles of a matrix, if it has several, the last of which ends with it; otherwise 0
  int matrix_outputs;   ///< and its outputs

  /// Whether blocks wait for the splits that others have.
  __host__ __device__ bool waits() const { return draws && splits > 1; }
  __host__ __device__ std::int64_t work_items() const { return tiles * splits; }
  __host__ __device__ std::int64_t split_items() const { return std::int64_t{groups} << log_rows; }
  /// The first output, or vector of outputs, of a tile.
  __host__ __device__ std::int64_t first_of(std::int64_t tile) const {
    if (matrix_tiles == 0) return tile * lanes;
    return tile / matrix_tiles * matrix_outputs + tile % matrix_tiles * lanes;
  }
  /// How many a tile has. (Where tiles take no heed of matrices, the last one may have fewer.)
  __host__ __device__ int lanes_of(std::int64_t tile) const {
    if (matrix_tiles == 0) return lanes;
    return least_of(lanes, matrix_outputs - static_cast<int>(tile % matrix_tiles) * lanes);
  }
  /// Work item `number`, where outputs have `items` items. Neighbouring ones are tiles of one split, as far as there
  /// are several. Where there are, deal_splits makes at most max_work_items, which are divided by 32-bit numbers.
  __device__ work_item item_at(std::int64_t number, std::int64_t items) const {
    const std::int64_t split = splits == 1 ? 0 : static_cast<unsigned>(number) / static_cast<unsigned>(tiles),
                       first = split * split_items();
    return {number - split * tiles, split, first,
            number < work_items() ? least_of(first + split_items(), items) : first};
  }
};

using host_side::ceil_log2;

/// The most work items of blocks that share outputs, of which each leaves `partial_values` accumulators.
constexpr std::int64_t max_shared_work_items(std::int64_t partial_values, std::size_t accumulator_bytes) {
  const auto values = static_cast<std::int64_t>(partial_bytes(accumulator_bytes) / accumulator_bytes);
  return clamped<std::int64_t>(values / partial_values, 1, max_work_items);
}

inline int grid_of(std::int64_t work_items, int max_blocks) {
  const std::int64_t most = max_blocks > 0 ? max_blocks : 0x7FFFFFFF;
  return static_cast<int>(least_of(work_items, most));
}
/// The most blocks of a grid of which each waits for others, or has one work item.
inline int cooperating_blocks(int resident_blocks, int max_blocks) { return grid_of(resident_blocks, max_blocks); }

/// Splits the items of each tile: halves what a thread or warp folds, down to 2^log_least items, while the grid has at
/// most `most_work` work items.
inline void deal_splits(plan& plan, std::int64_t items, int log_least, std::int64_t most_work) {
  const auto splits = [&](int log_rows) { return host_side::divide_up(items, std::int64_t{plan.groups} << log_rows); };
  while (plan.log_rows > log_least && plan.tiles * splits(plan.log_rows - 1) <= most_work) --plan.log_rows;
  plan.splits = splits(plan.log_rows);
}

/// The most work items of `bytes` bytes of items, of at least `work_bytes` each, for a grid of `blocks` blocks.
constexpr std::int64_t most_drawn_work(std::int64_t bytes, int work_bytes, int blocks) {
  return greatest_of<std::int64_t>(bytes / work_bytes, least_of<std::int64_t>(blocks, bytes / least_work_bytes));
}
/// The grid of at most `blocks` blocks, which draw their work items if there are several for each. Slices have as many
/// lanes as `threads` threads can join at once. A lane has `vector` outputs while it folds; if `joins_singly`, it may
/// have one when it joins. `waits_soon`: blocks wait for the splits of others even if each has one work item.
inline void deal_drawn_work(plan& plan, std::int64_t blocks, int threads, int vector, bool joins_singly,
                            std::size_t accumulator_bytes, bool waits_soon = false) {
  plan.blocks = static_cast<int>(least_of(plan.work_items(), blocks));
  constexpr std::int64_t most_draws = std::int64_t{1} << 31;
  plan.draws = plan.work_items() <= most_draws &&
               ((waits_soon && plan.splits > 1) || plan.work_items() > (plan.splits > 1 ? 1 : 2) * plan.blocks);
  plan.by_output = vector == 1 || (joins_singly && plan.waits() && plan.splits >= threads * least_side_by_side);
  const int outputs = plan.by_output ? 1 : vector;
  const std::int64_t most_slices = plan.waits() ? greatest_of<std::int64_t>(plan.blocks / plan.tiles, 1) : 1,
                     lanes = std::int64_t{plan.lanes} * (vector / outputs),
                     least = threads * least_joined(outputs * accumulator_bytes) / plan.splits;
  plan.slice_lanes = static_cast<int>(least_of(greatest_of(least, host_side::divide_up(lanes, most_slices)), lanes));
  plan.slices = static_cast<int>(host_side::divide_up(lanes, plan.slice_lanes));
}

/// Threads of a block of the column kernels: whole warps.
inline int column_threads(const plan& plan, const kernel_policy& policy) {
  return static_cast<int>(host_side::divide_up(plan.lanes * plan.groups, warp_lanes) + policy.loads_ahead) * warp_lanes;
}

/// The plan of the column kernels for `columns` vectors of `vector` columns, of `rows` > 0 items each. A tile has as
/// many lanes, a multiple of `team`, as leave rows to the other threads of its block; rows are split among these, then
/// among blocks.
inline plan plan_columns(int multiprocessors, std::int64_t columns, int vector, std::int64_t rows,
                         std::size_t accumulator_bytes, const kernel_policy& policy, int max_blocks, int team = 1) {
  const auto bit_floor = [](int number) { return 1 << (std::bit_width(static_cast<unsigned>(number)) - 1); };
  int most_groups = 1 << least_of(ceil_log2(host_side::divide_up(rows, policy.batch_rows)), 10);
  // Blocks that join single outputs have a thread for each.
  if (!policy.loads_ahead && most_groups > 1) most_groups = greatest_of(most_groups, vector);
  const auto whole_lanes = static_cast<int>(least_of<std::int64_t>(whole_tile_bytes / policy.load_bytes / rows,
                                                                   policy.tile_lanes));  // of tiles that need no splits
  const bool needs_no_splits = whole_lanes >= least_tile_lanes && columns >= 4 * multiprocessors * whole_lanes;
  // Narrow tiles leave less to join, if each block has few of them, and none is partly empty.
  const std::int64_t most_narrow = std::int64_t{2} * multiprocessors * least_tile_lanes;
  const bool are_narrow = policy.has_narrow_tiles && columns % least_tile_lanes == 0 && columns <= most_narrow;
  const int split_lanes = are_narrow ? least_tile_lanes : policy.tile_lanes;
  const int most_lanes = needs_no_splits ? whole_lanes : greatest_of(policy.block_threads / most_groups, split_lanes);
  plan plan{};
  const std::int64_t least_tiles = host_side::divide_up(columns, most_lanes);
  for (const std::int64_t tiles : {least_tiles, least_tiles + (least_tiles > 1)}) {  // what leaves fewer threads idle
    const auto lanes = static_cast<int>(host_side::divide_up(host_side::divide_up(columns, tiles), team)) * team;
    const int groups = least_of(bit_floor(policy.block_threads / lanes), most_groups);
    if (lanes * groups > plan.lanes * plan.groups) plan.lanes = lanes, plan.groups = groups;
  }
  plan.tiles = host_side::divide_up(columns, plan.lanes);
  // Narrow tiles are also taken if they keep many more threads busy. (On an H200, means of 2^26 floats in 300 columns
  // take 91 us by tiles of 25 lanes, 83 by tiles of 16.)
  const std::int64_t narrow_tiles = host_side::divide_up(columns, least_tile_lanes);
  const int narrow_groups = least_of(bit_floor(policy.block_threads / least_tile_lanes), most_groups);
  if (policy.has_narrow_tiles && !needs_no_splits && plan.tiles > 1 && columns <= most_narrow &&
      10 * narrow_groups * plan.tiles > 11 * plan.groups * narrow_tiles)
    plan.lanes = least_tile_lanes, plan.groups = narrow_groups, plan.tiles = narrow_tiles;
  // Whole warps copy for one another with fewer instructions.
  const int whole = static_cast<int>(host_side::divide_up(plan.lanes, warp_lanes)) * warp_lanes;
  if (team > 1 && plan.tiles > 1 && whole * plan.groups <= policy.block_threads &&
      host_side::divide_up(columns, whole) == plan.tiles)
    plan.lanes = whole;
  plan.log_rows = ceil_log2(host_side::divide_up(rows, plan.groups));
  const int resident = policy.resident_threads / column_threads(plan, policy);
  const int blocks = cooperating_blocks(multiprocessors * resident, max_blocks);
  deal_splits(plan, rows, ceil_log2(policy.batch_rows),
              needs_no_splits
                  ? 0
                  : least_of(most_drawn_work(columns * rows * policy.load_bytes, policy.work_bytes / resident, blocks),
                             max_shared_work_items(std::int64_t{plan.lanes} * vector, accumulator_bytes)));
  deal_drawn_work(plan, blocks, plan.lanes * plan.groups, vector, policy.has_narrow_tiles, accumulator_bytes,
                  plan.splits >= std::int64_t{least_shared_splits} * plan.groups);
  return plan;
}

/// The plan of the kernel for few items, for `outputs` vectors, of which a thread takes `vectors`.
inline plan plan_few_items(std::int64_t outputs, int vectors, int max_blocks) {
  plan plan{};
  plan.tiles = host_side::divide_up(outputs, std::int64_t{few_items_threads} * vectors);
  plan.splits = 1;
  plan.blocks = grid_of(plan.tiles, max_blocks);
  return plan;
}

/// Whether `all` threads (or warps), of which the device holds `resident` at once, keep it busy for most of the time:
/// the last wave need not be full, since `busy` threads are as fast as all.
constexpr bool keeps_busy(std::int64_t all, std::int64_t resident, std::int64_t busy,
                          int percent = least_busy_percent) {
  const std::int64_t last = all % resident,
                     missing = last > 0 ? greatest_of(least_of(busy, resident) - last, std::int64_t{0}) : 0;
  return all >= missing * percent / (100 - percent);
}

/// The plan for `columns` vectors of `rows` items, which single threads of blocks of `threads` fold.
inline plan plan_whole_columns(std::int64_t columns, std::int64_t rows, int threads, int max_blocks) {
  plan plan{};
  plan.lanes = threads;
  plan.groups = 1;
  plan.log_rows = ceil_log2(rows);
  plan.tiles = host_side::divide_up(columns, threads);
  plan.splits = 1;
  plan.blocks = grid_of(plan.tiles, max_blocks);
  return plan;
}

/// The plan of the narrow kernel for `matrices` of `columns` columns and `rows` rows each. Each block has rows of one
/// matrix at a time.
inline plan plan_narrow(int max_resident_blocks, std::int64_t matrices, int columns, std::int64_t rows,
                        std::size_t item_bytes, std::size_t accumulator_bytes, const narrow_policy& policy,
                        int max_blocks) {
  const int log_batch = ceil_log2(policy.batch_rows()), blocks = cooperating_blocks(max_resident_blocks, max_blocks);
  plan plan{};
  plan.lanes = columns;
  plan.groups = policy.block_threads / warp_lanes;
  plan.tiles = matrices;
  plan.log_rows = greatest_of(ceil_log2(host_side::divide_up(rows, plan.groups)), log_batch);
  deal_splits(plan, rows, log_batch,
              least_of(most_drawn_work(matrices * columns * rows * static_cast<std::int64_t>(item_bytes),
                                       light_work_bytes / policy.blocks_per_multiprocessor, blocks),
                       max_shared_work_items(plan.lanes, accumulator_bytes)));
  deal_drawn_work(plan, blocks, policy.block_threads, 1, true, accumulator_bytes);
  return plan;
}

/// The matrices of a tile.
struct tile_shape {
  int columns, pitch;  ///< of a matrix; items from a row to the next one
  int rows;
  int matrices;  ///< of a tile, one after another
  std::int64_t total_matrices;
  thread::fast_divisor by_columns;
};
struct tile_plan {
  plan grid;
  tile_shape tile;
};

/// The plan of the tile kernel for a shape that has_narrow_matrices, if tiles hold whole matrices and are mostly full.
inline std::optional<tile_plan> plan_tiles(int max_resident_blocks, const shape& given, const tile_policy& policy,
                                           int max_blocks) {
  const axis_list::axis& inner = given.kept.inner();
  const std::int64_t pitch = given.reduced.inner().in_stride, rows = given.reduced_items, matrix = rows * pitch,
                     matrices = given.outputs / inner.extent;
  if (rows > policy.tile_items / pitch) return std::nullopt;
  const bool are_adjacent = given.kept.rank == 2 && given.kept.axes[0].in_stride == matrix;
  if (!are_adjacent && matrices > 1 && 4 * matrix < policy.tile_items) return std::nullopt;
  tile_plan plan{};
  plan.tile = {static_cast<int>(inner.extent),
               static_cast<int>(pitch),
               static_cast<int>(rows),
               are_adjacent ? static_cast<int>(least_of(policy.tile_items / matrix, matrices)) : 1,
               matrices,
               thread::fast_divisor(inner.extent)};
  plan.grid.tiles = host_side::divide_up(matrices, plan.tile.matrices);
  plan.grid.splits = 1;
  plan.grid.blocks = grid_of(least_of<std::int64_t>(plan.grid.tiles, max_resident_blocks), max_blocks);
  return plan;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
