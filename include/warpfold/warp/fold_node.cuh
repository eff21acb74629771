// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp folds consecutive batches to one node of the canonical tree.
#pragma once
#include <warpfold/warp/fold_batch.cuh>

namespace warpfold::warp {

/// The node over the 2^level batches that start at item `first`; they must be whole unless level is 0, and the first
/// item must exist. Valid in every lane. The finished nodes that wait for their right sibling are kept one a lane: lane
/// j holds the one of 2^j batches, so a binary counter takes one register. Needs level < 31.
template <int Rows, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_node(const Leaves& leaves, std::int64_t first, int level, Op op) {
  constexpr std::int64_t batch_items = std::int64_t{Rows} * warp_lanes * Leaves::chunk_items;
  const std::uint32_t last_batch = (std::uint64_t{1} << level) - 1;
  A waiting{};
  for (std::uint32_t batch = 0;; ++batch) {
    A value = fold_batch<Rows>(leaves, first + batch * batch_items, op);
    int joined = 0;
    for (; batch >> joined & 1; ++joined) value = op(shuffle(waiting, joined), value);  // carries of the counter
    if (batch == last_batch) return value;
    if (arch::lane_id() == joined) waiting = value;
  }
}

}  // namespace warpfold::warp
