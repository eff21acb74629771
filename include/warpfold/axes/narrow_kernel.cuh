// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel for matrices of a few columns whose rows are adjacent in memory: a lane reads chunks of whole rows, and
// takes them apart in registers.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/join_splits.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/warp/batched_reduce.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves, int Columns>
inline constexpr narrow_policy narrow_policy_of = narrow_policy_for(sizeof(typename Leaves::item), Columns,
                                                                    sizeof(typename Leaves::accumulator));

/// Folds rows of a matrix, which lie in chunks of whole rows.
template <class Leaves, int Columns, class Op> class row_folder {
 public:
  using A = typename Leaves::accumulator;
  using chunk = typename Leaves::chunk;
  static constexpr narrow_policy policy = narrow_policy_of<Leaves, Columns>;
  static constexpr int chunk_rows = policy.chunk_rows, step_rows = warp_lanes * chunk_rows,
                       batch_rows = policy.batch_chunks * step_rows;

  /// `origin` is the place of the matrix' first row. If `is_aligned`, chunks are vectors.
  __device__ row_folder(const Leaves& leaves, std::int64_t origin, bool is_aligned, Op op)
      : leaves_(leaves), origin_(origin), is_aligned_(is_aligned), op_(op) {}

  /// The roots over the rows [first, end), first < end, where first is a multiple of batch_rows: lane l gets that of
  /// column l % Columns. All lanes of a warp call it.
  __device__ A fold(std::int64_t first, std::int64_t end) const {
    const bool is_inside = leaves_.is_inside(origin_ + first * Columns, origin_ + end * Columns);
    thread::node_counter<1, A> nodes;  // of steps
    unsigned steps = 0;
    A root[1] = {};
    WARPFOLD_NO_UNROLL
    while (end - first >= batch_rows && (is_aligned_ || is_inside)) {
      root[0] = fold_batch(first);
      nodes.push(steps, root, op_, log2_of(policy.batch_chunks));
      first += batch_rows, steps += policy.batch_chunks;
    }
    WARPFOLD_NO_UNROLL
    for (; first < end; first += step_rows, ++steps) {
      root[0] = fold_step(first, static_cast<int>(least_of(end - first, step_rows)), is_inside);
      nodes.push(steps, root, op_);
    }
    nodes.total(steps, root, op_);
    return root[0];
  }

 private:
  /// The nodes over a batch from row `first` on: chunks are loaded before the first one is folded.
  __device__ A fold_batch(std::int64_t first) const {
    const std::int64_t own = first + arch::lane_id() * chunk_rows;
    chunk chunks[policy.batch_chunks];
    if (is_aligned_) WARPFOLD_UNROLL
    for (int c = 0; c < policy.batch_chunks; ++c) leaves_.load(chunks[c], origin_ + (own + c * step_rows) * Columns);
    else WARPFOLD_UNROLL
    for (int c = 0; c < policy.batch_chunks; ++c)
      leaves_.load(chunks[c], origin_ + (own + c * step_rows) * Columns, Leaves::chunk_items, true);
    return of_own_column([&](int column) {
      A values[policy.batch_chunks];
      WARPFOLD_UNROLL
      for (int c = 0; c < policy.batch_chunks; ++c) {
        A rows[chunk_rows];
        WARPFOLD_UNROLL
        for (int k = 0; k < chunk_rows; ++k)
          rows[k] = leaves_.leaf(chunks[c], k * Columns + column, own + c * step_rows + k);
        values[c] = thread::fold(rows, op_);
      }
      return warp::fold_rows(values, op_);
    });
  }
  /// The nodes over the `count` rows from `first` on, at most a chunk a lane.
  __device__ A fold_step(std::int64_t first, int count, bool is_inside) const {
    const std::int64_t own = first + arch::lane_id() * chunk_rows;
    const int own_count = count - arch::lane_id() * chunk_rows;
    chunk one{};
    if (own_count > 0) leaves_.load(one, origin_ + own * Columns, least_of(own_count, chunk_rows) * Columns, is_inside);
    return of_own_column([&](int column) {
      A rows[chunk_rows] = {};
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_rows; ++k)
        if (k < own_count) rows[k] = leaves_.leaf(one, k * Columns + column, own + k);
      A value[1] = {thread::fold(rows, op_, own_count)};
      return warp::fold_rows(value, op_, (count + chunk_rows - 1) / chunk_rows);
    });
  }
  /// node(column) for all columns; the lane keeps that of its own one.
  template <class Node> __device__ static A of_own_column(Node node) {
    const int own = arch::lane_id() % Columns;
    A kept{};
    WARPFOLD_UNROLL
    for (int column = 0; column < Columns; ++column) {
      const A value = node(column);
      if (own == column) kept = value;
    }
    return kept;
  }

  const Leaves& leaves_;
  std::int64_t origin_;
  bool is_aligned_;
  Op op_;
};

template <class Leaves, int Columns> struct narrow_storage {
  static constexpr int block_threads = narrow_policy_of<Leaves, Columns>.block_threads;
  using A = typename Leaves::accumulator;
  thread::array<A, block_threads / warp_lanes * Columns> warps;  ///< the values of each warp
  join_storage<A, block_threads, 1> join;
};

/// Each block folds a split of a matrix at a time, and each of its warps a part of it.
template <int Columns, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(narrow_policy_of<Leaves, Columns>.block_threads,
                                  narrow_policy_of<Leaves, Columns>.blocks_per_multiprocessor)
narrow_kernel(const __grid_constant__ axis_arguments<Leaves, Op, Out> arguments, bool is_aligned) {
  using A = typename Leaves::accumulator;
  constexpr int block_threads = narrow_policy_of<Leaves, Columns>.block_threads, warps = block_threads / warp_lanes;
  auto& shared = arch::dynamic_shared<narrow_storage<Leaves, Columns>>();
  const schedule& plan = arguments.plan;
  const tile_thread own(plan.log_lanes);
  const int warp = arch::uniform_warp(), lane = arch::lane_id();
  const std::int64_t share = std::int64_t{1} << plan.log_rows, split_rows = warps * share;
  for (std::int64_t work = blockIdx.x; work < plan.work_items(); work += gridDim.x) {
    const std::int64_t split = plan.split_of(work), matrix = work - split * plan.tiles,
                       split_first = split * split_rows;
    const std::int64_t first = split_first + warp * share, end = least_of(first + share, arguments.items);
    A value{};
    if (first < end) {
      const std::int64_t origin = arguments.kept.place_of(matrix * Columns).in;
      value = row_folder<Leaves, Columns, Op>(arguments.leaves, origin, is_aligned, arguments.op).fold(first, end);
    }
    __syncthreads();  // until all have read what the warps left before
    if (lane < Columns) shared.warps[warp * Columns + lane] = value;
    __syncthreads();
    const int filled = static_cast<int>((least_of(split_rows, arguments.items - split_first) - 1) / share + 1);
    const bool exists = own.lane < Columns;
    A values[1] = {exists && own.group < filled ? shared.warps[own.group * Columns + own.lane] : A{}};
    join_row_groups<block_threads, 1>(shared.join, own, exists, filled, arguments.op, values);
    finish_tile<block_threads, 1>(arguments, shared.join, own, matrix, split,
                                  exists ? matrix * Columns + own.lane : arguments.vectors, values);
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
