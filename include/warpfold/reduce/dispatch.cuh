// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of the default reduction: checks, plan, scratch, one launch.
#pragma once
#include <warpfold/host/batch_plan.hpp>
#include <warpfold/host/initial_value.cuh>
#include <warpfold/host/launch.cuh>
#include <warpfold/host/reduce_with.hpp>
#include <warpfold/host/scratch_for.cuh>
#include <warpfold/reduce/kernel.cuh>
#include <warpfold/reduce/plan.hpp>
#include <warpfold/reduce/scratch.hpp>
#include <warpfold/reduce/select_kernel.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The kernel of a plan's shape, for given types.
template <class Leaves, class Op, class Out> struct reduce_kernels {
  static constexpr auto policy = policy_of<Leaves>;
  static constexpr auto* in_cluster = &tile_kernel<gather::cluster, Leaves, Op, Out>;
  static constexpr auto* in_wave = &tile_kernel<gather::last_block, Leaves, Op, Out>;
  static constexpr auto* in_shares = &share_kernel<Leaves, Op, Out>;
  static constexpr std::size_t tile_bytes = sizeof(tile_kernel_storage<Leaves, policy.max_rows>);
  static constexpr std::size_t share_bytes = sizeof(share_kernel_storage<Leaves>);
  static_assert(share_bytes <= 48 * 1024, "warpfold: the accumulator is too large for a device-wide reduction");

  static reduce_limits limits(int device) {
    return {host::limits_of(device).multiprocessors,
            host::blocks_per_multiprocessor<in_shares>(device, policy.share_threads, share_bytes),
            host::cluster_blocks<in_cluster>(device, policy.block_threads, tile_bytes)};
  }
};

/// Enqueues the kernel of the plan's shape. There is at least one item.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_tree(const char* function, const Leaves& leaves, Out out, Op op, const grid::initial_value<A>& init,
                  const reduce_options<A>& options) {
  using kernels = reduce_kernels<Leaves, Op, Out>;
  const std::int64_t items = leaves.source.items;
  const int device = host::current_device();
  const reduce_plan plan =
      plan_reduce(kernels::limits(device), items, Leaves::chunk_items, kernels::policy, sizeof(A), options.max_blocks);
  if (plan.schedule.level > max_unit_level) {
    const std::int64_t tile_items = std::int64_t{warp_lanes} * Leaves::chunk_items * plan.rows * plan.block_warps;
    const std::int64_t most = (std::int64_t{max_units(sizeof(A), plan.block_warps)} << max_unit_level) * tile_items;
    reject(function,
           "count is " + std::to_string(items) + "; at most " + std::to_string(most) + " items can be counted");
  }

  const bool uses_scratch = plan.shape == reduce_shape::wave || plan.shape == reduce_shape::shares;
  const host::call_scratch scratch =
      host::scratch_for(device, options, reduction::scratch(device, sizeof(A)), uses_scratch);
  const reduce_arguments<Leaves, Op, Out> arguments{
      leaves, op, out, init, {plan.schedule, plan.rows, plan.last_warps}, scratch.room<A>(), scratch.ticket()};
  const bool shares = plan.shape == reduce_shape::shares;
  auto config = host::launch_config(plan.blocks, plan.block_warps * warp_lanes,
                                    shares ? kernels::share_bytes : kernels::tile_bytes, options.stream);
  cudaLaunchAttribute cluster{};
  if (plan.shape == reduce_shape::cluster) {
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {config.gridDim.x = std::bit_ceil(config.gridDim.x), 1, 1};
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  launch(shares                             ? kernels::in_shares
         : plan.shape == reduce_shape::wave ? kernels::in_wave
                                            : kernels::in_cluster,
         config, arguments);
}

/// Enqueues select_kernel. There is at least one item.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_selection(const Leaves& leaves, Out out, Op op, const grid::initial_value<A>& init,
                       const reduce_options<A>& options) {
  constexpr auto* kernel = &select_kernel<Leaves, Op, Out>;
  constexpr int threads = select_block_warps * warp_lanes;
  constexpr std::size_t shared_bytes = sizeof(select_storage<Leaves>);
  const int device = host::current_device(), multiprocessors = host::limits_of(device).multiprocessors;
  const std::int64_t batches = host::divide_up(leaves.source.items, select_traits<Leaves>::batch_items);
  const int resident = multiprocessors * host::blocks_per_multiprocessor<kernel>(device, threads, shared_bytes);
  const host::batch_plan plan =
      host::plan_batches(batches, multiprocessors, resident, select_block_warps, options.max_blocks);
  const host::call_scratch scratch =
      host::scratch_for(device, options, reduction::scratch(device, sizeof(A)), plan.blocks > 1);
  launch(kernel, host::launch_config(plan.blocks, plan.block_warps * warp_lanes, shared_bytes, options.stream),
         select_arguments<Leaves, Op, Out>{leaves, op, out, init, {batches}, scratch.room<A>(), scratch.ticket()});
}

/// Enqueues the reduction of `leaves` into `out`. All arguments have been checked but those of `options`.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<A>& options) {
  check_operator<Op, A>();
  const std::int64_t items = leaves.source.items;
  const auto init = items > 0 ? host::initial_value_of<Op>(function, options.init)
                              : host::value_of_nothing<Op, Out>(function, options.init);
  host::check_options(function, options, reduction::scratch(host::current_device(), sizeof(A)));
  if (items == 0) return launch(&grid::write_kernel<A, Out>, host::launch_config(1, 1, 0, options.stream), out, init);

  if constexpr (warp::selects<Leaves>) return enqueue_selection(leaves, out, op, init, options);
  else enqueue_tree(function, leaves, out, op, init, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

template <> struct reduce_with<automatic> {
  template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
  static void enqueue(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<A>& options) {
    if constexpr (own_reduction<Op, A>::exists) own_reduction<Op, A>::enqueue(function, leaves, out, op, options);
    else reduction::enqueue(function, leaves, out, op, options);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
