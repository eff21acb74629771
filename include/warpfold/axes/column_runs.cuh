// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread walks down outputs whose operator has full nodes (thread/fold_run.cuh): batches are runs of many
// items, of which a lane holds few accumulators at a time. What is left of the last one is folded by smaller powers of
// two, so that all nodes are full.
#pragma once
#include <warpfold/axes/index_map.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/thread/fold_run.cuh>
#include <warpfold/thread/node_counter.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

namespace detail {
template <class Leaves> inline constexpr bool folds_runs = false;
template <class T, class Op, class Transform, class A, int Items>
inline constexpr bool folds_runs<array_leaves<T, thread::lifted<Op, Transform>, A, false, Items>> =
    thread::tells_wide_full_nodes<Op>();
}  // namespace detail
/// Whether columns of these leaves are folded by runs.
template <class Leaves> inline constexpr bool folds_runs = detail::folds_runs<Leaves>;

/// Items [first, end) of neighbouring outputs, the first of which lie together from `origin` on.
template <class Leaves, class Op, class Map> class column_runs {
 public:
  using A = typename Leaves::accumulator;
  static constexpr int vector = Leaves::chunk_items;

  __device__ column_runs(const Leaves& leaves, const Map& reduced, std::int64_t origin, Op op)
      : leaves_(leaves), reduced_(reduced), origin_(origin), op_(op) {}

  /// The roots over items [first, end), first < end, in batches of `Rows`, a power of two.
  template <int Rows> __device__ void fold(std::int64_t first, std::int64_t end, A (&values)[vector]) const {
    thread::node_counter<vector, A, 31, 0> nodes;
    unsigned batches = 0;
    std::int64_t row = first;
    WARPFOLD_NO_UNROLL
    for (; row + Rows <= end; row += Rows, ++batches) {
      fold_rows<Rows>(row, values);
      if (end - first == Rows) return;
      nodes.push(batches, values, op_);
    }
    if (row < end) {
      fold_rest<Rows / 2>(row, end, values);
      if (batches == 0) return;
      nodes.push(batches++, values, op_);
    }
    nodes.total(batches, values, op_);
  }

 private:
  /// The node over items [row, end), fewer than 2 * Rows.
  template <int Rows> __device__ void fold_rest(std::int64_t row, std::int64_t end, A (&values)[vector]) const {
    thread::node_counter<vector, A, log2_of(Rows) + 2, 0> nodes;
    unsigned done = 0;
    const auto take = [&]<int Count>(auto& self, std::integral_constant<int, Count>) -> void {
      if (static_cast<int>(end - row) & Count) {
        fold_rows<Count>(row, values);
        row += Count;
        if (done == 0 && row == end) return;
        nodes.push(done, values, op_, log2_of(Count));
        done += Count;
      }
      if constexpr (Count > 1) self(self, std::integral_constant<int, Count / 2>{});
    };
    take(take, std::integral_constant<int, Rows>{});
    if (done > 0) nodes.total(done, values, op_);
  }

  /// The nodes over `Rows` items from item `row` on.
  template <int Rows> __device__ void fold_rows(std::int64_t row, A (&values)[vector]) const {
    const stretch_place stretch = reduced_.stretch_at(row);
    const std::int64_t step = reduced_.inner_stride();
    typename Leaves::chunk held[Rows];
    if (stretch.remaining >= Rows) {
      WARPFOLD_UNROLL
      for (int k = 0; k < Rows; ++k) leaves_.load(held[k], origin_ + stretch.in + k * step);
    } else {
      WARPFOLD_UNROLL
      for (int k = 0; k < Rows; ++k)
        leaves_.load(held[k], origin_ + (k < stretch.remaining ? stretch.in + k * step : reduced_.in(row + k)));
    }
    bool counts = true;
    WARPFOLD_UNROLL
    for (int v = 0; v < vector; ++v) {
      const auto item = [&](int k) { return leaves_.transform.transform(held[k].item(v)); };
      counts = thread::run_counts<Rows>(leaves_.transform.op, item) && counts;
      values[v] = thread::fold_run<A, Rows>(leaves_.transform.op, item);
    }
    if (!counts) fold_items<Rows>(row, values);
  }

  /// The same where some item may not count: rare, so that the code is small.
  template <int Rows> __device__ void fold_items(std::int64_t row, A (&values)[vector]) const {
    thread::node_counter<vector, A, 6, 0> nodes;
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < Rows; ++k) {
      typename Leaves::chunk held;
      leaves_.load(held, origin_ + reduced_.in(row + k));
      WARPFOLD_UNROLL
      for (int v = 0; v < vector; ++v) values[v] = leaves_.leaf(held, v, 0);
      nodes.push(static_cast<unsigned>(k), values, op_);
    }
    nodes.total(Rows, values, op_);
  }

  const Leaves& leaves_;
  const Map& reduced_;
  std::int64_t origin_;
  Op op_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
