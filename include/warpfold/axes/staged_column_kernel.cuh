// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel for columns that threads fold one by one: the rows of a tile come to shared memory by bulk copies
// (row_stager.cuh), ahead of the threads.
#pragma once
#include <warpfold/arch/named_barrier.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/column_runs.cuh>
#include <warpfold/axes/row_stager.cuh>
#include <warpfold/thread/fold.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// An item at any address to which its type is aligned.
template <class Chunk, class T> __device__ void load_staged(Chunk& to, const unsigned char* from) {
  constexpr int piece = alignof(T) < 16 ? int{alignof(T)} : 16;
  WARPFOLD_UNROLL
  for (int byte = 0; byte < int{sizeof(T)}; byte += piece)
    arch::load_shared<piece>(from + byte, reinterpret_cast<unsigned char*>(to.word) + byte);
}

/// Calls push(chunks, first, count) for batches of the `count` items of a column that a stage has at `items`, of which
/// the first is number `first` of the column.
template <class Leaves, class Push>
__device__ void fold_stage(const unsigned char* items, int row_bytes, std::int64_t first, int count, Push push) {
  using T = typename Leaves::item;
  constexpr staged_policy policy = staged_policy_of<Leaves>;
  WARPFOLD_NO_UNROLL
  for (int row = 0; row < count; row += policy.batch_rows) {
    // Behind the last rows lie old items, which are still within the storage.
    typename Leaves::chunk held[policy.batch_rows] = {};
    WARPFOLD_UNROLL
    for (int k = 0; k < policy.batch_rows; ++k)
      load_staged<typename Leaves::chunk, T>(held[k], items + (row + k) * row_bytes);
    push(held, first + row, count - row);
    if constexpr (policy.batch_rows == policy.few.rows && policy.batch_rows == policy.many.rows) break;
  }
}

/// Folds the rows that the caller's group has of `item`, stage after stage from `place` on, and keeps their node in
/// shared.nodes[buffer].
template <class Arguments, class Leaves = typename Arguments::leaves_type>
__device__ void fold_group(const Arguments& arguments, const stage_shape& shape, staged_storage<Leaves>& shared,
                           const tile_thread& own, const staged_item& item, stage_place& place, int buffer) {
  using A = typename Leaves::accumulator;
  constexpr int batch_rows = staged_policy_of<Leaves>.batch_rows, item_bytes = sizeof(typename Leaves::item);
  const auto& leaves = arguments.leaves;
  const auto op = arguments.op;
  const bool has_rows = own.group < item.groups && own.lane < item.lanes;
  group_rows rows(arguments.plan, shape, item, own.group);
  const auto for_each_batch = [&](auto push) {
    for (int stage = 0; stage < item.stages; ++stage, rows.advance()) {
      if (stage > 0) shared.filled[place.number].wait_parity(place.parity);
      if (has_rows)
        fold_stage<Leaves>(shared.bytes + shape.offset(place.number, arguments.plan.groups, own.group) + item.before +
                               own.lane * item_bytes,
                           shape.row_bytes, rows.first(), rows.count(), push);
      __syncwarp();
      if (arch::lane_id() == 0) shared.emptied[place.number].arrive();
      place.advance(shape.stages);
    }
  };
  thread::node_counter<1, A, 31, 0> nodes;
  unsigned batches = 0;
  A root[1] = {};
  if constexpr (folds_runs<Leaves>) {
    const std::int64_t origin = item.origin + own.lane;
    run_nodes<1, batch_rows, Leaves, typename Arguments::map, typename Arguments::operation> whole(
        leaves, arguments.reduced, origin, rows.first(), op, nodes);
    bool has_rest = false;
    for_each_batch([&](auto& held, std::int64_t first, int count) {
      if (count >= batch_rows) return whole.push(batches++, held);
      fold_rest_by_runs(leaves, arguments.reduced, origin, held, first, count, op, root);
      has_rest = true;
    });
    if (has_rows) whole.total(batches, root, has_rest);
  } else {
    for_each_batch([&](const auto& held, std::int64_t first, int count) {
      root[0] = fold_batch_rows(leaves, held, 0, first, count, op);
      nodes.push(batches++, root, op);
    });
    if (has_rows) nodes.total(batches, root, op);
  }
  if (has_rows) shared.nodes[buffer][arch::flat_thread()] = root[0];
}

