// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of reductions over axes: pure functions of the shape and the device, testable without a GPU.
#pragma once
#include <optional>
#include <warpfold/axes/policy.hpp>
#include <warpfold/axes/schedule.hpp>
#include <warpfold/axes/shape.hpp>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/thread/fast_divisor.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

constexpr int ceil_log2(std::int64_t number) {
  return number <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(number - 1)));
}

/// Which kernel takes a shape, and how it reads.
enum class kernel_kind { columns, whole_columns, few_items, rows, short_rows, narrow, tiles };
struct kernel_choice {
  kernel_kind kind;
  int vector;       ///< items that a thread reads at once
  bool is_aligned;  ///< whether these are vectors; of narrow matrices, whether these begin at multiples of 16 bytes
};

/// Whether vectors of `vector` items along the axis `inner` of `given`, which has stride 1, are aligned.
inline bool has_vectors(const shape& given, const axis_list::axis& inner, std::uintptr_t address, int vector,
                        std::size_t item_bytes) {
  const auto are_aligned = [&](const axis_list& list) {
    return std::all_of(list.axes, list.axes + list.rank, [&](const axis_list::axis& axis) {
      return &axis == &inner || axis.extent == 1 || axis.in_stride % vector == 0;
    });
  };
  return inner.in_stride == 1 && address % (static_cast<std::size_t>(vector) * item_bytes) == 0 &&
         are_aligned(given.kept) && are_aligned(given.reduced);
}

/// Whether each output column is one of a matrix of few columns, whose rows are adjacent or nearly so.
inline bool has_narrow_matrices(const shape& given) {
  const axis_list::axis &kept = given.kept.inner(), &reduced = given.reduced.inner();
  return given.reduced.rank == 1 && given.reduced_items > 1 && kept.in_stride == 1 && kept.extent <= max_tile_columns &&
         kept.extent <= reduced.in_stride && 2 * reduced.in_stride <= 3 * kept.extent && given.outputs > 1;
}

/// Whether rows are adjacent and as short as the narrow kernel wants them, and there are enough of them for a block.
inline bool has_long_narrow_matrices(const shape& given) {
  const axis_list::axis& kept = given.kept.inner();
  return has_narrow_matrices(given) && kept.extent <= max_narrow_columns && kept.extent > 1 &&
         given.reduced.inner().in_stride == kept.extent &&
         (given.kept.rank == 1 || given.reduced_items >= min_narrow_rows);
}

/// Whether matrices of `kept` columns, the first at `address`, begin at multiples of 16 bytes.
inline bool are_whole_vectors_apart(const axis_list& kept, std::uintptr_t address, std::int64_t item_bytes) {
  return address % 16 == 0 && std::all_of(kept.axes, kept.axes + kept.rank - 1, [&](const axis_list::axis& axis) {
           return axis.in_stride * item_bytes % 16 == 0;
         });
}

/// Chooses by what lies closest together: items of an output, or items of neighbouring outputs. `address` is that of
/// the first item; `column_vector` and `row_chunk` are the most items that the kernels read at once.
inline kernel_choice choose_kernel(const shape& given, std::uintptr_t address, std::size_t item_bytes,
                                   std::size_t accumulator_bytes, int column_vector, int row_chunk) {
  const axis_list::axis &kept = given.kept.inner(), &reduced = given.reduced.inner();
  const std::int64_t step = std::abs(reduced.in_stride), bytes = static_cast<std::int64_t>(item_bytes);
  const bool is_tiny_run = given.reduced.rank > 1 && reduced.extent * step * bytes < sector_bytes &&
                           kept.in_stride * bytes <= 2 * sector_bytes;
  const bool by_rows = given.outputs == 1 || (step < kept.in_stride && !is_tiny_run);
  if (given.reduced_items == 1 || !by_rows) {
    const bool fits = kept.extent % column_vector == 0 && has_vectors(given, kept, address, column_vector, item_bytes);
    const int vector = fits ? column_vector : 1;
    if (kept.extent * bytes >= 2 * sector_bytes) {
      const std::int64_t items = given.reduced_items;
      if (items <= most_few_items(std::max(item_bytes, accumulator_bytes)))
        return {kernel_kind::few_items, vector, true};
      if (items <= whole_column_items && items % few_items != 0 && given.outputs / vector >= many_columns)
        return {kernel_kind::whole_columns, vector, true};
    }
    if (has_long_narrow_matrices(given))
      return {kernel_kind::narrow, vector, are_whole_vectors_apart(given.kept, address, bytes)};
    if (has_narrow_matrices(given) && kept.extent * bytes < 2 * sector_bytes) return {kernel_kind::tiles, vector, true};
    return {kernel_kind::columns, vector, true};
  }
  const bool are_whole = reduced.extent % row_chunk == 0 || given.reduced.rank == 1;
  const bool is_aligned = are_whole && has_vectors(given, reduced, address, row_chunk, item_bytes);
  const int chunk = is_aligned || (given.reduced.rank == 1 && reduced.in_stride == 1) ? row_chunk : 1;
  return {given.reduced_items <= warp_lanes * chunk ? kernel_kind::short_rows : kernel_kind::rows, chunk,
          is_aligned || chunk == 1};
}

