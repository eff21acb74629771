// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread walks down outputs whose operator has full nodes (thread/fold_run.cuh): batches are runs of many
// items, of which a lane holds few accumulators at a time. What is left of the last one is folded by smaller powers of
// two, so that all nodes are full.
#pragma once
#include <warpfold/axes/index_map.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/thread/full_form.cuh>
#include <warpfold/thread/node_counter.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The nodes over items [first, first + count) of neighbouring outputs, whose first items lie together from `origin`
/// on: item by item, for batches with items that do not count. They are rare, so the code is small, and loads again.
template <class Leaves, class Map, class Op, class A, int Vector>
__device__ void fold_by_items(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first,
                              int count, Op op, A (&values)[Vector]) {
  thread::node_counter<Vector, A, 6, 0> nodes;
  WARPFOLD_NO_UNROLL
  for (int k = 0; k < count; ++k) {
    typename Leaves::chunk held;
    leaves.load(held, origin + reduced.in(first + k));
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) values[v] = leaves.leaf(held, v, 0);
    nodes.push(static_cast<unsigned>(k), values, op);
  }
  nodes.total(static_cast<unsigned>(count), values, op);
}

/// The same of the rows that are `held`, by runs.
template <class Leaves, class Map, int Rows, class Op, class A, int Vector>
__device__ void fold_by_runs(const Leaves& leaves, const Map& reduced, std::int64_t origin,
                             const typename Leaves::chunk (&held)[Rows], std::int64_t first, Op op,
                             A (&values)[Vector]) {
  bool counts = true;
  WARPFOLD_UNROLL
  for (int v = 0; v < Vector; ++v) {
    const auto item = [&](int k) { return leaves.transform.transform(held[k].item(v)); };
    counts = thread::run_counts<Rows>(leaves.transform.op, item) && counts;
    values[v] = thread::fold_run<A, Rows>(leaves.transform.op, item);
  }
  if (!counts) fold_by_items(leaves, reduced, origin, first, Rows, op, values);
}
/// The same of the first `count` rows, 0 < count < Rows, by runs of smaller powers of two. Uses up `held`.
template <class Leaves, class Map, int Rows, class Op, class A, int Vector>
__device__ void fold_rest_by_runs(const Leaves& leaves, const Map& reduced, std::int64_t origin,
                                  typename Leaves::chunk (&held)[Rows], std::int64_t first, int count, Op op,
                                  A (&values)[Vector]) {
  thread::node_counter<Vector, A, log2_of(Rows) + 1, 0> nodes;
  int done = 0;
  const auto take = [&]<int Run>(auto& self, std::integral_constant<int, Run>) -> void {
    if (count & Run) {
      typename Leaves::chunk run[Run];
      WARPFOLD_UNROLL
      for (int k = 0; k < Run; ++k) run[k] = held[k], held[k] = held[Run + k];
      fold_by_runs(leaves, reduced, origin, run, first + done, op, values);
      if (count != Run) nodes.push(static_cast<unsigned>(done), values, op, log2_of(Run));
      done += Run;
    }
    if constexpr (Run > 1) self(self, std::integral_constant<int, Run / 2>{});
  };
  if constexpr (Rows > 1) take(take, std::integral_constant<int, Rows / 2>{});
  if ((count & (count - 1)) != 0) nodes.total(static_cast<unsigned>(count), values, op);
}

