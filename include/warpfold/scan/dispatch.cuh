// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of a scan.
#pragma once
#include <warpfold/host/call_frame.cuh>
#include <warpfold/host/initial_value.cuh>
#include <warpfold/scan/kernel.cuh>
#include <warpfold/scan/plan.hpp>
#include <warpfold/scan/scratch.hpp>
#include <warpfold/scan/staged_kernel.cuh>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The constants of the scan of `Leaves` into `Out`.
template <class Leaves, class Op, class Out> consteval kernel_policy policy_of() {
  using A = result_t<typename Leaves::accumulator>;
  constexpr int items = Leaves::chunk_items;
  constexpr std::size_t stored_bytes = sizeof(warp::stored_chunk_t<Out, A, items>);
  if constexpr (requires { Leaves::keys_first; }) {
    constexpr std::size_t item_bytes = sizeof(A) + (Leaves::keys_first ? 0 : sizeof(typename Leaves::keys::item));
    return kernel_policy_for(items * greatest_of(item_bytes, std::size_t{4}),  // 32 items at most
                             Leaves::keys_first ? lane_load::accumulators : lane_load::keyed, stored_bytes);
  } else if constexpr (scans_packed<Leaves, Op>)
    return kernel_policy_for(sizeof(typename Leaves::chunk), lane_load::packed, stored_bytes);
  else {
    constexpr bool is_narrow_sum = std::is_same_v<Op, plus> && sizeof(A) <= 4 && thread::may_convert_missing<Leaves> &&
                                   thread::may_combine_missing<Op, A>;
    kernel_policy policy =
        kernel_policy_for(items * sizeof(A), is_narrow_sum ? lane_load::sums : lane_load::accumulators, stored_bytes);
    // A user's operator is called more often in stages, so they gain nothing.
    if constexpr (can_stage<Leaves, Out> && thread::may_combine_missing<Op, A>)
      policy.staged = staged_policy_for(std::is_same_v<Op, plus> && std::is_floating_point_v<A>);
    return policy;
  }
}

/// The kernel in stages, if the policy has some.
template <scan_kind Kind, kernel_policy Policy, class Leaves, class Op, class Out> struct staged_launch {
  static constexpr staged_shape s = Policy.staged.shape;
  using shape = fixed_stages<s.rows, s.warps, s.stages, s.folders>;
  static constexpr auto* kernel = &staged_kernel<Kind, shape, Leaves, Op, Out>;
  static constexpr std::size_t shared_bytes = sizeof(stage_ring<Leaves, shape>);

  static staging possible(int device, const Leaves& leaves) {
    if (!host_side::has_stages<kernel>(device, shared_bytes)) return staging::impossible;
    return leaves.source.misaligned_bytes() == 0 ? staging::aligned : staging::misaligned;
  }
};

/// Enqueues the scan of `leaves` into `out`. All arguments have been checked but those of `options`.
template <scan_kind Kind, kernel_policy Policy, class Leaves, class Op, class Out, class V>
void enqueue(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<V>& options) {
  using A = typename Leaves::accumulator;
  using operation = typename plain_operation<Op>::type;
  constexpr tile_shape f = Policy.full, q = Policy.quick;
  using full = fixed_shape<f.rows, f.warps, f.blocks_per_multiprocessor>;
  using quick = fixed_shape<q.rows, q.warps, q.blocks_per_multiprocessor>;
  constexpr std::size_t full_bytes = sizeof(scan_storage<Leaves, Op, Out, full>),
                        quick_bytes = sizeof(scan_storage<Leaves, Op, Out, quick>);
  static_assert(fits_control_words(sizeof(A)) && full_bytes <= host_side::plain_shared_bytes,
                "warpfold: the accumulator is too large for a scan");
  const std::int64_t items = leaves.source.items;
  const auto init = host_side::initial_value_of<operation>(function, options.init);
  const V first = host_side::first_without_init<Kind == scan_kind::exclusive, operation, Out>(function, options.init);
  const host_side::call_frame frame(function, options, scan::scratch(sizeof(A)));
  if (items == 0) return;

  constexpr bool may_stage = Policy.staged.shape.stages > 0;
  using staged = staged_launch<Kind, Policy, Leaves, Op, Out>;
  staging how = staging::impossible;
  if constexpr (may_stage) how = staged::possible(frame.device(), leaves);
  const scan_plan plan =
      plan_scan(frame.multiprocessors(), items, Leaves::chunk_items, Policy, frame.max_blocks(), how);
  if (plan.tiles > most_tiles)
    host_side::check_items(function, items,
                           most_tiles * (plan.is_staged ? tile_items(Policy.staged.shape, Leaves::chunk_items)
                                                        : tile_items(Policy.full, Leaves::chunk_items)));
  constexpr auto* in_full_tiles = &scan_kernel<Kind, false, full, Leaves, Op, Out>;
  constexpr auto* in_quick_tiles = &scan_kernel<Kind, false, quick, Leaves, Op, Out>;
  constexpr auto* at_low_occupancy = &scan_kernel<Kind, true, full, Leaves, Op, Out>;
  auto* kernel = plan.is_quick ? in_quick_tiles : plan.low_occupancy ? at_low_occupancy : in_full_tiles;
  host_side::launch_shape shape{plan.blocks, plan.is_quick ? q.threads() : f.threads(),
                                plan.is_quick ? quick_bytes : full_bytes, 0, why(plan)};
  if constexpr (may_stage)
    if (plan.is_staged)
      kernel = staged::kernel, shape.threads = staged::s.threads(), shape.shared_bytes = staged::shared_bytes;
  using arguments = scan_arguments<Leaves, Op, Out>;
  frame.launch(kernel, shape, plan.tiles > 1, [&](const host_side::call_scratch& scratch) {
    const decltype(arguments::nodes) nodes{scratch.control_words<scan_control>(),
                                           scratch.control_words_behind<scan_control, grid::published_value<A>>(),
                                           static_cast<int>(plan.tiles)};
    return arguments{leaves, op, out, init, first, nodes};
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
