// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of the kernel that brings rows through stages in shared memory.
#pragma once
#include <warpfold/axes/choice.hpp>
#include <warpfold/axes/plan.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Whether columns may be staged: those that a thread would load one by one; if it `prefers` stages to vectors, all.
inline bool may_be_staged(const kernel_choice& choice, bool prefers = false) {
  return (choice.kind == kernel_kind::columns || choice.kind == kernel_kind::tiles) && (prefers || choice.vector == 1);
}

/// The layout of the stages in shared memory.
struct stage_shape {
  int pitch;        ///< items from a row to the next one
  int group_bytes;  ///< from a row group to the next one
  int stages;

  /// Where the rows of a row group of `groups` lie in stage number `stage`.
  __host__ __device__ int offset(int stage, int groups, int group) const {
    return (stage * groups + group) * group_bytes;
  }
};
struct staged_plan {
  plan grid;
  stage_shape stage;
};

/// The plan of the staged kernel, if it takes the shape: matrices of some columns, whose rows are adjacent, or nearly
/// so, and fill a stage, if there is enough to read. Each block has rows of one matrix at a time.
inline std::optional<staged_plan> plan_staged_columns(int multiprocessors, const shape& given, std::size_t item_bytes,
                                                      std::size_t accumulator_bytes, const staged_policy& policy,
                                                      int max_blocks) {
  const axis_list::axis &kept = given.kept.inner(), &reduced = given.reduced.inner();
  const std::int64_t rows = given.reduced_items;
  if (kept.extent < min_staged_columns || kept.extent > policy.max_columns || kept.in_stride != 1 ||
      given.reduced.rank != 1 || reduced.in_stride < kept.extent || 2 * reduced.in_stride > 3 * kept.extent)
    return std::nullopt;
  staged_plan plan{};
  auto& grid = plan.grid;
  const auto bytes = static_cast<int>(item_bytes);
  grid.lanes = static_cast<int>(kept.extent);
  grid.groups =
      least_of(1 << (std::bit_width(static_cast<unsigned>(policy.block_threads / grid.lanes)) - 1), policy.max_groups);
  if (rows < std::int64_t{grid.groups} * policy.stage_rows || given.outputs * rows * bytes < least_staged_bytes)
    return std::nullopt;
  // Row groups of a warp lie in different banks.
  plan.stage.pitch = static_cast<int>(reduced.in_stride);
  plan.stage.group_bytes = policy.stage_rows * plan.stage.pitch * bytes + (grid.lanes * bytes + 15) / 16 * 16;
  plan.stage.stages = least_of(policy.shared_bytes / (grid.groups * plan.stage.group_bytes), policy.max_stages);
  if (plan.stage.stages < 3) return std::nullopt;
  grid.tiles = given.outputs / kept.extent;
  grid.log_rows = greatest_of(ceil_log2(host_side::divide_up(rows, grid.groups)), ceil_log2(policy.stage_rows));
  const int blocks = cooperating_blocks(multiprocessors, max_blocks);
  deal_splits(grid, rows, ceil_log2(policy.stage_rows),
              least_of(most_drawn_work(given.outputs * rows * bytes, light_work_bytes, blocks),
                       max_shared_work_items(grid.lanes, accumulator_bytes)));
  deal_drawn_work(grid, blocks, policy.block_threads, 1, true, accumulator_bytes, true);
  return plan;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
