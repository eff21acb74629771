// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread walks down neighbouring outputs: a batch of rows of a vector of them is in flight at a time.
#pragma once
#include <warpfold/axes/column_runs.cuh>
#include <warpfold/axes/index_map.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/axes/policy.hpp>
#include <warpfold/thread/node_counter.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Whether a batch takes more time to fold than to load. Arg-reductions compare its items as numbers, for which bytes
/// and halves must be converted.
template <class Leaves, class T = typename Leaves::item, class A = typename Leaves::accumulator>
inline constexpr bool folds_heavily = is_heavy<T, A> && !(thread::locates<Leaves> && sizeof(T) >= 4);
/// Bytes that a thread holds for each item while it folds a batch: with runs it has few accumulators at a time.
template <class Leaves>
inline constexpr std::size_t column_leaf_bytes = folds_runs<Leaves> || sums_in_lanes<Leaves> ? run_leaf_bytes
                                                                                             : leaf_bytes<Leaves>();
template <class Leaves>
inline constexpr kernel_policy column_policy_of = [] {
  kernel_policy policy = kernel_policy_for(sizeof(typename Leaves::item), sizeof(typename Leaves::accumulator),
                                           column_leaf_bytes<Leaves>, Leaves::chunk_items, folds_heavily<Leaves>);
  if (sums_in_lanes<Leaves>) policy.resident_threads = summing_threads(sizeof(typename Leaves::accumulator));
  return policy;
}();

/// The nodes over a batch of `count` > 0 items, the first of which is number `first` of its output.
template <class Leaves, int Rows, class Op, class A, int Vector>
__device__ void fold_batch(const Leaves& leaves, const typename Leaves::chunk (&held)[Rows], std::int64_t first,
                           int count, Op op, A (&values)[Vector]) {
  WARPFOLD_UNROLL
  for (int v = 0; v < Vector; ++v) values[v] = fold_batch_rows(leaves, held, v, first, count, op);
}

/// Items of a vector of outputs, a batch at a time, which a thread has in flight while it does other things.
template <class Leaves, class Op, class Map> class column_batch {
 public:
  using A = typename Leaves::accumulator;
  static constexpr int rows = column_policy_of<Leaves>.batch_rows, vector = Leaves::chunk_items;

  __device__ column_batch(const Leaves& leaves, const Map& reduced, Op op)
      : leaves_(leaves), reduced_(reduced), op_(op) {}

  /// Starts to load the items [first, end), a batch at most, of outputs whose first items lie at `origin`. A batch that
  /// crosses ends of the innermost axis is loaded stretch by stretch.
  __device__ void load(std::int64_t origin, std::int64_t first, std::int64_t end) {
    first_ = first;
    count_ = static_cast<int>(least_of(end - first, rows));
    if (count_ <= 0) return;
    const std::int64_t step = reduced_.inner_stride();
    stretch_place stretch = reduced_.stretch_at(first);
    if (count_ == rows && stretch.remaining >= rows) {
      WARPFOLD_UNROLL
      for (int k = 0; k < rows; ++k) leaves_.load(held_[k], origin + stretch.in + k * step);
      return;
    }
    WARPFOLD_NO_UNROLL
    for (int begin = 0;;) {
      const std::int64_t place = origin + stretch.in - begin * step;
      const int stretch_end = begin + static_cast<int>(least_of(stretch.remaining, count_ - begin));
      WARPFOLD_UNROLL
      for (int k = 0; k < rows; ++k)
        if (k >= begin && k < stretch_end) leaves_.load(held_[k], place + k * step);
      if (stretch_end == count_) return;
      begin = stretch_end;
      stretch = reduced_.stretch_at(first + begin);
    }
  }
  /// Whether the last load found items.
  __device__ bool has_items() const { return count_ > 0; }
  /// The nodes over the items that were loaded last.
  __device__ void fold(A (&values)[vector]) const { fold_batch(leaves_, held_, first_, count_, op_, values); }

 private:
  const Leaves& leaves_;
  const Map& reduced_;
  Op op_;
  std::int64_t first_ = 0;
  int count_ = 0;
  typename Leaves::chunk held_[rows] = {};
};

/// Loads the rows of a batch that begins with item `row`, of which `count` exist, of outputs whose first items lie
/// together from `origin` on.
template <class Leaves, class Map, int Rows>
__device__ void load_down(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t row, int count,
                          typename Leaves::chunk (&to)[Rows]) {
  const stretch_place stretch = reduced.stretch_at(row);
  const std::int64_t step = reduced.inner_stride();
  if (stretch.remaining >= Rows && count == Rows) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k) leaves.load(to[k], origin + stretch.in + k * step);
  } else {
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k)
      if (k < count) leaves.load(to[k], origin + (k < stretch.remaining ? stretch.in + k * step : reduced.in(row + k)));
  }
}

/// fold_down where lanes sum their items in a form of their own.
template <int Vector, class Leaves, class Map, class A = typename Leaves::accumulator>
__device__ void sum_down(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first,
                         std::int64_t end, A (&values)[Vector]) {
  constexpr int rows = column_policy_of<Leaves>.batch_rows;
  lane_sum<Leaves, rows> sums[Vector];
  WARPFOLD_NO_UNROLL
  for (std::int64_t row = first; row < end; row += rows) {
    const int count = static_cast<int>(least_of(end - row, rows));
    typename Leaves::chunk held[rows] = {};
    load_down(leaves, reduced, origin, row, count, held);
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) {
      typename lane_sum<Leaves, rows>::number items[rows];
      WARPFOLD_UNROLL
      for (int k = 0; k < rows; ++k) items[k] = summed_item(leaves, held[k], v, k < count);
      sums[v].add(items);
    }
  }
  WARPFOLD_UNROLL
  for (int v = 0; v < Vector; ++v) values[v] = sums[v].total();
}

/// The roots over the items [first, end), first < end, of the outputs whose first items lie together from `origin` on.
/// (Not by column_batch: the compiler would turn small items into accumulators as soon as they come, and keep all.)
template <int Vector, class Leaves, class Map, class Op, class A = typename Leaves::accumulator>
__device__ void fold_down(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first,
                          std::int64_t end, Op op, A (&values)[Vector]) {
  constexpr int rows = column_policy_of<Leaves>.batch_rows;
  if constexpr (folds_runs<Leaves>)
    return column_runs<Leaves, Op, Map>(leaves, reduced, origin, op).template fold<rows>(first, end, values);
  if constexpr (sums_in_lanes<Leaves>) return sum_down(leaves, reduced, origin, first, end, values);
  thread::node_counter<Vector, A, 31, 0> batches_before;
  unsigned batches = 0;
  WARPFOLD_NO_UNROLL
  for (std::int64_t row = first; row < end; row += rows, ++batches) {
    const int count = static_cast<int>(least_of(end - row, rows));
    typename Leaves::chunk held[rows] = {};
    load_down(leaves, reduced, origin, row, count, held);
    fold_batch(leaves, held, row, count, op, values);
    if (end - first <= rows) return;
    batches_before.push(batches, values, op);
  }
  batches_before.total(batches, values, op);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
