// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of reductions over axes: pure functions of the shape and the device, testable without a GPU.
#pragma once
#include <warpfold/axes/policy.hpp>
#include <warpfold/axes/shape.hpp>
#include <warpfold/host/divide_up.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// How outputs and their items are dealt to blocks. A work item is a tile of outputs and a split of their items, a node
/// of each output's canonical tree.
struct schedule {
  int log_lanes;             ///< a tile is 2^log_lanes outputs, or vectors of outputs
  int log_rows;              ///< a thread (rows: a warp) folds up to 2^log_rows items of an output
  std::int64_t tiles;
  std::int64_t splits;
  int blocks;                ///< of the grid; they take work items in turns

  __host__ __device__ std::int64_t work_items() const { return tiles * splits; }
  /// Groups of splits that are joined at once, and a counter for the groups.
  __host__ __device__ std::int64_t counters_per_tile() const { return (splits - 1) / splits_per_group + 2; }
};

constexpr int ceil_log2(std::int64_t number) {
  return number <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(number - 1)));
}

/// The most work items of blocks that share outputs, of which each leaves `partial_values` accumulators.
constexpr std::int64_t max_shared_work_items(std::int64_t partial_values, std::size_t accumulator_bytes) {
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(partial_bytes / accumulator_bytes) / partial_values, 1, max_work_items);
}

inline int grid_of(std::int64_t work_items, int max_blocks) {
  const std::int64_t most = max_blocks > 0 ? max_blocks : 0x7FFFFFFF;
  return static_cast<int>(std::min(work_items, most));
}

/// The plan of the column kernel for `columns` vectors of `vector` columns, of `rows` > 0 items each. A tile is as wide
/// as its threads leave rows to the other threads of the block; rows are split among threads, then among blocks, until
/// there is work for all.
inline schedule plan_columns(int max_resident_blocks, std::int64_t columns, int vector, std::int64_t rows,
                             std::size_t accumulator_bytes, const kernel_policy& policy, int max_blocks) {
  const int log_threads = ceil_log2(policy.block_threads), log_batch = ceil_log2(policy.batch_rows);
  const int log_groups = std::min(ceil_log2(host::divide_up(rows, policy.batch_rows)), log_threads - 5);
  schedule plan{};
  plan.log_lanes = std::min(ceil_log2(columns), log_threads - log_groups);
  const std::int64_t row_groups = std::int64_t{1} << (log_threads - plan.log_lanes);
  plan.tiles = host::divide_up(columns, std::int64_t{1} << plan.log_lanes);
  plan.log_rows = ceil_log2(host::divide_up(rows, row_groups));
  const auto splits = [&] { return host::divide_up(rows, row_groups << plan.log_rows); };
  const std::int64_t wanted =
      std::min<std::int64_t>(std::int64_t{waves} * max_resident_blocks,
                             max_shared_work_items((std::int64_t{1} << plan.log_lanes) * vector, accumulator_bytes));
  while (plan.log_rows > log_batch && 2 * plan.tiles * splits() <= wanted) --plan.log_rows;
  plan.splits = splits();
  plan.blocks = grid_of(plan.work_items(), max_blocks);
  return plan;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
