// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel for items that lie together across outputs, as in the columns of a matrix: neighbouring lanes take
// neighbouring outputs, and walk down their items, several rows in flight. It takes any other shape, too.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/column_batch.cuh>
#include <warpfold/axes/counted_items.cuh>
#include <warpfold/axes/join_splits.cuh>
#include <warpfold/grid/drawn_work.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves> struct column_storage {
  static constexpr kernel_policy policy = column_policy_of<Leaves>;
  join_storage<typename Leaves::accumulator, policy.block_threads * policy.phase_steps, Leaves::chunk_items> join;
  grid::drawn_work::storage work;
};

template <class Arguments, class Leaves>
using column_joiner = split_joiner<Leaves::chunk_items, column_policy_of<Leaves>.has_narrow_tiles,
                                   std::remove_cvref_t<Arguments>, decltype(column_storage<Leaves>::join)>;

/// Each block draws tiles of outputs and splits of their items. In a step, row groups of threads fold adjacent batches;
/// after a phase of steps, the block joins their values in shared memory. Meanwhile the next batches are under
/// way. The last warp has no items: its first thread, the clerk, draws and arrives.
template <class Arguments, class Leaves = typename Arguments::leaves_type, class A = typename Leaves::accumulator>
__global__ void __launch_bounds__(column_policy_of<Leaves>.resident_threads, 1)
column_kernel(const __grid_constant__ Arguments given) {
  using batch_type = column_batch<Leaves, typename Arguments::operation, typename Arguments::map>;
  const auto& arguments = with_known_items(given);
  if (finish_without_items<Leaves::chunk_items>(arguments, given)) return;
  constexpr int vector = Leaves::chunk_items, phase_steps = column_policy_of<Leaves>.phase_steps;
  auto& shared = arch::dynamic_shared<column_storage<Leaves>>();
  const auto& plan = arguments.plan;
  const tile_thread own(plan.lanes);
  const int step_rows = plan.groups * batch_type::rows, own_row = own.group * batch_type::rows,
            threads = static_cast<int>(blockDim.x) - warp_lanes;
  const bool is_clerk = arch::flat_thread() == threads, has_group = own.group < plan.groups;
  grid::drawn_work work(plan.work_items(), arguments.draw_counter(), plan.waits(), is_clerk, shared.work);
  column_joiner<decltype(arguments), Leaves> joiner(arguments, shared.join, threads, is_clerk);
  // The batch that is under way: of the items from `row` on of work item `ahead`.
  batch_type batch(arguments.leaves, arguments.reduced, arguments.op);
  work_item ahead{};
  std::int64_t row = 0;
  const auto load = [&] {
    const std::int64_t column = ahead.tile * plan.lanes + own.lane;
    const bool exists = has_group && column < arguments.vectors;
    batch.load(exists ? arguments.kept.place_of(column).in : 0, row + own_row, exists ? ahead.end : 0);
  };
  WARPFOLD_NO_UNROLL
  while (work.exists()) {
    const std::int64_t end = ahead.end, column = ahead.tile * plan.lanes + own.lane;
    const bool has_begun = end > 0;  // the first step only loads, by the one copy of that code
    if (has_begun) work.draw();
    const bool exists = has_group && column < arguments.vectors;
    thread::node_counter<vector, A, 31, 0> phases_before;
    unsigned phases = 0;
    A values[vector] = {};
    for (bool is_done = false; !is_done; ++phases) {
      const auto nodes = static_cast<int>(least_of((end - row - 1) / batch_type::rows + 1, plan.groups * phase_steps));
      WARPFOLD_NO_UNROLL
      for (int step = 0; step < phase_steps && !is_done; ++step) {
        if (batch.has_items()) {
          batch.fold(values);
          shared.join.put((step * plan.groups + own.group) * plan.lanes + own.lane, values);
        }
        row += step_rows;
        is_done = row >= end;
        if (is_done) ahead = arguments.item_at(has_begun ? work.next() : work.item()), row = ahead.first;
        load();
      }
      if (!has_begun) break;
      work.show();
      __syncthreads();
      join_nodes<vector>(shared.join, own, plan.groups, exists, nodes, arguments.op, values);
      if (is_done && phases == 0) break;
      if (own.group == 0) phases_before.push(phases, values, arguments.op);
      if (!is_done) __syncthreads();
    }
    if (!has_begun) continue;
    if (phases > 0 && own.group == 0) phases_before.total(phases, values, arguments.op);
    if (plan.splits > 1) joiner.leave(arguments.item_at(work.item()), own, values);
    else {
      if (exists && own.group == 0) arguments.template write<vector>(column, values);
      __syncthreads();
    }
    work.advance();
  }
  if (plan.splits > 1) joiner.finish();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