/// The most work items of blocks that share outputs, of which each leaves `partial_values` accumulators.
constexpr std::int64_t max_shared_work_items(std::int64_t partial_values, std::size_t accumulator_bytes) {
  const auto values = static_cast<std::int64_t>(partial_bytes(accumulator_bytes) / accumulator_bytes);
  return std::clamp<std::int64_t>(values / partial_values, 1, max_work_items);
}

inline int grid_of(std::int64_t work_items, int max_blocks) {
  const std::int64_t most = max_blocks > 0 ? max_blocks : 0x7FFFFFFF;
  return static_cast<int>(std::min(work_items, most));
}
/// The most blocks of a grid of which each waits for others, or has one work item.
inline int cooperating_blocks(int resident_blocks, int max_blocks) { return grid_of(resident_blocks, max_blocks); }

/// Splits the items of each tile: halves what a thread or warp folds, down to 2^log_least items, while the grid has at
/// most `most_work` work items.
inline void deal_splits(schedule& plan, std::int64_t items, int log_least, std::int64_t most_work) {
  const auto splits = [&](int log_rows) { return host::divide_up(items, std::int64_t{plan.groups} << log_rows); };
  while (plan.log_rows > log_least && plan.tiles * splits(plan.log_rows - 1) <= most_work) --plan.log_rows;
  plan.splits = splits(plan.log_rows);
}

/// The most work items of `bytes` bytes of items, of at least `work_bytes` each, for a grid of `blocks` blocks.
constexpr std::int64_t most_drawn_work(std::int64_t bytes, int work_bytes, int blocks) {
  return std::max<std::int64_t>(bytes / work_bytes, std::min<std::int64_t>(blocks, bytes / least_work_bytes));
}
/// The grid of at most `blocks` blocks, which draw their work items if there are several for each. Slices have as many
/// lanes as `threads` threads can join at once. A lane has `vector` outputs while it folds; if `joins_singly`, it may
/// have one when it joins.
inline void deal_drawn_work(schedule& plan, std::int64_t blocks, int threads, int vector, bool joins_singly,
                            std::size_t accumulator_bytes) {
  plan.blocks = static_cast<int>(std::min(plan.work_items(), blocks));
  constexpr std::int64_t most_draws = std::int64_t{1} << 31;
  plan.draws = plan.work_items() > (plan.splits > 1 ? 1 : 2) * plan.blocks && plan.work_items() <= most_draws;
  plan.by_output = vector == 1 || (joins_singly && plan.waits() && plan.splits >= threads * least_side_by_side);
  const int outputs = plan.by_output ? 1 : vector;
  const std::int64_t most_slices = plan.waits() ? std::max<std::int64_t>(plan.blocks / plan.tiles, 1) : 1,
                     lanes = std::int64_t{plan.lanes} * (vector / outputs),
                     least = threads * least_joined(outputs * accumulator_bytes) / plan.splits;
  plan.slice_lanes = static_cast<int>(std::min(std::max(least, host::divide_up(lanes, most_slices)), lanes));
  plan.slices = static_cast<int>(host::divide_up(lanes, plan.slice_lanes));
}

