// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of the kernel that brings rows through stages in shared memory.
#pragma once
#include <warpfold/axes/choice.hpp>
#include <warpfold/axes/plan.hpp>
#include <warpfold/axes/staged_policy.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Whether columns may be staged: those that a thread would load one by one; if it `prefers` stages to vectors, all.
inline bool may_be_staged(const kernel_choice& choice, bool prefers = false) {
  return (choice.kind == kernel_kind::columns || choice.kind == kernel_kind::tiles) && (prefers || choice.vector == 1);
}

/// The layout of the stages in shared memory. Rows keep their distances from boundaries of 16 bytes.
struct stage_shape {
  int pitch;        ///< items from a row to the next one, in memory
  int row_bytes;    ///< the same in a stage, in bytes
  bool by_rows;     ///< whether each row is copied alone; otherwise those of a row group at once
  int log_rows;     ///< a stage has 2^log_rows rows of a row group
  int group_bytes;  ///< from a row group to the next one
  int stages;
  int threads;  ///< of a block that fold

  __host__ __device__ int rows() const { return 1 << log_rows; }
  /// Where the rows of a row group of `groups` lie in stage number `stage`.
  __host__ __device__ int offset(int stage, int groups, int group) const {
    return (stage * groups + group) * group_bytes;
  }
};
struct staged_plan {
  plan grid;
  stage_shape stage;
};

/// As many row groups of `lanes` columns as `threads` threads can fold.
inline int staged_groups(const staged_policy& policy, int threads, int lanes) {
  return least_of(1 << (std::bit_width(static_cast<unsigned>(threads / lanes)) - 1), policy.max_groups);
}
inline stage_threads stage_threads_for(const staged_policy& policy, int lanes) {
  const bool fill =
      lanes <= policy.few.threads && lanes * staged_groups(policy, policy.few.threads, lanes) >= least_few_threads;
  return fill ? policy.few : policy.many;
}

/// The plan of the staged kernel, if it takes the shape: matrices whose rows fill a stage, if there is enough to read.
/// Rows that are adjacent, or nearly so, are copied at once; if they are long, or far apart, one by one, where that may
/// be. Each block has rows of one tile at a time: of all columns of a matrix, or of as many as threads can fold.
inline std::optional<staged_plan> plan_staged_columns(int multiprocessors, const shape& given, std::size_t item_bytes,
                                                      std::size_t accumulator_bytes, const staged_policy& policy,
                                                      int max_blocks) {
  const axis_list::axis &kept = given.kept.inner(), &reduced = given.reduced.inner();
  const std::int64_t rows = given.reduced_items;
  const bool by_rows = kept.extent > policy.max_columns() || 2 * reduced.in_stride > 3 * kept.extent;
  if (kept.extent < min_staged_columns || kept.in_stride != 1 || given.reduced.rank != 1 ||
      reduced.in_stride < kept.extent || reduced.in_stride > most_staged_pitch)
    return std::nullopt;
  staged_plan plan{};
  auto& grid = plan.grid;
  const auto bytes = static_cast<int>(item_bytes);
  const std::int64_t tiles = host_side::divide_up(kept.extent, policy.max_columns());
  grid.lanes = static_cast<int>(host_side::divide_up(kept.extent, tiles));
  if (tiles > 1) grid.matrix_tiles = static_cast<int>(tiles), grid.matrix_outputs = static_cast<int>(kept.extent);
  const int lane_bytes = grid.lanes * bytes;
  if (by_rows && lane_bytes < least_row_bytes) return std::nullopt;
  if (given.outputs * rows * bytes < least_staged_bytes) return std::nullopt;
  auto& stage = plan.stage;
  stage.pitch = static_cast<int>(reduced.in_stride);
  stage.by_rows = by_rows;
  stage.row_bytes = stage.pitch * bytes;
  if (by_rows) {
    const int least = lane_bytes + 2 * 15;  // the vectors around neighbouring rows do not meet
    stage.row_bytes = least + ((stage.row_bytes - least) & 15);
  }
  // If it `halves`, padded rows have fewer row groups rather than no room for the stages.
  const auto fits = [&](const stage_threads& block, bool halves) {
    grid.groups = staged_groups(policy, block.threads, grid.lanes);
    stage.threads = block.threads;
    stage.log_rows = ceil_log2(block.rows);
    // Row groups of a warp lie in different banks.
    stage.group_bytes = stage.rows() * stage.row_bytes + (lane_bytes + 15) / 16 * 16;
    while (halves && grid.groups > 1 && least_stages * grid.groups * stage.group_bytes > policy.shared_bytes)
      grid.groups /= 2;
    const int stage_bytes = grid.groups * stage.group_bytes;
    stage.stages = clamped(policy.usual_shared_bytes / stage_bytes, least_stages, policy.max_stages);
    return stage.stages * stage_bytes <= policy.shared_bytes && rows >= std::int64_t{grid.groups} * block.rows;
  };
  if (!fits(stage_threads_for(policy, grid.lanes), false) && !fits(policy.many, true)) return std::nullopt;
  grid.tiles = given.outputs / kept.extent * tiles;
  grid.log_rows = greatest_of(ceil_log2(host_side::divide_up(rows, grid.groups)), stage.log_rows);
  const int blocks = cooperating_blocks(multiprocessors, max_blocks);
  deal_splits(grid, rows, stage.log_rows,
              least_of(most_drawn_work(given.outputs * rows * bytes, light_work_bytes, blocks),
                       max_shared_work_items(grid.lanes, accumulator_bytes)));
  deal_drawn_work(grid, blocks, stage.threads, 1, true, accumulator_bytes, true);
  return plan;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
