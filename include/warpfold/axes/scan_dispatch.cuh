// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of a scan along an axis.
#pragma once
#include <functional>
#include <warpfold/axes/scan_kernel.cuh>
#include <warpfold/host/call_frame.cuh>
#include <warpfold/host/initial_value.cuh>

namespace warpfold::axis_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Enqueues the scan of `given`, which has items. All arguments have been checked.
template <bool IsExclusive, bool IsStaged, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_strips(const host_side::call_frame& frame, const scan_shape& given, const Leaves& leaves, Op op, Out out,
                    const grid::initial_value<A>& init, const A& first) {
  constexpr kernel_policy p = kernel_policy_for(sizeof(typename Leaves::item), sizeof(A), IsStaged);
  using policy = fixed_policy<p.threads, p.rows, p.lanes, p.blocks_per_multiprocessor, IsStaged>;
  using arguments = scan_arguments<Leaves, Op, Out>;
  scan_plan plan = plan_scan(frame.multiprocessors(), given, p, arguments::row_bytes, frame.max_blocks());
  // Blocks draw tiles until none is left of those that there are.
  if (is_counted<Out> && plan.in_bands)
    plan.blocks = least_of(plan.blocks, frame.multiprocessors() * p.blocks_per_multiprocessor);
  const auto launch = [&](auto* kernel, std::size_t shared_bytes) {
    const host_side::launch_shape shape{
        plan.blocks,
        plan.threads(),
        shared_bytes,
        0,
        plan.in_bands ? "too few columns for all blocks: they take bands of them" : "columns for all blocks",
        given.columns * given.items};
    frame.launch(kernel, shape, plan.in_bands, [&](const host_side::call_scratch& scratch) {
      const strip_rings<arguments::row_bytes> rings{scratch.control_words<unsigned>(),
                                                    scratch.control_words_behind<draw_line, strip_control>(),
                                                    plan.log_windows, strip_window * strip_windows(plan.log_windows)};
      return arguments{leaves,
                       op,
                       out,
                       init,
                       first,
                       axis_reduction::index_map(given.kept),
                       given.columns,
                       given.items,
                       given.in_stride,
                       given.out_stride,
                       plan,
                       rings};
    });
  };
  if constexpr (arguments::row_bytes <= most_row_bytes)
    if (plan.in_bands)
      return launch(&band_kernel<IsExclusive, policy, Leaves, Op, Out>,
                    host_side::shared_bytes_of<band_storage<policy, arguments>>);
  launch(&strip_kernel<IsExclusive, policy, Leaves, Op, Out>,
         host_side::shared_bytes_of<strip_storage<policy, arguments>>);
}

/// Enqueues the scan of `given`. All arguments have been checked but those of `options`. `leaves` and `out` begin at
/// the first item of the first column. The kernel is given as_given(out).
template <bool IsExclusive, class Leaves, class Op, class Out, class AsGiven = std::identity>
void enqueue(const char* function, const scan_shape& given, const Leaves& leaves, Op op, Out out,
             const reduce_options<typename Leaves::accumulator>& options, AsGiven as_given = {}) {
  using A = typename Leaves::accumulator;
  constexpr std::size_t item_bytes = sizeof(typename Leaves::item);
  const auto init = host_side::initial_value_of<Op>(function, options.init);
  const A first = host_side::first_without_init<IsExclusive, Op, Out>(function, options.init);
  const host_side::call_frame frame(function, options, {host_side::feature_control_bytes, 0});
  if (!given.has_items()) return;
  constexpr int sector_items = greatest_of(1, 32 / int{item_bytes});
  if constexpr (takes_staged(item_bytes, sizeof(A)))
    if (is_better_staged(given, sector_items))
      return enqueue_strips<IsExclusive, true>(frame, given, leaves, op, as_given(out), init, first);
  enqueue_strips<IsExclusive, false>(frame, given, leaves, op, as_given(out), init, first);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_scan
