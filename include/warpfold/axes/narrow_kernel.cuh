// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel for matrices of a few columns whose rows are adjacent in memory: warps fold batches of whole rows, as
// narrow_rows.cuh or copied_rows.cuh has it.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/join_splits.cuh>
#include <warpfold/axes/policy.hpp>
#include <warpfold/grid/drawn_work.cuh>
#include <warpfold/thread/node_counter.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Rows> struct narrow_storage {
  using A = typename Rows::A;
  thread::array<A, narrow_warps * max_narrow_columns> warps[2];  ///< the values of each warp, of alternate steps
  join_storage<A, narrow_threads, 1> join;
  grid::drawn_work::storage work;
  typename Rows::storage rows;
};

/// Each block draws splits of matrices, and folds them a step at a time: warps fold adjacent batches, and while they
/// load the next ones, the first threads join the values of the warps.
template <class Rows, class Arguments> __global__ void __launch_bounds__(narrow_threads, narrow_blocks)
narrow_kernel(const __grid_constant__ Arguments arguments, const __grid_constant__ typename Rows::shape shape) {
  using A = typename Arguments::A;
  constexpr int block_threads = narrow_threads, warps = narrow_warps;
  auto& shared = arch::dynamic_shared<narrow_storage<Rows>>();
  const auto& plan = arguments.plan;
  const int warp = arch::uniform_warp();
  Rows rows(arguments.leaves, arguments.op, shape, shared.rows);
  const int batch_rows = 1 << rows.log_batch_rows(), step_rows = warps * batch_rows, columns = rows.columns();
  const tile_thread own(columns);
  const bool leads = own.group == 0, is_clerk = arch::flat_thread() == 0;
  grid::drawn_work work(plan.work_items(), arguments.draw_counter(), plan.waits(), is_clerk, shared.work);
  const auto own_first = [&](std::int64_t row) { return row + warp * batch_rows; };
  const auto own_end = [&](const work_item& item, std::int64_t row) {
    return least_of(own_first(row) + batch_rows, item.end);
  };
  const auto load = [&](const work_item& item, std::int64_t row) {
    rows.load(arguments.kept.place_of(item.tile * columns).in, own_first(row), own_end(item, row));
  };
  split_joiner<1, true, Arguments, decltype(shared.join)> joiner(arguments, shared.join, block_threads, is_clerk);
  work_item here = arguments.item_at(work.item());
  load(here, here.first);
  int buffer = 0;
  while (work.exists()) {
    work.draw();
    work_item ahead = here;
    thread::node_counter<1, A> nodes;
    unsigned steps = 0;
    A root[1] = {};
    WARPFOLD_NO_UNROLL
    for (std::int64_t row = here.first; row < here.end; row += step_rows, ++steps, buffer = 1 - buffer) {
      if (own_first(row) < here.end) {
        const A value = rows.fold(own_first(row), own_end(here, row));
        if (rows.has_root()) shared.warps[buffer][warp * columns + rows.own_column()] = value;
      }
      work.show();  // before the loads, for which the draw would wait
      const bool is_last = row + step_rows >= here.end;
      if (is_last) ahead = arguments.item_at(work.next());
      load(ahead, is_last ? ahead.first : row + step_rows);
      __syncthreads();  // the other buffer has been read, too
      if (!leads) continue;
      const int filled = ((static_cast<int>(least_of(here.end - row, step_rows)) - 1) >> rows.log_batch_rows()) + 1;
      A values[warps] = {};
      WARPFOLD_UNROLL
      for (int w = 0; w < warps; ++w)
        if (w < filled) values[w] = shared.warps[buffer][w * columns + own.lane];
      root[0] = thread::fold(values, arguments.op, filled);
      nodes.push(steps, root, arguments.op);
    }
    if (leads) nodes.total(steps, root, arguments.op);
    if (plan.splits > 1) joiner.leave(here, own, root);
    else if (leads) arguments.template write<1>(here.tile * columns + own.lane, root);
    work.advance();
    here = ahead;
  }
  if (plan.splits > 1) joiner.finish();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
