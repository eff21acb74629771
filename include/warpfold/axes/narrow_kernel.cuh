// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel for matrices of a few columns whose rows are adjacent in memory: a lane reads chunks of whole rows, and
// takes them apart in registers.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/join_splits.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/grid/drawn_work.cuh>
#include <warpfold/warp/batched_reduce.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves, int Columns>
inline constexpr narrow_policy narrow_policy_of = narrow_policy_for(sizeof(typename Leaves::item), Columns);

/// Folds rows of a matrix, which lie in chunks of whole rows.
template <class Leaves, int Columns, class Op> class row_folder {
 public:
  using A = typename Leaves::accumulator;
  using chunk = typename Leaves::chunk;
  static constexpr narrow_policy policy = narrow_policy_of<Leaves, Columns>;
  static constexpr int chunk_rows = policy.chunk_rows, step_rows = warp_lanes * chunk_rows,
                       batch_rows = policy.batch_chunks * step_rows;
  /// Columns whose nodes lanes exchange: a power of two.
  static constexpr int row_columns = static_cast<int>(std::bit_ceil(static_cast<unsigned>(Columns)));

  /// If `is_aligned`, chunks are vectors.
  __device__ row_folder(const Leaves& leaves, bool is_aligned, Op op)
      : leaves_(leaves), is_aligned_(is_aligned), op_(op) {}

  /// The column whose root a lane gets; columns from Columns on mean nothing.
  __device__ static int own_column() { return warp::row_of_lane<row_columns>(); }

  /// Loads the rows [first, end), a batch at most, of a matrix whose first row lies at `origin`, if they are a whole
  /// batch. All lanes of a warp call it.
  __device__ void load(std::int64_t origin, std::int64_t first, std::int64_t end) {
    origin_ = origin;
    is_inside_ = first < end && leaves_.is_inside(origin_ + first * Columns, origin_ + end * Columns);
    is_loaded_ = end - first == batch_rows && (is_aligned_ || is_inside_);
    if (!is_loaded_) return;
    const std::int64_t own = origin_ + (first + arch::lane_id() * chunk_rows) * Columns;
    if (is_aligned_) WARPFOLD_UNROLL
    for (int c = 0; c < policy.batch_chunks; ++c) leaves_.load(chunks_[c], own + c * step_rows * Columns);
    else WARPFOLD_UNROLL
    for (int c = 0; c < policy.batch_chunks; ++c)
      leaves_.load(chunks_[c], own + c * step_rows * Columns, Leaves::chunk_items, true);
  }
  /// The roots over the rows [first, end), first < end, that were loaded last, or are read now. All lanes of the warp
  /// call it.
  __device__ A fold(std::int64_t first, std::int64_t end) const {
    if (is_loaded_) return fold_batch(first);
    thread::node_counter<1, A> nodes;
    unsigned steps = 0;
    A root[1] = {};
    WARPFOLD_NO_UNROLL
    for (; first < end; first += step_rows, ++steps) {
      root[0] = fold_step(first, static_cast<int>(least_of(end - first, step_rows)));
      nodes.push(steps, root, op_);
    }
    nodes.total(steps, root, op_);
    return root[0];
  }

 private:
  /// The nodes over the batch that has been loaded, whose first row is number `first`.
  __device__ A fold_batch(std::int64_t first) const {
    const std::int64_t own = first + arch::lane_id() * chunk_rows;
    if constexpr (thread::locates<Leaves>) {
      return leaves_.transform.op.assemble([&](auto part) { return locate_in_batch<decltype(part)>(first); }, first);
    } else if constexpr (std::is_arithmetic_v<A> && is_exact<Op, A> && is_commutative<Op>) {
      A nodes[row_columns];
      WARPFOLD_UNROLL
      for (int column = 0; column < row_columns; ++column) {
        A values[policy.batch_chunks];
        WARPFOLD_UNROLL
        for (int c = 0; c < policy.batch_chunks; ++c) values[c] = fold_chunk(chunks_[c], own + c * step_rows, column);
        nodes[column] = thread::fold(values, op_);
      }
      return warp::batched_reduce(nodes, op_);
    } else {
      if constexpr (detail::has_terms<Leaves>)
        if (A value; fold_terms(value)) return value;
      return join_nodes<A>([&](int c, int column) { return fold_chunk(chunks_[c], own + c * step_rows, column); }, op_);
    }
  }
  /// The nodes over the batch of nodes over chunks; node(c, column) is that of a lane's chunk `c`.
  template <class B, class Node, class Join> __device__ static B join_nodes(Node node, Join op) {
    constexpr int most_nodes = least_of(warp_lanes, most_node_bytes / static_cast<int>(sizeof(B)));
    constexpr int chunks = least_of(policy.batch_chunks, greatest_of(most_nodes / row_columns, 1)),
                  groups = policy.batch_chunks / chunks;
    B values[groups];
    WARPFOLD_UNROLL
    for (int group = 0; group < groups; ++group) {
      B nodes[row_columns * chunks];  // the chunks of a column lie together
      WARPFOLD_UNROLL
      for (int n = 0; n < row_columns * chunks; ++n) nodes[n] = node(group * chunks + n % chunks, n / chunks);
      values[group] = warp::batched_reduce(nodes, op);
      WARPFOLD_UNROLL
      for (int distance = row_columns * chunks / 2; distance >= row_columns; distance /= 2)
        values[group] =
            warp::join(arch::lane_id() & distance, values[group], warp::shuffle_xor(values[group], distance), op);
    }
    return thread::fold(values, op);
  }
  /// The nodes over the batch by plain terms, of which each column has its own; false if its items can't be terms.
  __device__ bool fold_terms(A& value) const {
    using operation = std::remove_cvref_t<decltype(leaves_.transform.op)>;
    using R = decltype(A::sum);
    const auto number = [&](int c, int k, int column) {
      return thread::number_of_item<R>(leaves_.transform.transform(chunks_[c].item(k * Columns + column)));
    };
    typename operation::template plain_terms<A> terms[Columns];
    bool are_plain = true;
    WARPFOLD_UNROLL
    for (int column = 0; column < Columns; ++column) {
      WARPFOLD_UNROLL
      for (int n = 0; n < policy.batch_chunks * chunk_rows; ++n)
        terms[column].meet(number(n / chunk_rows, n % chunk_rows, column));
      are_plain = terms[column].settle([](auto own, auto op) { return warp::all_reduce(own, op); }) && are_plain;
    }
    if (!are_plain) return false;
    const R sum = join_nodes<R>(
        [&](int c, int n) {
          const int column = n % Columns;
          R rows[chunk_rows];
          WARPFOLD_UNROLL
          for (int k = 0; k < chunk_rows; ++k) rows[k] = terms[column].term(number(c, k, column));
          return thread::fold(rows, plus{});
        },
        plus{});
    WARPFOLD_UNROLL
    for (int column = 0; column < Columns; ++column)
      if (column == own_column()) value = terms[column].total(sum, batch_rows);
    return true;
  }
  /// The item of the batch that arg-reductions take: of each lane's rows first, then of the lanes.
  template <class Part> __device__ auto locate_in_batch(std::int64_t first) const {
    using V = thread::located_value<Leaves>;
    thread::place<V> nodes[row_columns];
    WARPFOLD_UNROLL
    for (int column = 0; column < row_columns; ++column) {
      V values[policy.batch_chunks * chunk_rows];
      WARPFOLD_UNROLL
      for (int n = 0; n < policy.batch_chunks * chunk_rows; ++n)
        values[n] = thread::value_of(leaves_, chunks_[n / chunk_rows], n % chunk_rows * Columns + column % Columns);
      const auto found = thread::locate_among<Part>(values, policy.batch_chunks * chunk_rows);
      const int c = found.position / chunk_rows;
      nodes[column] = {found.value, c * step_rows + arch::lane_id() * chunk_rows + found.position % chunk_rows};
    }
    const auto best = warp::batched_reduce(nodes, thread::taken_place<Part>());
    return thread::located<V>{best.value, first + best.position};
  }
  /// The nodes over the `count` rows from `first` on, at most a chunk a lane.
  __device__ A fold_step(std::int64_t first, int count) const {
    const std::int64_t own = first + arch::lane_id() * chunk_rows;
    const int own_count = count - arch::lane_id() * chunk_rows;
    chunk one{};
    if (own_count > 0)
      leaves_.load(one, origin_ + own * Columns, least_of(own_count, chunk_rows) * Columns, is_inside_);
    A nodes[row_columns];
    WARPFOLD_UNROLL
    for (int column = 0; column < row_columns; ++column) {
      A rows[chunk_rows] = {};
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_rows; ++k)
        if (k < own_count) rows[k] = leaves_.leaf(one, k * Columns + column % Columns, own + k);
      nodes[column] = thread::fold(rows, op_, own_count);
    }
    return warp::batched_reduce(nodes, op_, (count + chunk_rows - 1) / chunk_rows);
  }
  /// The node of a column over a chunk, whose first row is number `row`. Columns behind the last one stand for the
  /// first.
  __device__ A fold_chunk(const chunk& from, std::int64_t row, int column) const {
    A rows[chunk_rows];
    WARPFOLD_UNROLL
    for (int k = 0; k < chunk_rows; ++k) rows[k] = leaves_.leaf(from, k * Columns + column % Columns, row + k);
    return thread::fold(rows, op_);
  }

  const Leaves& leaves_;
  std::int64_t origin_ = 0;
  bool is_aligned_, is_inside_ = false, is_loaded_ = false;
  Op op_;
  chunk chunks_[policy.batch_chunks];
};

