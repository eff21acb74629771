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

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