/// Threads of a block of the column kernels: whole warps.
inline int column_threads(const schedule& plan, const kernel_policy& policy) {
  return static_cast<int>(host::divide_up(plan.lanes * plan.groups, warp_lanes) + policy.loads_ahead) * warp_lanes;
}

/// The plan of the column kernels for `columns` vectors of `vector` columns, of `rows` > 0 items each. A tile has as
/// many lanes as leave rows to the other threads of its block; rows are split among these, then among blocks.
inline schedule plan_columns(int multiprocessors, std::int64_t columns, int vector, std::int64_t rows,
                             std::size_t accumulator_bytes, const kernel_policy& policy, int max_blocks) {
  const auto bit_floor = [](int number) { return 1 << (std::bit_width(static_cast<unsigned>(number)) - 1); };
  const int most_groups = 1 << std::min(ceil_log2(host::divide_up(rows, policy.batch_rows)), 10);
  const auto whole_lanes = static_cast<int>(std::min<std::int64_t>(whole_tile_bytes / policy.load_bytes / rows,
                                                                   policy.tile_lanes));  // of tiles that need no splits
  const bool needs_no_splits = whole_lanes >= least_tile_lanes && columns >= 4 * multiprocessors * whole_lanes;
  // Narrow tiles leave less to join, if each block has few of them, and none is partly empty.
  const bool are_narrow = policy.has_narrow_tiles && columns % least_tile_lanes == 0 &&
                          columns <= std::int64_t{2} * multiprocessors * least_tile_lanes;
  const int split_lanes = are_narrow ? least_tile_lanes : policy.tile_lanes;
  const int most_lanes = needs_no_splits ? whole_lanes : std::max(policy.block_threads / most_groups, split_lanes);
  schedule plan{};
  const std::int64_t least_tiles = host::divide_up(columns, most_lanes);
  for (const std::int64_t tiles : {least_tiles, least_tiles + (least_tiles > 1)}) {  // what leaves fewer threads idle
    const auto lanes = static_cast<int>(host::divide_up(columns, tiles));
    const int groups = std::min(bit_floor(policy.block_threads / lanes), most_groups);
    if (lanes * groups > plan.lanes * plan.groups) plan.lanes = lanes, plan.groups = groups;
  }
  plan.tiles = host::divide_up(columns, plan.lanes);
  plan.log_rows = ceil_log2(host::divide_up(rows, plan.groups));
  const int resident = policy.resident_threads / column_threads(plan, policy);
  const int blocks = cooperating_blocks(multiprocessors * resident, max_blocks);
  deal_splits(plan, rows, ceil_log2(policy.batch_rows),
              needs_no_splits
                  ? 0
                  : std::min(most_drawn_work(columns * rows * policy.load_bytes, policy.work_bytes / resident, blocks),
                             max_shared_work_items(std::int64_t{plan.lanes} * vector, accumulator_bytes)));
  deal_drawn_work(plan, blocks, plan.lanes * plan.groups, vector, policy.has_narrow_tiles, accumulator_bytes);
  return plan;
}

/// The plan of the kernel for few items, for `outputs` vectors, of which a thread takes `vectors`.
inline schedule plan_few_items(std::int64_t outputs, int vectors, int max_blocks) {
  schedule plan{};
  plan.tiles = host::divide_up(outputs, std::int64_t{few_items_threads} * vectors);
  plan.splits = 1;
  plan.blocks = grid_of(plan.tiles, max_blocks);
  return plan;
}

/// The plan for `columns` vectors of `rows` items, which single threads of blocks of `threads` fold.
inline schedule plan_whole_columns(std::int64_t columns, std::int64_t rows, int threads, int max_blocks) {
  schedule plan{};
  plan.lanes = threads;
  plan.groups = 1;
  plan.log_rows = ceil_log2(rows);
  plan.tiles = host::divide_up(columns, threads);
  plan.splits = 1;
  plan.blocks = grid_of(plan.tiles, max_blocks);
  return plan;
}