template <class Leaves, int Columns> struct narrow_storage {
  static constexpr int block_threads = narrow_policy_of<Leaves, Columns>.block_threads;
  using A = typename Leaves::accumulator;
  thread::array<A, block_threads / warp_lanes * Columns> warps[2];  ///< the values of each warp, of alternate steps
  join_storage<A, block_threads, 1> join;
  grid::drawn_work::storage work;
};

/// Each block draws splits of matrices, and folds them a step at a time: warps fold adjacent batches, and while they
/// load the next ones, the first threads join the values of the warps.
template <int Columns, class Arguments, class Leaves = typename Arguments::leaves_type>
__global__ void __launch_bounds__(narrow_policy_of<Leaves, Columns>.block_threads,
                                  narrow_policy_of<Leaves, Columns>.blocks_per_multiprocessor)
narrow_kernel(const __grid_constant__ Arguments arguments, bool is_aligned) {
  using A = typename Leaves::accumulator;
  using folder = row_folder<Leaves, Columns, typename Arguments::operation>;
  constexpr int block_threads = narrow_policy_of<Leaves, Columns>.block_threads, warps = block_threads / warp_lanes,
                step_rows = warps * folder::batch_rows;
  auto& shared = arch::dynamic_shared<narrow_storage<Leaves, Columns>>();
  const auto& plan = arguments.plan;
  const tile_thread own(Columns);
  const int warp = arch::uniform_warp(), lane = arch::lane_id(), column = folder::own_column();
  const bool leads = own.group == 0, is_clerk = arch::flat_thread() == 0;
  grid::drawn_work work(plan.work_items(), arguments.draw_counter(), plan.waits(), is_clerk, shared.work);
  folder rows(arguments.leaves, is_aligned, arguments.op);
  const auto own_first = [&](std::int64_t row) { return row + warp * folder::batch_rows; };
  const auto own_end = [&](const work_item& item, std::int64_t row) {
    return least_of(own_first(row) + folder::batch_rows, item.end);
  };
  work_item coming{};  // the work item whose rows are loaded next; at first none
  const auto load = [&](std::int64_t row) {
    rows.load(arguments.kept.place_of(coming.tile * Columns).in, own_first(row), own_end(coming, row));
  };
  split_joiner<1, true, Arguments, decltype(shared.join)> joiner(arguments, shared.join, block_threads, is_clerk);
  int buffer = 0;
  WARPFOLD_NO_UNROLL
  while (work.exists()) {
    const work_item here = coming;
    const bool has_begun = here.end > 0;  // the first step only loads, by the one copy of that code
    if (has_begun) work.draw();
    thread::node_counter<1, A> nodes;
    unsigned steps = 0;
    A root[1] = {};
    WARPFOLD_NO_UNROLL
    for (std::int64_t row = here.first; !has_begun || row < here.end; row += step_rows, ++steps, buffer = 1 - buffer) {
      if (own_first(row) < here.end) {
        const A value = rows.fold(own_first(row), own_end(here, row));
        if (lane < folder::row_columns && column < Columns) shared.warps[buffer][warp * Columns + column] = value;
      }
      if (has_begun) work.show();  // before the loads, for which the draw would wait
      std::int64_t next_row = row + step_rows;
      const std::int64_t next_item = has_begun ? work.next() : work.item();
      if (next_row >= here.end && next_item < plan.work_items()) {
        coming = arguments.item_at(next_item);
        next_row = coming.first;
      }
      load(next_row);  // nothing, if that row lies behind the last work item
      if (!has_begun) break;
      __syncthreads();  // the other buffer has been read, too
      if (!leads) continue;
      const int filled = static_cast<int>((least_of(here.end - row, step_rows) - 1) / folder::batch_rows) + 1;
      A values[warps] = {};
      WARPFOLD_UNROLL
      for (int w = 0; w < warps; ++w)
        if (w < filled) values[w] = shared.warps[buffer][w * Columns + own.lane];
      root[0] = thread::fold(values, arguments.op, filled);
      nodes.push(steps, root, arguments.op);
    }
    if (!has_begun) continue;
    if (leads) nodes.total(steps, root, arguments.op);
    if (plan.splits > 1) joiner.leave(here, own, root);
    else if (leads) arguments.template write<1>(here.tile * Columns + own.lane, root);
    work.advance();
  }
  if (plan.splits > 1) joiner.finish();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
