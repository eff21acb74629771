// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread walks down neighbouring outputs: a batch of rows of a vector of them is in flight at a time.
#pragma once
#include <warpfold/axes/leaves.cuh>
#include <warpfold/axes/load_rows.cuh>
#include <warpfold/axes/policy.hpp>
#include <warpfold/thread/node_counter.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Whether leaves are pairs of numbers as wide as the items, as minima and maxima are: quick, unless they are terms.
template <class Leaves, class T = typename Leaves::item, class A = typename Leaves::accumulator>
inline constexpr bool holds_pairs = sizeof(T) >= 4 && sizeof(A) <= 2 * sizeof(T) && !detail::has_terms<Leaves>;
/// Whether a batch takes more time to fold than to load.
template <class Leaves, class T = typename Leaves::item, class A = typename Leaves::accumulator>
inline constexpr bool folds_heavily = is_heavy<T, A> && !holds_pairs<Leaves>;
/// Whether narrower items become doubles, and little else is to be computed.
template <class Leaves, class T = typename Leaves::item, class A = typename Leaves::accumulator>
inline constexpr bool becomes_double = std::is_same_v<A, double> && (sizeof(T) < sizeof(A)) &&
                                       (Leaves::chunk_items > 1) && !folds_heavily<Leaves>;
/// Whether vectors have many narrow items, and little else is to be computed: folding them takes as long as loading.
template <class Leaves, class T = typename Leaves::item>
inline constexpr bool has_many_narrow = (sizeof(T) < 4) && (Leaves::chunk_items > 1) && !folds_heavily<Leaves>;
/// Bytes that a thread holds for each item while it folds a batch: with runs it has few accumulators at a time.
template <class Leaves>
inline constexpr std::size_t column_leaf_bytes = folds_runs<Leaves> || sums_in_lanes<Leaves> ? run_leaf_bytes
                                                                                             : leaf_bytes<Leaves>();
/// The same where an output has few items, all of which it holds.
template <class Leaves>
inline constexpr std::size_t held_bytes = folds_runs<Leaves> ? run_leaf_bytes
                                          : sums_few<Leaves> ? sizeof(typename Leaves::item)
                                                             : sizeof(typename Leaves::accumulator);
template <class Leaves>
inline constexpr kernel_policy column_policy_of = [] {
  kernel_policy policy = kernel_policy_for(sizeof(typename Leaves::item), sizeof(typename Leaves::accumulator),
                                           column_leaf_bytes<Leaves>, Leaves::chunk_items, folds_heavily<Leaves>);
  if (detail::folds_parts_by_runs<Leaves>)
    policy.block_threads = fused_threads, policy.resident_threads = 2 * fused_threads,
    policy.work_bytes = fused_work_bytes;
  if (becomes_double<Leaves> || has_many_narrow<Leaves>) policy = converting(policy);
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

  /// Starts to load the items [first, end), a batch at most, of outputs whose first items lie at `origin`.
  __device__ void load(std::int64_t origin, std::int64_t first, std::int64_t end) {
    first_ = first;
    count_ = static_cast<int>(least_of(end - first, rows));
    if (count_ > 0) load_rows(leaves_, reduced_, origin, first, count_, held_);
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

/// Whether the next batch is under way while one is folded. Light folds do without: there would be registers for half
/// as many rows, and sums take a tenth longer so.
template <class Leaves> inline constexpr bool loads_batch_ahead = folds_heavily<Leaves>;

/// Calls fold(first item, items, chunks) for each batch of `Rows` of the items [first, end) of outputs whose first
/// items lie together from `origin` on; only the last one may have fewer.
template <int Rows, class Leaves, class Map, class Fold>
__device__ void for_each_batch(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first,
                               std::int64_t end, Fold fold) {
  typename Leaves::chunk ahead[Rows] = {};
  const auto count_at = [&](std::int64_t row) { return static_cast<int>(least_of(end - row, std::int64_t{Rows})); };
  if (loads_batch_ahead<Leaves>) load_rows(leaves, reduced, origin, first, count_at(first), ahead);
  WARPFOLD_NO_UNROLL
  for (std::int64_t row = first; row < end; row += Rows) {
    typename Leaves::chunk held[Rows] = {};
    if constexpr (loads_batch_ahead<Leaves>) {
      WARPFOLD_UNROLL
      for (int k = 0; k < Rows; ++k) held[k] = ahead[k];
      if (row + Rows < end) load_rows(leaves, reduced, origin, row + Rows, count_at(row + Rows), ahead);
    } else load_rows(leaves, reduced, origin, row, count_at(row), held);
    fold(row, count_at(row), held);
  }
}

/// fold_down where lanes sum their items in a form of their own.
template <int Vector, class Leaves, class Map, class A = typename Leaves::accumulator>
__device__ void sum_down(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first,
                         std::int64_t end, A (&values)[Vector]) {
  constexpr int rows = column_policy_of<Leaves>.alone_rows;
  lane_sum<Leaves, rows> sums[Vector];
  for_each_batch<rows>(leaves, reduced, origin, first, end, [&](std::int64_t, int count, const auto& held) {
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) {
      typename lane_sum<Leaves, rows>::number items[rows];
      WARPFOLD_UNROLL
      for (int k = 0; k < rows; ++k) items[k] = summed_item(leaves, held[k], v, k < count);
      sums[v].add(items);
    }
  });
  WARPFOLD_UNROLL
  for (int v = 0; v < Vector; ++v) values[v] = sums[v].total();
}

/// fold_down where any grouping gives the same bits: batches are joined one after another.
template <int Vector, class Leaves, class Map, class Op, class A = typename Leaves::accumulator>
__device__ void fold_down_in_turn(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first,
                                  std::int64_t end, Op op, A (&values)[Vector]) {
  constexpr int rows = column_policy_of<Leaves>.alone_rows;
  for_each_batch<rows>(leaves, reduced, origin, first, end, [&](std::int64_t row, int count, const auto& held) {
    A nodes[Vector];
    fold_batch(leaves, held, row, count, op, nodes);
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) values[v] = row == first ? nodes[v] : op(values[v], nodes[v]);
  });
}

/// The roots over the items [first, end), first < end, of the outputs whose first items lie together from `origin` on.
/// (Not by column_batch: the compiler would turn small items into accumulators as soon as they come, and keep all.)
template <int Vector, class Leaves, class Map, class Op, class A = typename Leaves::accumulator>
__device__ void fold_down(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first,
                          std::int64_t end, Op op, A (&values)[Vector]) {
  constexpr int rows = column_policy_of<Leaves>.alone_rows;
  if constexpr (sums_in_lanes<Leaves>) return sum_down(leaves, reduced, origin, first, end, values);
  if constexpr (is_exact<Op, A>) return fold_down_in_turn(leaves, reduced, origin, first, end, op, values);
  thread::node_counter<Vector, A, 31, 0> nodes;
  unsigned batches = 0;
  for_each_batch<rows>(leaves, reduced, origin, first, end, [&](std::int64_t row, int count, const auto& held) {
    fold_batch(leaves, held, row, count, op, values);
    if (end - first > rows) nodes.push(batches++, values, op);
  });
  if (batches > 0) nodes.total(batches, values, op);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
