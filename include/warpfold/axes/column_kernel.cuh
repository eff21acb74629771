// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel for items that lie together across outputs, as in the columns of a matrix: neighbouring lanes take
// neighbouring outputs, and walk down their items, several rows in flight. It takes any other shape, too.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/join_splits.cuh>
#include <warpfold/axes/leaves.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves, class A = typename Leaves::accumulator>
inline constexpr kernel_policy column_policy_of = kernel_policy_for(sizeof(typename Leaves::item), sizeof(A),
                                                                    Leaves::chunk_items);

/// The roots over the items [first, end), first < end, of the outputs whose first items lie together from `origin` on.
template <class Leaves, class Op, class A = typename Leaves::accumulator, int Vector = Leaves::chunk_items>
__device__ void fold_down(const Leaves& leaves, const index_map& reduced, std::int64_t origin, std::int64_t first,
                          std::int64_t end, Op op, A (&values)[Vector]) {
  constexpr int batch = column_policy_of<Leaves>.batch_rows;
  const auto load = [&](typename Leaves::chunk& to, std::int64_t offset) { leaves.load(to, origin + offset); };
  thread::node_counter<Vector, A> nodes;
  unsigned batches = 0;
  WARPFOLD_NO_UNROLL
  for (std::int64_t row = first; row < end; row += batch, ++batches) {
    const int count = static_cast<int>(least_of(end - row, batch));
    const run_place run = reduced.run_at(row);
    const std::int64_t step = reduced.inner_stride();
    typename Leaves::chunk rows[batch] = {};
    if (run.left >= batch && count == batch) {
      WARPFOLD_UNROLL
      for (int k = 0; k < batch; ++k) load(rows[k], run.in + k * step);
    } else {
      WARPFOLD_UNROLL
      for (int k = 0; k < batch; ++k)
        if (k < count) load(rows[k], k < run.left ? run.in + k * step : reduced.in(row + k));
    }
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) {
      A column[batch] = {};
      if (count == batch) {
        WARPFOLD_UNROLL
        for (int k = 0; k < batch; ++k) column[k] = leaves.leaf(rows[k], v, row + k);
        values[v] = thread::fold(column, op);
      } else {
        WARPFOLD_UNROLL
        for (int k = 0; k < batch; ++k)
          if (k < count) column[k] = leaves.leaf(rows[k], v, row + k);
        values[v] = thread::fold(column, op, count);
      }
    }
    nodes.push(batches, values, op);
  }
  nodes.total(batches, values, op);
}

template <class Leaves>
using column_storage =
    join_storage<typename Leaves::accumulator, column_policy_of<Leaves>.block_threads, Leaves::chunk_items>;

/// Each block takes tiles of outputs and splits of their items. Row groups of threads fold adjacent nodes, which are
/// joined in shared memory.
template <class Leaves, class Op, class Out>
__global__ void __launch_bounds__(column_policy_of<Leaves>.block_threads,
                                  column_policy_of<Leaves>.blocks_per_multiprocessor)
column_kernel(const __grid_constant__ axis_arguments<Leaves, Op, Out> arguments) {
  using A = typename Leaves::accumulator;
  constexpr int block_threads = column_policy_of<Leaves>.block_threads, vector = Leaves::chunk_items;
  auto& shared = arch::dynamic_shared<column_storage<Leaves>>();
  const schedule& plan = arguments.plan;
  const tile_thread own(plan.log_lanes);
  const std::int64_t share = std::int64_t{1} << plan.log_rows, split_rows = (block_threads >> plan.log_lanes) * share;
  for (std::int64_t work = blockIdx.x; work < plan.work_items(); work += gridDim.x) {
    const std::int64_t split = plan.split_of(work), tile = work - split * plan.tiles;
    const std::int64_t column = (tile << plan.log_lanes) + own.lane, first = split * split_rows;
    const std::int64_t own_first = first + own.group * share, own_end = least_of(own_first + share, arguments.items);
    const bool exists = column < arguments.vectors;
    A values[vector] = {};
    if (exists && own_first < own_end)
      fold_down(arguments.leaves, arguments.reduced, arguments.kept.place_of(column).in, own_first, own_end,
                arguments.op, values);
    const std::int64_t row_groups = (least_of(split_rows, arguments.items - first) - 1) / share + 1;
    join_row_groups<block_threads, vector>(shared, own, exists, static_cast<int>(row_groups), arguments.op, values);
    finish_tile<block_threads, vector>(arguments, shared, own, tile, split, column, values);
  }
}

/// Outputs of at most few_items items each. A thread takes several outputs, or vectors of them, whose loads are all
/// issued before the first fold.
template <class Leaves, class Op, class Out>
__global__ void __launch_bounds__(column_policy_of<Leaves>.block_threads,
                                  column_policy_of<Leaves>.blocks_per_multiprocessor)
few_items_kernel(const __grid_constant__ axis_arguments<Leaves, Op, Out> arguments) {
  using A = typename Leaves::accumulator;
  constexpr int block_threads = column_policy_of<Leaves>.block_threads, vector = Leaves::chunk_items,
                vectors = few_items_vectors;
  const auto& leaves = arguments.leaves;
  const int count = static_cast<int>(arguments.items);
  for (std::int64_t tile = blockIdx.x; tile < arguments.plan.tiles; tile += gridDim.x) {
    const std::int64_t first = tile * block_threads * vectors + arch::flat_thread();
    typename Leaves::chunk rows[vectors][few_items] = {};
    WARPFOLD_UNROLL
    for (int i = 0; i < vectors; ++i) {
      if (first + i * block_threads >= arguments.vectors) break;
      const std::int64_t origin = arguments.kept.place_of(first + i * block_threads).in;
      WARPFOLD_UNROLL
      for (int k = 0; k < few_items; ++k)
        if (k < count) leaves.load(rows[i][k], origin + arguments.reduced.in(k));
    }
    WARPFOLD_UNROLL
    for (int i = 0; i < vectors; ++i) {
      if (first + i * block_threads >= arguments.vectors) break;
      A results[vector];
      WARPFOLD_UNROLL
      for (int v = 0; v < vector; ++v) {
        A column[few_items] = {};
        WARPFOLD_UNROLL
        for (int k = 0; k < few_items; ++k)
          if (k < count) column[k] = leaves.leaf(rows[i][k], v, k);
        results[v] = thread::fold(column, arguments.op, count);
      }
      arguments.template write<vector>(first + i * block_threads, results);
    }
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