/// The node over the first `count` of the nodes that the row groups of a lane have left, 8 at a time. The first warps
/// call it while all others wait for them, so it does no more than `count` asks for.
template <class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A join_groups(const A* nodes, int lanes, int count, Op op) {
  constexpr int adjacent = 8, most = staged_policy_of<Leaves>.max_groups / adjacent;
  thread::node_counter<1, A, log2_of(most) + 1, 0> joined;
  A root[1] = {nodes[0]};
  if (count == 1) return root[0];
  WARPFOLD_NO_UNROLL
  for (int first = 0; first < count; first += adjacent) {
    A held[adjacent] = {};
    WARPFOLD_UNROLL
    for (int g = 0; g < adjacent; ++g)
      if (first + g < count) held[g] = nodes[(first + g) * lanes];
    root[0] = thread::fold(held, op, least_of(count - first, adjacent));
    if (count > adjacent) joined.push(static_cast<unsigned>(first / adjacent), root, op);
  }
  if (count > adjacent) joined.total(static_cast<unsigned>((count - 1) / adjacent + 1), root, op);
  return root[0];
}

/// The folding threads and the clerk's warp meet when the nodes of a work item are in shared memory.
__device__ inline void meet_clerk(const stage_shape& shape) { arch::meet_warps<1>(shape.threads + warp_lanes); }

/// Folds each work item whose stages come, until one has number -1. All threads that fold call it.
template <class Arguments, class Joiner, class Leaves = typename Arguments::leaves_type>
__device__ void fold_items(const Arguments& arguments, const stage_shape& shape, staged_storage<Leaves>& shared,
                           Joiner& joiner) {
  using A = typename Leaves::accumulator;
  const auto& plan = arguments.plan;
  const tile_thread own(plan.lanes);
  stage_place place;
  for (int buffer = 0;; buffer ^= 1) {
    shared.filled[place.number].wait_parity(place.parity);
    const staged_item item = shared.items[place.number];
    if (arch::flat_thread() == 0) shared.folded[buffer] = item.number;
    if (item.number < 0) break;
    fold_group(arguments, shape, shared, own, item, place, buffer);
    meet_clerk(shape);
    if (own.group > 0 || own.lane >= item.lanes) continue;
    const A root[1] = {join_groups<Leaves>(&shared.nodes[buffer][own.lane], plan.lanes, item.groups, arguments.op)};
    if (plan.splits == 1) arguments.template write<1>(plan.first_of(item.rows.tile) + own.lane, root);
    else joiner.put(item.rows, own, root);
  }
  meet_clerk(shape);
}

/// The clerk's warp arrives for a work item when the threads have folded the next one: its nodes are then written.
template <class Arguments, class Joiner, class Leaves = typename Arguments::leaves_type>
__device__ void arrive_for_items(const Arguments& arguments, const stage_shape& shape, staged_storage<Leaves>& shared,
                                 Joiner& joiner) {
  std::int64_t finished = -1;
  for (int buffer = 0;; buffer ^= 1) {
    meet_clerk(shape);
    if (arguments.plan.splits > 1 && finished >= 0) joiner.arrive(arguments.item_at(finished));
    finished = shared.folded[buffer];
    if (finished < 0) break;
  }
}

/// Each block draws splits of matrices. Row groups of threads have adjacent rows of a split, and each thread has one
/// column. When all stages of the split have come, the first group joins the values of all groups. More warps start the
/// copies; and one, the clerk's, arrives for the work items whose nodes the block has written.
template <class Arguments, class Leaves = typename Arguments::leaves_type>
__global__ void __launch_bounds__(staged_policy_of<Leaves>.block_threads(), 1)
staged_column_kernel(const __grid_constant__ Arguments arguments, const __grid_constant__ stage_shape shape) {
  const int threads = shape.threads, fold_warps = threads / warp_lanes,
            clerk_warp = fold_warps + stager_warps_of<Leaves>;
  auto& shared = arch::dynamic_shared<staged_storage<Leaves>>();
  const int warp = arch::flat_thread() / warp_lanes;
  if (arch::flat_thread() == 0) {
    for (int i = 0; i < shape.stages; ++i)
      shared.filled[i].init(stager_warps_of<Leaves>), shared.emptied[i].init(fold_warps);
    arch::fence_mbarrier_init();
  }
  split_joiner<1, true, Arguments, decltype(shared.join)> joiner(arguments, shared.join, threads,
                                                                 warp == clerk_warp && arch::lane_id() == 0);
  row_stager stager(arguments, shape, shared, warp - fold_warps);
  __syncthreads();
  if (warp < fold_warps) fold_items(arguments, shape, shared, joiner);
  else if (warp < clerk_warp) stager.run();
  else arrive_for_items(arguments, shape, shared, joiner);
  __syncthreads();
  if (arguments.plan.splits > 1) joiner.finish();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
