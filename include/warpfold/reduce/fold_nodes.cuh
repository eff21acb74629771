// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last step: one block folds the partial results of a node_schedule, level by level, to the root.
#pragma once
#include <warpfold/block/reduce.cuh>
#include <warpfold/reduce/node_schedule.cuh>

namespace warpfold::reduction {

/// Shared memory of fold_nodes.
template <class A, int BlockThreads, int ListCapacity, int StagedCapacity> struct fold_nodes_storage {
  thread::array<A, StagedCapacity> staged;
  thread::array<A, ListCapacity> list[2];
  block::reduce_storage<A, BlockThreads> block;
};

/// Folds the schedule's partial results by the canonical tree. Level by level, beginning with single tiles, it joins in
/// pairs the nodes of the level's region, followed by the nodes carried up from the level below. Regions begin at even
/// indices of their level, so these pairs are the tree's. Needs schedule.blocks < ListCapacity and a block of
/// BlockThreads threads, all of which call it. Valid in thread 0. Cost: a barrier a level.
template <int BlockThreads, int ListCapacity, int StagedCapacity, class A, class Op>
__device__ A fold_nodes(fold_nodes_storage<A, BlockThreads, ListCapacity, StagedCapacity>& shared, const A* partials,
                        const node_schedule& schedule, Op op) {
  const int thread = arch::flat_thread();
  const std::int64_t slots = schedule.slots;
  if (slots <= StagedCapacity) {  // read all at once: one trip to memory instead of one a level
    WARPFOLD_UNROLL_4
    for (int i = thread; i < slots; i += BlockThreads) shared.staged[i] = partials[i];
    __syncthreads();
    partials = shared.staged.data();
  }
  const A* carried = partials + (slots - schedule.single_tiles);
  const A* region = carried;
  int carried_nodes = schedule.single_tiles;
  A* target = shared.list[0].data();
  for (std::int64_t share = schedule.share;; share >>= 1) {
    const int region_nodes = share & 1 ? schedule.blocks : 0, nodes = region_nodes + carried_nodes;
    region -= region_nodes;
    const auto node = [&](int i) { return i < region_nodes ? region[i] : carried[i - region_nodes]; };
    if (share <= 1 && nodes <= BlockThreads)
      return block::reduce(shared.block, thread < nodes ? node(thread) : A{}, op, nodes);
    if (nodes <= 1) {  // nothing to join on this level
      if (region_nodes == 1) carried = region;
      carried_nodes = nodes;
      continue;
    }
    for (int i = thread; 2 * i < nodes; i += BlockThreads)
      target[i] = 2 * i + 1 < nodes ? op(node(2 * i), node(2 * i + 1)) : node(2 * i);
    __syncthreads();
    carried = target;
    carried_nodes = (nodes + 1) / 2;
    target = target == shared.list[0].data() ? shared.list[1].data() : shared.list[0].data();
  }
}

}  // namespace warpfold::reduction
