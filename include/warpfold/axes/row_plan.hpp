// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plans of the kernels for rows, whose outputs and items are dealt to warps.
#pragma once
#include <warpfold/axes/plan.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Rows: makes shares as small as the block has places for their nodes, if its warps take turns, and sets the grid.
inline void finish_row_plan(plan& plan, std::int64_t items, const row_policy& policy, int max_blocks) {
  if (policy.takes_turns && plan.splits == 1 && plan.groups > 1) {
    const std::int64_t most_shares = policy.block_threads / plan.lanes;
    plan.log_turns = plan.log_rows -
                     greatest_of(ceil_log2(policy.batch_items()), ceil_log2(host_side::divide_up(items, most_shares)));
  }
  plan.by_output = true;
  plan.slices = 1;
  plan.slice_lanes = plan.lanes;
  plan.blocks = grid_of(plan.work_items(), max_blocks);
}

/// The plan of the row kernel for `outputs` of `items` > 0 items each. Items are split among warps if there is a batch
/// for each, but no more than keeps all warps busy, unless outputs are long; then among blocks, until there is work for
/// all. Where there are no splits, warps take turns, so that none has much less to do than others.
inline plan plan_rows(int max_resident_blocks, std::int64_t outputs, std::int64_t items, std::size_t accumulator_bytes,
                      const row_policy& policy, int max_blocks) {
  const int log_warps = ceil_log2(policy.block_threads / warp_lanes), log_batch = ceil_log2(policy.batch_items());
  const std::int64_t batches = host_side::divide_up(items, policy.batch_items()),
                     warps = std::int64_t{max_resident_blocks} << log_warps;
  int log_groups = least_of(ceil_log2(batches), log_warps);
  const auto is_enough = [&](int log) {
    const std::int64_t share = batches >> log;
    return share <= most_lone_batches && keeps_busy(outputs << log, warps, warps / 2,
                                                    share > few_lone_batches ? least_lone_percent : least_busy_percent);
  };
  while (log_groups > 0 && is_enough(log_groups - 1)) --log_groups;
  plan plan{};
  const int log_lanes = least_of(ceil_log2(outputs), log_warps - log_groups);
  plan.lanes = 1 << log_lanes;
  plan.groups = 1 << (log_warps - log_lanes);
  plan.tiles = host_side::divide_up(outputs, plan.lanes);
  plan.log_rows = greatest_of(ceil_log2(host_side::divide_up(items, plan.groups)), log_batch);
  deal_splits(plan, items, log_batch,
              least_of<std::int64_t>(cooperating_blocks(max_resident_blocks, max_blocks),
                                     max_shared_work_items(plan.lanes, accumulator_bytes)));
  finish_row_plan(plan, items, policy, max_blocks);
  return plan;
}

/// The same where warps gather their batches ahead. Of all ways to split an output among warps, and then among blocks,
/// it takes the one by which the busiest multiprocessor is done first. (Splits are powers of two of items, so many of
/// them may leave less to the last blocks than few.)
inline plan plan_gathered_rows(int max_resident_blocks, std::int64_t outputs, std::int64_t items,
                               std::size_t accumulator_bytes, const row_policy& policy, int max_blocks) {
  const int log_warps = ceil_log2(policy.block_threads / warp_lanes), log_batch = ceil_log2(policy.batch_items());
  const std::int64_t batches = host_side::divide_up(items, policy.batch_items()),
                     resident = cooperating_blocks(max_resident_blocks, max_blocks),
                     most_blocks = max_blocks > 0 ? max_blocks : max_work_items;
  // In batches: what a warp takes for a work item, with its first copies and its joins, times the work items of a
  // multiprocessor. Three of its four blocks keep it busy, so fewer take no less time.
  const auto cost_of = [&](const plan& plan) {
    const bool has_turns = plan.splits == 1 && policy.takes_turns;
    const std::int64_t own = has_turns ? host_side::divide_up(batches, plan.groups)
                                       : least_of(batches, std::int64_t{1} << (plan.log_rows - log_batch)),
                       joins = (plan.groups > 1) + (plan.splits > 1);
    const std::int64_t quarters = host_side::divide_up(4 * plan.work_items(), resident);
    return greatest_of<std::int64_t>(quarters, 3) * (own + 1 + joins);
  };
  plan best{};
  for (int log_groups = 0; log_groups <= log_warps; ++log_groups) {
    plan plan{};
    plan.lanes = 1 << (log_warps - log_groups);
    plan.groups = 1 << log_groups;
    plan.tiles = host_side::divide_up(outputs, plan.lanes);
    plan.log_rows = greatest_of(ceil_log2(host_side::divide_up(items, plan.groups)), log_batch);
    for (plan.splits = 1; plan.log_rows >= log_batch; plan.splits = host_side::divide_up(items, plan.split_items())) {
      const std::int64_t most_work = least_of(max_shared_work_items(plan.lanes, accumulator_bytes), most_blocks);
      if (plan.splits > 1 && plan.work_items() > most_work) break;
      if (best.groups == 0 || cost_of(plan) < cost_of(best)) best = plan;
      --plan.log_rows;
    }
  }
  finish_row_plan(best, items, policy, max_blocks);
  return best;
}

/// The most items of an output that the short-row kernel takes: of chunks that lie together as many as 32 lanes have in
/// flight, of others, whose places divisions find, 32. (On an H200, sums of 2^26 floats in rows of 500, 504 apart: 112
/// us by the kernel for long rows, 77 so.)
inline std::int64_t most_short_items(const shape& given, bool is_scattered, const row_policy& policy) {
  const bool lie_together = given.reduced.rank == 1 && !is_scattered;
  return std::int64_t{warp_lanes} * policy.chunk_items * (lie_together ? policy.short_chunks : 1);
}
/// The plan of the short-row kernel: a lane takes 2^log_rows chunks of an output. Of items that are read one by one it
/// takes one chunk: lanes farther apart than that would share fewer sectors.
inline plan plan_short_rows(std::int64_t outputs, std::int64_t items, const row_policy& policy, bool is_scattered,
                            int max_blocks) {
  plan plan{};
  const std::int64_t chunks = host_side::divide_up(items, policy.chunk_items);
  plan.log_rows = is_scattered ? 0 : least_of(ceil_log2(chunks), ceil_log2(policy.short_chunks));
  plan.lanes = 1 << (ceil_log2(chunks) - plan.log_rows);
  plan.groups = policy.block_threads / plan.lanes;
  const int lane_outputs = policy.short_chunks >> plan.log_rows;
  plan.tiles = host_side::divide_up(outputs, std::int64_t{plan.groups} * lane_outputs);
  plan.splits = 1;
  plan.blocks = grid_of(plan.tiles, max_blocks);
  return plan;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
