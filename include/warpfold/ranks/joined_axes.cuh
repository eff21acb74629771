// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays whose reduced axis is split over ranks: what is checked before the nodes of all results travel, and how they
// are joined.
#pragma once
#include <warpfold/ranks/join.cuh>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Checks that parts cover the axis once, and that all ranks have as many results. *nodes = the most nodes that a part
/// has; 0 if something is wrong. In a capture, where nobody waits for that number, all parts must have as many.
struct check_axis_parts {
  std::int64_t* nodes;
  bool is_captured;

  template <class Op>
  __device__ void operator()(const gathered_messages& all, const Op&, report* to, int& shared) const {
    if (threadIdx.x == 0) *nodes = 0;
    if (!check_calls(all, to, shared)) return;
    if (order_parts(all, to, shared) < 0 || threadIdx.x != 0) return;
    const auto count = [&](int rank) { return list_nodes(all.of(rank).first, all.of(rank).end).count(); };
    int most = 0;
    for (int rank = 0; rank < all.count; ++rank) {
      const message_header& header = all.of(rank);
      if (header.count != all.of(0).count)
        return put_report(to, problem::other_count, rank, 0, header.count, all.of(0).count);
      if (is_captured && count(rank) != count(0))
        return put_report(to, problem::other_nodes, rank, 0, count(rank), count(0));
      most = count(rank) > most ? count(rank) : most;
    }
    *nodes = most;
  }
};

/// The nodes that the ranks have sent: from byte r * stride on those of rank r, node k of all results side by side.
template <class A> struct gathered_axes {
  gathered_messages parts;
  const std::int64_t* is_valid;  ///< if not null: 0 if something is wrong
  const std::byte* values;
  std::int64_t results;
  std::size_t stride;

  __device__ const A& node(int rank, int k, std::int64_t result) const {
    return reinterpret_cast<const A*>(values + static_cast<std::size_t>(rank) * stride)[k * results + result];
  }
};

/// out[i] = init op all nodes of result i.
template <class A, class Op> __global__ void __launch_bounds__(128)
join_axes_kernel(const __grid_constant__ gathered_axes<A> from, A* out, Op op,
                 const __grid_constant__ grid::initial_value<A> init,
                 const __grid_constant__ grid::initial_value<A> nothing) {
  if (from.is_valid != nullptr && *from.is_valid == 0) return;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  int ranks = 0;  // with items, in parts.order
  for (int rank = 0; rank < from.parts.count; ++rank) ranks += from.parts.of(rank).first < from.parts.of(rank).end;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < from.results; i += step) {
    canonical_nodes<A, Op> list(0);
    for (int place = 0; place < ranks; ++place) {
      const int rank = from.parts.order[place];
      const list_nodes nodes(from.parts.of(rank).first, from.parts.of(rank).end);
      for (int k = 0; k < nodes.count(); ++k)
        list.append_node(reduction::powers::bits_of(nodes[k].items - 1), from.node(rank, k, i), op);
    }
    if (ranks > 0) out[i] = init.join(list.root(op), op);
    else if (nothing.exists()) out[i] = nothing.alone();
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
