// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of reductions whose number of items the device knows.
#pragma once
#include <warpfold/reduce/counted_output.cuh>
#include <warpfold/reduce/dispatch.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Enqueues the reduction of the first `count` of `leaves` into `out`. The leaves have as many items as there may be.
template <class Leaves, class Op, class Out, class N, class A = typename Leaves::accumulator>
void enqueue_counted(const char* function, const Leaves& leaves, Out out, Op op, const grid::device_items<N>& count,
                     const reduce_options<A>& options) {
  static_assert(!host_side::own_reduction<Op, A>::exists,
                "warpfold: a device_count is not known to this operator: its kernels count on the host");
  const auto init = host_side::initial_value_of<Op>(function, options.init);
  const auto nothing = host_side::value_of_nothing<Op, Out>(
      function, options.init, "the operator has no identity: .init must say what a count of 0 gives");
  const host_side::call_frame frame(function, options, reduction::scratch(host_side::current_device(), sizeof(A)));
  using output = counted_output<Out, N, A>;
  constexpr auto* kernel = &share_kernel<Leaves, Op, output>;
  constexpr std::size_t shared_bytes = host_side::shared_bytes_of<share_kernel_storage<Leaves>>;
  constexpr kernel_policy policy = [] {
    kernel_policy shares_only = policy_of<Leaves>;
    shares_only.max_rows = shares_only.quick_rows = 0;  // no tile is small enough for a grid with one per block
    return shares_only;
  }();
  const std::int64_t most = greatest_of(count.most, std::int64_t{1});
  const reduce_limits limits{
      frame.multiprocessors(),
      host_side::blocks_per_multiprocessor<kernel>(frame.device(), policy.share_threads, shared_bytes), 1};
  const reduce_plan plan = plan_reduce(limits, most, Leaves::chunk_items, policy, sizeof(A), frame.max_blocks());
  if (plan.schedule.level > max_unit_level) reject(function, "the device's count may be too large");
  const tile_schedule schedule{plan.schedule, plan.rows, plan.last_warps};
  using arguments = reduce_arguments<Leaves, Op, output>;
  const host_side::launch_shape shape{plan.blocks, policy.share_threads, shared_bytes, 0, "the device knows the count"};
  frame.launch(kernel, shape, true, [&](const auto& scratch) {
    return arguments{leaves,          op, output{out, count, nothing}, init, schedule, scratch.template room<A>(),
                     scratch.ticket()};
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
