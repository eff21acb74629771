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
inline constexpr narrow_policy narrow_policy_of = narrow_policy_for(sizeof(typename Leaves::item), Columns,
                                                                    leaf_bytes<Leaves>());

/// The largest number of columns of the kernel that takes `columns`. Arg-reductions have one for each number.
template <class Leaves> constexpr int kernel_columns(int columns) {
  return thread::locates<Leaves> ? columns
                                 : narrow_kernel_columns(sizeof(typename Leaves::item), columns, leaf_bytes<Leaves>());
}

/// Folds rows of a matrix of `Columns` columns, or of half as many or a quarter: two or four of its rows are then as one
/// of `Columns` columns. Rows lie in chunks of whole rows.
template <class Leaves, int Columns, class Op> class row_folder {
 public:
  using A = typename Leaves::accumulator;
  using chunk = typename Leaves::chunk;
  static constexpr narrow_policy policy = narrow_policy_of<Leaves, Columns>;
  /// How often the kernel takes half as many columns.
  static constexpr int most_log_rows = Columns % 4 == 0 && kernel_columns<Leaves>(Columns / 4) == Columns   ? 2
                                       : Columns % 2 == 0 && kernel_columns<Leaves>(Columns / 2) == Columns ? 1
                                                                                                            : 0;
  /// Columns whose nodes lanes exchange: a power of two.
  static constexpr int exchanged_columns = static_cast<int>(std::bit_ceil(static_cast<unsigned>(Columns)));

  /// If `is_aligned`, chunks are vectors.
  __device__ row_folder(const Leaves& leaves, int columns, bool is_aligned, Op op)
      : leaves_(leaves),
        columns_(columns),
        log_of_wide_rows_(columns == Columns       ? 0
                          : 2 * columns == Columns ? 1
                                                   : 2),
        is_aligned_(is_aligned),
        op_(op) {}

  __device__ int batch_rows() const { return wide_batch_rows << log_rows(); }
  /// The column whose root a lane gets; columns from the last one on mean nothing.
  __device__ static int own_column() { return warp::row_of_lane<exchanged_columns>(); }

  /// Loads the rows [first, end), a batch at most, of a matrix whose first row lies at `origin`, if they are a whole
  /// batch. All lanes of a warp call it.
  __device__ void load(std::int64_t origin, std::int64_t first, std::int64_t end) {
    origin_ = origin;
    is_inside_ = first < end && leaves_.is_inside(origin_ + first * own_columns(), origin_ + end * own_columns());
    is_loaded_ = end - first == batch_rows() && (is_aligned_ || is_inside_);
    if (!is_loaded_) return;
    const std::int64_t own = origin_ + first * own_columns() + arch::lane_id() * Leaves::chunk_items;
    if (is_aligned_) WARPFOLD_UNROLL
    for (int c = 0; c < policy.batch_chunks; ++c) leaves_.load(chunks_[c], own + c * step_items);
    else WARPFOLD_UNROLL
    for (int c = 0; c < policy.batch_chunks; ++c)
      leaves_.load(chunks_[c], own + c * step_items, Leaves::chunk_items, true);
  }
  /// The roots over the rows [first, end), first < end, that were loaded last, or are read now. All lanes of the warp
  /// call it.
  __device__ A fold(std::int64_t first, std::int64_t end) const {
    if (is_loaded_) return fold_batch(first);
    thread::node_counter<1, A> nodes;
    unsigned steps = 0;
    A root[1] = {};
    WARPFOLD_NO_UNROLL
    for (; first < end; first += step_rows(), ++steps) {
      root[0] = fold_step(first, static_cast<int>(least_of(end - first, step_rows())));
      nodes.push(steps, root, op_);
    }
    nodes.total(steps, root, op_);
    return root[0];
  }

 private:
  static constexpr int wide_rows = policy.chunk_rows, wide_batch_rows = policy.batch_rows(),
                       step_items = warp_lanes * Leaves::chunk_items;

  /// 2^log_rows() rows are as one of `Columns` columns.
  __device__ int log_rows() const { return most_log_rows == 0 ? 0 : log_of_wide_rows_; }
  __device__ int own_columns() const { return most_log_rows == 0 ? Columns : columns_; }
  __device__ int chunk_rows() const { return wide_rows << log_rows(); }
  __device__ int step_rows() const { return warp_lanes * chunk_rows(); }

  /// The nodes over the batch that has been loaded, whose first row is number `first`.
  __device__ A fold_batch(std::int64_t first) const {
    const std::int64_t own = first + arch::lane_id() * chunk_rows();
    if constexpr (thread::locates<Leaves>) {
      return leaves_.transform.op.assemble([&](auto part) { return locate_in_batch<decltype(part)>(first); }, first);
    } else if constexpr (std::is_arithmetic_v<A> && is_exact<Op, A> && is_commutative<Op>) {
      A values[exchanged_columns][policy.batch_chunks];
      WARPFOLD_UNROLL
      for (int c = 0; c < policy.batch_chunks; ++c) {
        A nodes[exchanged_columns];
        fold_chunk(chunks_[c], own + c * step_rows(), nodes);
        WARPFOLD_UNROLL
        for (int column = 0; column < exchanged_columns; ++column) values[column][c] = nodes[column];
      }
      A nodes[exchanged_columns];
      WARPFOLD_UNROLL
      for (int column = 0; column < exchanged_columns; ++column) nodes[column] = thread::fold(values[column], op_);
      return warp::batched_reduce(nodes, op_);
    } else {
      constexpr int most_chunks = warp_lanes / exchanged_columns;  // lanes exchange one node each
      constexpr int chunks = least_of(policy.batch_chunks, most_chunks), groups = policy.batch_chunks / chunks;
      A values[groups];
      WARPFOLD_UNROLL
      for (int group = 0; group < groups; ++group) {
        A nodes[exchanged_columns * chunks];  // the chunks of a column lie together
        WARPFOLD_UNROLL
        for (int c = 0; c < chunks; ++c) {
          A columns[exchanged_columns];
          fold_chunk(chunks_[group * chunks + c], own + (group * chunks + c) * step_rows(), columns);
          WARPFOLD_UNROLL
          for (int column = 0; column < exchanged_columns; ++column) nodes[column * chunks + c] = columns[column];
        }
        values[group] = warp::batched_reduce(nodes, op_);
        WARPFOLD_UNROLL
        for (int distance = exchanged_columns * chunks / 2; distance >= exchanged_columns; distance /= 2)
          values[group] =
              warp::join(arch::lane_id() & distance, values[group], warp::shuffle_xor(values[group], distance), op_);
      }
      return thread::fold(values, op_);
    }
  }
  /// The item of the batch that arg-reductions take: of each lane's rows first, then of the lanes.
  template <class Part> __device__ auto locate_in_batch(std::int64_t first) const {
    using V = thread::located_value<Leaves>;
    thread::place<V> nodes[exchanged_columns];
    WARPFOLD_UNROLL
    for (int column = 0; column < exchanged_columns; ++column) {
      V values[policy.batch_chunks * wide_rows];
      WARPFOLD_UNROLL
      for (int n = 0; n < policy.batch_chunks * wide_rows; ++n)
        values[n] = thread::value_of(leaves_, chunks_[n / wide_rows], n % wide_rows * Columns + column % Columns);
      const auto found = thread::locate_among<Part>(values, policy.batch_chunks * wide_rows);
      const int c = found.position / wide_rows;
      nodes[column] = {found.value, c * step_rows() + arch::lane_id() * wide_rows + found.position % wide_rows};
    }
    const auto best = warp::batched_reduce(nodes, thread::taken_place<Part>());
    return thread::located<V>{best.value, first + best.position};
  }
  /// The nodes over the `count` rows from `first` on, at most one chunk per lane.
  __device__ A fold_step(std::int64_t first, int count) const {
    const std::int64_t own = first + arch::lane_id() * chunk_rows();
    const int own_items = least_of((count - arch::lane_id() * chunk_rows()) * own_columns(), Leaves::chunk_items);
    chunk one{};
    if (own_items > 0) leaves_.load(one, origin_ + own * own_columns(), own_items, is_inside_);
    A nodes[exchanged_columns];
    fold_chunk(one, own, nodes, own_items);
    return warp::batched_reduce(nodes, op_, (count + chunk_rows() - 1) / chunk_rows());
  }
  /// The nodes of the columns over the first `count` items of a chunk, whole rows, the first of which is number `row`.
  /// Nodes of columns behind the last one mean nothing.
  __device__ void fold_chunk(const chunk& from, std::int64_t row, A (&nodes)[exchanged_columns],
                             int count = Leaves::chunk_items) const {
    A items[Leaves::chunk_items] = {};
    WARPFOLD_UNROLL
    for (int i = 0; i < Leaves::chunk_items; ++i)
      if (i < count)
        items[i] = leaves_.leaf(from, i, row + (i / Columns << log_rows()) + (i % Columns << log_rows()) / Columns);
    if constexpr (most_log_rows > 1)
      if (log_rows() == 2) join_rows<Columns / 4>(items, count);
    if constexpr (most_log_rows > 0)
      if (log_rows() > 0) join_rows<Columns / 2>(items, count);
    WARPFOLD_UNROLL
    for (int column = 0; column < exchanged_columns; ++column) {
      A rows[wide_rows];
      WARPFOLD_UNROLL
      for (int k = 0; k < wide_rows; ++k) rows[k] = items[k * Columns + column % Columns];
      nodes[column] = thread::fold(rows, op_, (count + Columns - 1) / Columns);
    }
  }
  /// Joins rows of `Distance` items with their right neighbours, as far as these exist.
  template <int Distance> __device__ void join_rows(A (&items)[Leaves::chunk_items], int count) const {
    WARPFOLD_UNROLL
    for (int i = 0; i + Distance < Leaves::chunk_items; ++i)
      if (i % (2 * Distance) < Distance && i + Distance < count) items[i] = op_(items[i], items[i + Distance]);
  }

  const Leaves& leaves_;
  std::int64_t origin_ = 0;
  int columns_, log_of_wide_rows_;
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
  constexpr int block_threads = narrow_policy_of<Leaves, Columns>.block_threads, warps = block_threads / warp_lanes;
  auto& shared = arch::dynamic_shared<narrow_storage<Leaves, Columns>>();
  const auto& plan = arguments.plan;
  const int columns = plan.lanes;
  const tile_thread own(columns);
  const int warp = arch::uniform_warp(), lane = arch::lane_id(), column = folder::own_column();
  const bool leads = own.group == 0, is_clerk = arch::flat_thread() == 0;
  grid::drawn_work work(plan.work_items(), arguments.draw_counter(), plan.waits(), is_clerk, shared.work);
  folder rows(arguments.leaves, columns, is_aligned, arguments.op);
  const int batch_rows = rows.batch_rows(), step_rows = warps * batch_rows;
  const auto own_first = [&](std::int64_t row) { return row + warp * batch_rows; };
  const auto own_end = [&](const work_item& item, std::int64_t row) {
    return least_of(own_first(row) + batch_rows, item.end);
  };
  const auto load = [&](const work_item& item, std::int64_t row) {
    rows.load(arguments.kept.place_of(item.tile * columns).in, own_first(row), own_end(item, row));
  };
  split_joiner<1, true, Arguments, decltype(shared.join)> joiner(arguments, shared.join, block_threads, is_clerk);
  int buffer = 0;
  bool has_loaded = false;
  while (work.exists()) {
    work.draw();
    const work_item here = arguments.item_at(work.item());
    thread::node_counter<1, A> nodes;
    unsigned steps = 0;
    A root[1] = {};
    // The block's first step has no rows yet, and loads only.
    WARPFOLD_NO_UNROLL
    for (std::int64_t row = has_loaded ? here.first : here.first - step_rows; row < here.end;
         row += step_rows, buffer = 1 - buffer) {
      if (has_loaded) {
        if (own_first(row) < here.end) {
          const A value = rows.fold(own_first(row), own_end(here, row));
          if (lane < folder::exchanged_columns && column < columns)
            shared.warps[buffer][warp * columns + column] = value;
        }
        work.show();  // before the loads, for which the draw would wait
      }
      const bool goes_on = row + step_rows < here.end;
      if (goes_on || work.next() < plan.work_items()) {
        const work_item item = goes_on ? here : arguments.item_at(work.next());
        load(item, goes_on ? row + step_rows : item.first);
      }
      __syncthreads();  // the other buffer has been read, too
      const bool has_rows = has_loaded;
      has_loaded = true;
      if (!leads || !has_rows) continue;
      const int filled = static_cast<int>((least_of(here.end - row, step_rows) - 1) / batch_rows) + 1;
      A values[warps] = {};
      WARPFOLD_UNROLL
      for (int w = 0; w < warps; ++w)
        if (w < filled) values[w] = shared.warps[buffer][w * columns + own.lane];
      root[0] = thread::fold(values, arguments.op, filled);
      nodes.push(steps++, root, arguments.op);
    }
    if (leads) nodes.total(steps, root, arguments.op);
    if (plan.splits > 1) joiner.leave(here, own, root);
    else if (leads) arguments.template write<1>(here.tile * columns + own.lane, root);
    work.advance();
  }
  if (plan.splits > 1) joiner.finish();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
