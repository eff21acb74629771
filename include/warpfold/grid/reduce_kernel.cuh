// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of the default reduction: a sequence to one value by the canonical tree.
#pragma once
#include <warpfold/arch/cluster.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/grid/fold_nodes.cuh>
#include <warpfold/grid/last_block.cuh>
#include <warpfold/tuning/reduce_policy.hpp>
#include <warpfold/warp/fold_node.cuh>

namespace warpfold::grid::inline v1 {

/// What joins on the left of the result, if anything: a value, or one that lies in device memory by then.
template <class A> struct initial_value {
  enum class kind { none, value, pointer } what = kind::none;
  A value{};
  const A* pointer = nullptr;

  template <class Op> __device__ A join(const A& result, Op op) const {
    return what == kind::none ? result : op(what == kind::value ? value : *pointer, result);
  }
  __device__ A alone() const { return what == kind::pointer ? *pointer : value; }
};

template <class Leaves, class Op, class Out> struct reduce_arguments {
  using A = typename Leaves::accumulator;
  Leaves leaves;
  Op op;
  Out out;
  initial_value<A> init;
  node_schedule schedule;
  int rows;           ///< rows a batch: a power of two up to the policy's
  A* partials;        ///< schedule.slots values of scratch, if there is more than one
  unsigned* ticket;   ///< zero before, zero after

  __device__ void write(const A& result) const { *out = init.join(result, op); }
};

template <class Leaves>
inline constexpr tuning::reduce_policy reduce_policy =
    tuning::reduce_policy_for(sizeof(typename Leaves::chunk), sizeof(typename Leaves::accumulator));

/// Shared memory of the kernels.
template <class Leaves> struct reduce_storage {
  static constexpr tuning::reduce_policy policy = reduce_policy<Leaves>;
  using A = typename Leaves::accumulator;
  struct node_values {
    thread::array<A, policy.block_threads / warp_lanes> warp[policy.node_capacity];
    std::int64_t slot[policy.node_capacity];
    int warps[policy.node_capacity];  ///< how many warps had items
  };
  union {
    node_values node;  ///< while blocks fold their nodes
    fold_nodes_storage<A, policy.block_threads, policy.list_capacity, policy.staged_capacity> last;  ///< after
  };
  thread::array<A, tuning::max_cluster_blocks> block;  ///< results of the cluster's blocks
  bool is_last;
};

/// Joins the warps' results of the first `nodes` nodes of this block, one warp a node; publish(slot, value) in lane 0.
template <class Nodes, class Op, class Publish>
__device__ void join_warps(Nodes& shared, int nodes, Op op, Publish publish) {
  const int warp = arch::thread_rank() / warp_lanes, lane = arch::lane_id();
  __syncthreads();
  for (int i = warp; i < nodes; i += static_cast<int>(blockDim.x) / warp_lanes) {
    const int warps = shared.warps[i];
    const auto value = warp::all_reduce(shared.warp[i][lane < warps ? lane : 0], op, warps);
    if (lane == 0) publish(shared.slot[i], value);
  }
}

/// Folds this block's nodes. Of a node each warp takes an equal run of consecutive batches, so that warps need not meet
/// before the end. publish(slot, value) is called once a node, by some warp's lane 0.
template <int Rows, class Leaves, class Op, class Nodes, class Publish>
__device__ void fold_share(const Leaves& leaves, const node_schedule& schedule, Op op, Nodes& shared, Publish publish) {
  constexpr std::int64_t batch_items = std::int64_t{Rows} * warp_lanes * Leaves::chunk_items;
  constexpr int capacity = reduce_policy<Leaves>.node_capacity;
  const int warp = arch::thread_rank() / warp_lanes, warps = static_cast<int>(blockDim.x) / warp_lanes;
  int nodes = 0;
  schedule.for_each_node(static_cast<int>(blockIdx.x), [&](const node& n) {
    if (nodes == capacity) {
      join_warps(shared, nodes, op, publish);
      __syncthreads();
      nodes = 0;
    }
    const std::int64_t node_first = n.first_tile * warps * batch_items;
    const std::int64_t first = node_first + (std::int64_t{warp} << n.level) * batch_items;
    if (first < leaves.source.items) {
      const auto value = warp::fold_node<Rows>(leaves, first, n.level, op);
      if (arch::lane_id() == 0) shared.warp[nodes][warp] = value;
    }
    if (arch::thread_rank() == 0) {
      const std::int64_t batches = (leaves.source.items - node_first + batch_items - 1) / batch_items;
      shared.slot[nodes] = n.slot;
      shared.warps[nodes] = static_cast<int>(batches < warps ? batches : warps);
    }
    ++nodes;
  });
  join_warps(shared, nodes, op, publish);
}

/// fold_share with the batch height that the plan chose: a power of two up to MaxRows.
template <int MaxRows, class Arguments, class Nodes, class Publish>
__device__ void fold_share_by_plan(const Arguments& arguments, Nodes& shared, Publish publish) {
  if constexpr (MaxRows > 1)
    if (arguments.rows < MaxRows) return fold_share_by_plan<MaxRows / 2>(arguments, shared, publish);
  fold_share<MaxRows>(arguments.leaves, arguments.schedule, arguments.op, shared, publish);
}

/// Persistent blocks, each folding its share of the canonical tree; the last block joins the nodes. One launch.
template <class Leaves, class Op, class Out>
WARPFOLD_HIDDEN __global__ void
__launch_bounds__(reduce_policy<Leaves>.block_threads, reduce_policy<Leaves>.blocks_per_multiprocessor)
    reduce_kernel(const __grid_constant__ reduce_arguments<Leaves, Op, Out> arguments) {
  using A = typename Leaves::accumulator;
  auto& shared = arch::dynamic_shared<reduce_storage<Leaves>>();
  const bool one_node = arguments.schedule.slots == 1;
  fold_share_by_plan<reduce_policy<Leaves>.max_rows>(arguments, shared.node, [&](std::int64_t slot, const A& value) {
    if (one_node) arguments.write(value);
    else arguments.partials[slot] = value;
  });
  if (one_node || !arrive_last(arguments.ticket, shared.is_last)) return;
  const A result = fold_nodes(shared.last, arguments.partials, arguments.schedule, arguments.op);
  if (arch::thread_rank() == 0) arguments.write(result);
}

/// One cluster of up to 16 blocks, each folding one tile; block 0 gathers them through distributed shared memory.
template <class Leaves, class Op, class Out>
WARPFOLD_HIDDEN __global__ void
__launch_bounds__(reduce_policy<Leaves>.block_threads, reduce_policy<Leaves>.blocks_per_multiprocessor)
    cluster_reduce_kernel(const __grid_constant__ reduce_arguments<Leaves, Op, Out> arguments) {
  using A = typename Leaves::accumulator;
  auto& shared = arch::dynamic_shared<reduce_storage<Leaves>>();
  arch::cluster_arrive_relaxed();  // all blocks run, and so their shared memory exists, before anyone writes to it
  A own{};
  fold_share_by_plan<reduce_policy<Leaves>.quick_rows>(arguments, shared.node,
                                                       [&](std::int64_t, const A& value) { own = value; });
  arch::cluster_wait();
  const int block = static_cast<int>(arch::cluster_rank()), blocks = static_cast<int>(arguments.schedule.slots);
  if (arch::thread_rank() == 0 && block < blocks) *arch::map_shared_rank(&shared.block[block], 0) = own;
  arch::cluster_arrive();
  if (block != 0) return;
  arch::cluster_wait();
  if (arch::thread_rank() >= warp_lanes) return;
  const int lane = arch::lane_id();
  const A result = warp::all_reduce(shared.block[lane < blocks ? lane : 0], arguments.op, blocks);
  if (lane == 0) arguments.write(result);
}

/// The result of an empty input.
template <class A, class Out> WARPFOLD_HIDDEN __global__ void write_kernel(Out out, initial_value<A> init) {
  *out = init.alone();
}

}  // namespace warpfold::grid::inline v1
