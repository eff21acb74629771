// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of a scan.
#pragma once
#include <warpfold/host/call_frame.cuh>
#include <warpfold/host/initial_value.cuh>
#include <warpfold/scan/plan.hpp>
#include <warpfold/scan/quick_kernel.cuh>
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
  } else {
    constexpr bool is_packed = scans_packed<Leaves, Op>, is_sum = std::is_same_v<Op, plus>;
    constexpr bool may_combine = thread::may_convert_missing<Leaves> && thread::may_combine_missing<Op, A>;
    constexpr bool is_narrow_sum = is_sum && sizeof(A) <= 4 && may_combine;
    kernel_policy policy = kernel_policy_for(is_packed ? sizeof(typename Leaves::chunk) : items * sizeof(A),
                                             is_packed       ? lane_load::packed
                                             : is_narrow_sum ? lane_load::sums
                                                             : lane_load::accumulators,
                                             stored_bytes);
    // A user's operator is called more often in stages, so they gain nothing. Of 8 bytes, all but sums of
    // floating-point numbers take longer, sums of integers by a tenth.
    if constexpr (can_stage<Leaves, Out> && thread::may_combine_missing<Op, A> &&
                  (sizeof(A) == 4 || (is_sum && std::is_floating_point_v<A>)))
      policy = with_stages(policy, is_sum && std::is_floating_point_v<A>, sizeof(A));
    else if (const int rows = policy.full.rows; rows >= 4) {
      policy = with_middle(policy, rows / 4, is_packed ? rows : rows / 2, is_narrow_sum ? 2 : 3, sizeof(A) > 4 ? 3 : 4);
      policy.has_middle_clusters = is_narrow_sum;  // others take longer, so they are faster in more blocks
    }
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

/// The kernels of tiles in rows.
template <scan_kind Kind, kernel_policy Policy, class Leaves, class Op, class Out> struct tile_kernels {
  static constexpr tile_shape full_shape = Policy.full, quick_shape = Policy.quick,
                              middle_shape = Policy.has_middle() ? Policy.middle : Policy.quick;
  using full = fixed_shape_of<full_shape>;
  using quick = fixed_shape_of<quick_shape>;
  using middle = fixed_shape_of<middle_shape>;
  using quick_shared = quick_storage<Leaves, Op, Out, quick>;
  static constexpr std::size_t quick_bytes = sizeof(quick_shared),
                               middle_bytes = sizeof(quick_storage<Leaves, Op, Out, middle>),
                               full_bytes = sizeof(scan_storage<Leaves, Op, Out, full>);
  static_assert(fits_control_words(sizeof(typename Leaves::accumulator)) &&
                    greatest_of(greatest_of(quick_bytes, middle_bytes), full_bytes) <= host_side::plain_shared_bytes,
                "warpfold: the accumulator is too large for a scan");
  static constexpr auto* in_quick_tiles = &quick_kernel<Kind, quick, Leaves, Op, Out>;
  static constexpr auto* in_middle_tiles = &quick_kernel<Kind, middle, Leaves, Op, Out>;
  static constexpr auto* at_low_occupancy = &scan_kernel<Kind, true, full, Leaves, Op, Out>;
  static constexpr auto* in_full_tiles = &scan_kernel<Kind, Policy.has_stages(), full, Leaves, Op, Out>;

  static scan_limits limits(const host_side::call_frame& frame) {
    int cluster = 1;
    if constexpr (quick_shared::may_cluster)
      cluster =
          least_of(host_side::cluster_blocks<in_quick_tiles>(frame.device(), quick_shape.threads(), quick_bytes),
                   host_side::cluster_blocks<in_middle_tiles>(frame.device(), middle_shape.threads(), middle_bytes));
    return {frame.multiprocessors(), quick_shared::most_tiles, cluster, frame.max_blocks()};
  }
};

/// Enqueues the scan of `leaves` into `out`. All arguments have been checked but those of `options`.
template <scan_kind Kind, kernel_policy Policy, class Leaves, class Op, class Out, class V>
void enqueue(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<V>& options) {
  using A = typename Leaves::accumulator;
  using operation = typename plain_operation<Op>::type;
  using arguments = scan_arguments<Leaves, Op, Out>;
  using kernels = tile_kernels<Kind, Policy, Leaves, Op, Out>;
  using staged = staged_launch<Kind, Policy, Leaves, Op, Out>;
  const std::int64_t items = leaves.source.items;
  const auto init = host_side::initial_value_of<operation>(function, options.init);
  const V first = host_side::first_without_init<Kind == scan_kind::exclusive, operation, Out>(function, options.init);
  const host_side::call_frame frame(function, options, scan::scratch(sizeof(A)));
  if (items == 0) return;
  scan_limits limits = kernels::limits(frame);
  if constexpr (Policy.has_stages()) limits.stages = staged::possible(frame.device(), leaves);
  const scan_plan plan = plan_scan(limits, items, Leaves::chunk_items, Policy);
  if (plan.tiles > most_tiles)
    host_side::check_items(
        function, items,
        most_tiles * (plan.shape == scan_tiles::staged ? tile_items(Policy.staged.shape, Leaves::chunk_items)
                                                       : tile_items(Policy.full, Leaves::chunk_items)));

  const auto launch = [&](auto* kernel, int threads, std::size_t shared_bytes, int first_blocks = 0) {
    const host_side::launch_shape shape{.blocks = plan.blocks,
                                        .threads = threads,
                                        .shared_bytes = shared_bytes,
                                        .cluster_blocks = plan.in_cluster ? plan.blocks : 0,
                                        .why = why(plan),
                                        .begins_early = host_side::has_sm_90<kernels::in_quick_tiles>(frame.device())};
    frame.launch(kernel, shape, plan.tiles > 1 && !plan.in_cluster, [&](const host_side::call_scratch& scratch) {
      const decltype(arguments::nodes) nodes{scratch.control_words<scan_control>(),
                                             scratch.control_words_behind<scan_control, grid::published_value<A>>(),
                                             static_cast<int>(plan.tiles)};
      return arguments{leaves, op, out, init, first, nodes, first_blocks};
    });
  };
  if constexpr (Policy.has_stages())
    if (plan.shape == scan_tiles::staged) return launch(staged::kernel, staged::s.threads(), staged::shared_bytes);
  if (plan.shape == scan_tiles::quick)
    return launch(kernels::in_quick_tiles, kernels::quick_shape.threads(), kernels::quick_bytes);
  if (plan.shape == scan_tiles::middle)
    return launch(kernels::in_middle_tiles, kernels::middle_shape.threads(), kernels::middle_bytes);
  constexpr int threads = kernels::full_shape.threads();
  const int resident = frame.resident_blocks<kernels::in_full_tiles>(threads, kernels::full_bytes);
  launch(plan.shape == scan_tiles::full ? kernels::in_full_tiles : kernels::at_low_occupancy, threads,
         kernels::full_bytes, plan.tiles > resident ? resident : 0);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
