// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of the default reduction.
#pragma once
#include <warpfold/host/batch_plan.hpp>
#include <warpfold/host/call_frame.cuh>
#include <warpfold/host/initial_value.cuh>
#include <warpfold/host/reduce_with.hpp>
#include <warpfold/reduce/kernel.cuh>
#include <warpfold/reduce/plan.hpp>
#include <warpfold/reduce/scratch.hpp>
#include <warpfold/reduce/select_kernel.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Enqueues the kernel of the plan's shape. There is at least one item.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_tree(const host_side::call_frame& frame, const Leaves& leaves, Out out, Op op,
                  const grid::initial_value<A>& init) {
  constexpr auto policy = policy_of<Leaves>;
  constexpr auto* in_cluster = &tile_kernel<gather::cluster, Leaves, Op, Out>;
  constexpr auto* in_wave = &tile_kernel<gather::last_block, Leaves, Op, Out>;
  constexpr auto* in_shares = &share_kernel<Leaves, Op, Out>;
  constexpr std::size_t tile_bytes = sizeof(tile_kernel_storage<Leaves, policy.max_rows>);
  constexpr std::size_t share_bytes = host_side::shared_bytes_of<share_kernel_storage<Leaves>>;
  const std::int64_t items = leaves.source.items;
  const int device = frame.device();
  const reduce_limits limits{frame.multiprocessors(),
                             host_side::blocks_per_multiprocessor<in_shares>(device, policy.share_threads, share_bytes),
                             host_side::cluster_blocks<in_cluster>(device, policy.block_threads, tile_bytes)};
  const reduce_plan plan = plan_reduce(limits, items, Leaves::chunk_items, policy, sizeof(A), frame.max_blocks());
  if (plan.schedule.level > max_unit_level) {
    const std::int64_t tile_items = std::int64_t{warp_lanes} * Leaves::chunk_items * plan.rows * plan.block_warps;
    const std::int64_t most = (std::int64_t{max_units(sizeof(A), plan.block_warps)} << max_unit_level) * tile_items;
    reject(frame.function(), {"count is ", items, "; at most ", most, " items can be counted"});
  }

  const bool shares = plan.shape == reduce_shape::shares, uses_scratch = shares || plan.shape == reduce_shape::wave;
  host_side::launch_shape shape{plan.blocks, plan.block_warps * warp_lanes, shares ? share_bytes : tile_bytes, 0,
                                why(plan.shape)};
  shape.begins_early = limits.cluster_blocks > 1;  // so it is sm_90
  if (plan.shape == reduce_shape::cluster)
    shape.blocks = shape.cluster_blocks = static_cast<int>(std::bit_ceil(static_cast<unsigned>(plan.blocks)));
  const tile_schedule schedule{plan.schedule, plan.rows, plan.last_warps};
  using arguments = reduce_arguments<Leaves, Op, Out>;
  frame.launch(shares         ? in_shares
               : uses_scratch ? in_wave
                              : in_cluster,
               shape, uses_scratch, [&](const auto& scratch) {
                 return arguments{leaves, op, out, init, schedule, scratch.template room<A>(), scratch.ticket()};
               });
}

/// Enqueues select_kernel. There is at least one item.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_selection(const host_side::call_frame& frame, const Leaves& leaves, Out out, Op op,
                       const grid::initial_value<A>& init) {
  constexpr auto* kernel = &select_kernel<Leaves, Op, Out>;
  constexpr std::size_t shared_bytes = sizeof(select_storage<Leaves>);
  const std::int64_t batches = host_side::divide_up(leaves.source.items, select_traits<Leaves>::batch_items);
  const host_side::batch_plan plan = host_side::plan_batches<kernel>(frame, batches, select_block_warps, shared_bytes);
  const host_side::launch_shape shape{plan.blocks, plan.block_warps * warp_lanes, shared_bytes, 0,
                                      "the best few of numbers: most batches have none of them"};
  using arguments = select_arguments<Leaves, Op, Out>;
  frame.launch(kernel, shape, plan.blocks > 1, [&](const auto& scratch) {
    return arguments{leaves, op, out, init, {batches}, scratch.template room<A>(), scratch.ticket()};
  });
}

/// Enqueues the reduction of `leaves` into `out`. All arguments have been checked but those of `options`.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<A>& options) {
  check_operator<Op, A>();
  const std::int64_t items = leaves.source.items;
  const auto init = host_side::initial_value_of<Op, Out>(function, options.init, items);
  const host_side::call_frame frame(function, options, reduction::scratch(host_side::current_device(), sizeof(A)));
  if (items == 0) frame.write(out, init);
  else if constexpr (warp::selects<Leaves>) enqueue_selection(frame, leaves, out, op, init);
  else enqueue_tree(frame, leaves, out, op, init);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

template <> struct reduce_with<automatic> {
  template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
  static void enqueue(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<A>& options) {
    if constexpr (own_reduction<Op, A>::exists) own_reduction<Op, A>::enqueue(function, leaves, out, op, options);
    else reduction::enqueue(function, leaves, out, op, options);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