/// The nodes over batches of neighbouring outputs, `Rows` items each. As long as all items count, the lowest ones are
/// full, and lie in registers.
template <int Vector, int Rows, class Leaves, class Map, class Op> class run_nodes {
 public:
  using A = typename Leaves::accumulator;
  using higher_nodes = thread::node_counter<Vector, A, 31, 0>;

  /// Of the outputs whose items, the first of which is number `first`, lie together from `origin` on. (An object that
  /// has `higher` as a member would lie in local memory as a whole.)
  __device__ run_nodes(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first, Op op,
                       higher_nodes& higher)
      : leaves_(leaves), reduced_(reduced), origin_(origin), first_(first), op_(op), higher_(higher) {}

  /// Pushes batch number `batch`, whose rows are `held`.
  __device__ void push(unsigned batch, const typename Leaves::chunk (&held)[Rows]) {
    full nodes[Vector];
    A values[Vector];
    bool counts = true;
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) {
      const auto item = [&](int k) { return leaves_.transform.transform(held[k].item(v)); };
      nodes[v] = thread::detail::fold_full_items<0, Rows>(form(), item);
      values[v] = form().of_full(nodes[v], Rows);
      counts = counts && all_count(item, values[v]);
    }
    if (counts && are_full_) return push_full(batch, nodes);
    if (are_full_) keep_full(batch);
    are_full_ = false;
    if (!counts) fold_by_items(leaves_, reduced_, origin_, first_ + std::int64_t{batch} * Rows, Rows, op_, values);
    higher_.push(batch, values, op_);
  }
  /// The roots over all `batches`, and over the items that follow them, if `values` hold their nodes (`found`).
  __device__ void total(unsigned batches, A (&values)[Vector], bool found) {
    WARPFOLD_NO_UNROLL
    for (int level = 0; batches >> level != 0; ++level) {
      if (!(batches >> level & 1)) continue;
      A nodes[Vector];
      if (are_full_ && level < levels) get_full(level, nodes);
      else higher_.get(level, nodes);
      WARPFOLD_UNROLL
      for (int v = 0; v < Vector; ++v) values[v] = found ? op_(nodes[v], values[v]) : nodes[v];
      found = true;
    }
  }

 private:
  using form_type = thread::in_full_form<decltype(Leaves::transform.op), A>;
  using full = typename std::remove_cvref_t<form_type>::full;
  static constexpr int levels = Vector * sizeof(full) <= 16 ? 3 : Vector * sizeof(full) <= 32 ? 2 : 1;

  __device__ form_type form() const { return form_type{leaves_.transform.op}; }
  template <class Item> __device__ bool all_count(Item item, const A& value) const {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(item(0))>>) return true;
    else if constexpr (thread::tells_all_count<decltype(Leaves::transform.op), A>()) return form().all_count(value);
    else return thread::run_counts<Rows>(leaves_.transform.op, item);
  }
  __device__ void push_full(unsigned batch, full (&nodes)[Vector]) {
    WARPFOLD_UNROLL
    for (int level = 0; level < levels; ++level) {
      WARPFOLD_UNROLL
      for (int v = 0; v < Vector; ++v)
        if (batch >> level & 1) nodes[v] = form().join_full(full_[level][v], nodes[v], std::int64_t{Rows} << level);
        else full_[level][v] = nodes[v];
      if (!(batch >> level & 1)) return;
    }
    A values[Vector];
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) values[v] = form().of_full(nodes[v], std::int64_t{Rows} << levels);
    higher_.push(batch >> levels << levels, values, op_, levels);
  }
  __device__ void get_full(int level, A (&nodes)[Vector]) const {
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) {
      full node = full_[0][v];
      WARPFOLD_UNROLL
      for (int l = 1; l < levels; ++l)
        if (l == level) node = full_[l][v];
      nodes[v] = form().of_full(node, std::int64_t{Rows} << level);
    }
  }
  /// Leaves the full nodes over `batches` batches to the operator's own joins.
  __device__ void keep_full(unsigned batches) {
    WARPFOLD_NO_UNROLL
    for (int level = 0; level < levels; ++level) {
      if (!(batches >> level & 1)) continue;
      A nodes[Vector];
      get_full(level, nodes);
      higher_.put(level, nodes);
    }
  }

  const Leaves& leaves_;
  const Map& reduced_;
  std::int64_t origin_, first_;
  Op op_;
  higher_nodes& higher_;
  bool are_full_ = true;
  full full_[levels][Vector];
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