/// The plan of the row kernel for `outputs` of `items` > 0 items each. Items are split among warps if there is a batch
/// for each, then among blocks, until there is work for all.
inline schedule plan_rows(int max_resident_blocks, std::int64_t outputs, std::int64_t items,
                          std::size_t accumulator_bytes, const row_policy& policy, int max_blocks) {
  const int log_warps = ceil_log2(policy.block_threads / warp_lanes), log_batch = ceil_log2(policy.batch_items());
  const int log_groups = std::min(ceil_log2(host::divide_up(items, policy.batch_items())), log_warps);
  schedule plan{};
  const int log_lanes = std::min(ceil_log2(outputs), log_warps - log_groups);
  plan.lanes = 1 << log_lanes;
  plan.groups = 1 << (log_warps - log_lanes);
  plan.tiles = host::divide_up(outputs, plan.lanes);
  plan.log_rows = std::max(ceil_log2(host::divide_up(items, plan.groups)), log_batch);
  deal_splits(plan, items, log_batch,
              std::min<std::int64_t>(cooperating_blocks(max_resident_blocks, max_blocks),
                                     max_shared_work_items(plan.lanes, accumulator_bytes)));
  plan.by_output = true;
  plan.slices = 1;
  plan.slice_lanes = plan.lanes;
  plan.blocks = grid_of(plan.work_items(), max_blocks);
  return plan;
}

/// The plan of the narrow kernel for `matrices` of `columns` columns and `rows` rows each. Each block has rows of one
/// matrix at a time.
inline schedule plan_narrow(int max_resident_blocks, std::int64_t matrices, int columns, std::int64_t rows,
                            std::size_t item_bytes, std::size_t accumulator_bytes, const narrow_policy& policy,
                            int max_blocks) {
  const int log_batch = ceil_log2(policy.batch_rows()), blocks = cooperating_blocks(max_resident_blocks, max_blocks);
  schedule plan{};
  plan.lanes = columns;
  plan.groups = policy.block_threads / warp_lanes;
  plan.tiles = matrices;
  plan.log_rows = std::max(ceil_log2(host::divide_up(rows, plan.groups)), log_batch);
  deal_splits(plan, rows, log_batch,
              std::min(most_drawn_work(matrices * columns * rows * static_cast<std::int64_t>(item_bytes),
                                       light_work_bytes / policy.blocks_per_multiprocessor, blocks),
                       max_shared_work_items(plan.lanes, accumulator_bytes)));
  deal_drawn_work(plan, blocks, policy.block_threads, 1, true, accumulator_bytes);
  return plan;
}

/// The plan of the short-row kernel: items are at most 32 chunks, of which a lane takes 2^log_rows.
inline schedule plan_short_rows(std::int64_t outputs, std::int64_t items, const row_policy& policy, int max_blocks) {
  schedule plan{};
  const std::int64_t chunks = host::divide_up(items, policy.chunk_items);
  plan.log_rows = std::min(ceil_log2(chunks), ceil_log2(policy.short_chunks));
  plan.lanes = 1 << (ceil_log2(chunks) - plan.log_rows);
  plan.groups = policy.block_threads / plan.lanes;
  const int lane_outputs = policy.short_chunks >> plan.log_rows;
  plan.tiles = host::divide_up(outputs, std::int64_t{plan.groups} * lane_outputs);
  plan.splits = 1;
  plan.blocks = grid_of(plan.tiles, max_blocks);
  return plan;
}

/// What a tile of small matrices holds.
struct tile_shape {
  int columns, pitch;  ///< of a matrix; items from a row to the next one
  int rows;
  int matrices;  ///< of a tile, one after another
  std::int64_t total_matrices;
  thread::fast_divisor by_columns;
};
struct tile_plan {
  schedule grid;
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
               are_adjacent ? static_cast<int>(std::min(policy.tile_items / matrix, matrices)) : 1,
               matrices,
               thread::fast_divisor(inner.extent)};
  plan.grid.tiles = host::divide_up(matrices, plan.tile.matrices);
  plan.grid.splits = 1;
  plan.grid.blocks = grid_of(std::min<std::int64_t>(plan.grid.tiles, max_resident_blocks), max_blocks);
  return plan;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
