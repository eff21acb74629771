// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of a scan: checks, plan, scratch, one launch.
#pragma once
#include <warpfold/host/initial_value.cuh>
#include <warpfold/host/launch.cuh>
#include <warpfold/host/scratch_for.cuh>
#include <warpfold/scan/kernel.cuh>
#include <warpfold/scan/plan.hpp>
#include <warpfold/scan/scratch.hpp>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The constants of the scan of `Leaves` into `Out`.
template <class Leaves, class Op, class Out> consteval kernel_policy policy_of() {
  using A = result_t<typename Leaves::accumulator>;
  constexpr int items = Leaves::chunk_items;
  constexpr std::size_t stored_bytes = sizeof(warp::stored_chunk_t<Out, A, items>);
  if constexpr (requires { Leaves::keys_first; }) {
    constexpr std::size_t item_bytes = sizeof(A) + (Leaves::keys_first ? 0 : sizeof(typename Leaves::keys::item));
    return kernel_policy_for(items * std::max<std::size_t>(item_bytes, 4),  // 32 items at most
                             Leaves::keys_first ? lane_load::accumulators : lane_load::keyed, stored_bytes);
  } else if constexpr (scans_packed<Leaves, Op>)
    return kernel_policy_for(sizeof(typename Leaves::chunk), lane_load::packed, stored_bytes);
  else {
    constexpr bool is_narrow_sum = std::is_same_v<Op, plus> && sizeof(A) <= 4 && ignores_missing<Leaves, Op>;
    return kernel_policy_for(items * sizeof(A), is_narrow_sum ? lane_load::sums : lane_load::accumulators,
                             stored_bytes);
  }
}

/// The shared memory of a block. Every launch may ask for so much without an opt-in.
template <class Leaves, class Op, class Out, tile_shape Shape>
inline constexpr std::size_t shared_bytes =
    sizeof(scan_storage<Leaves, Op, Out, fixed_shape<Shape.rows, Shape.warps, Shape.blocks_per_multiprocessor>>);
inline constexpr std::size_t most_shared_bytes = 48 * 1024;

/// Enqueues the scan of `leaves` into `out`. All arguments have been checked but those of `options`.
template <scan_kind Kind, kernel_policy Policy, class Leaves, class Op, class Out, class V>
void enqueue(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<V>& options) {
  using A = typename Leaves::accumulator;
  using operation = typename plain_operation<Op>::type;
  constexpr bool fits =
      fits_control_words(sizeof(A)) && shared_bytes<Leaves, Op, Out, Policy.full> <= most_shared_bytes;
  static_assert(fits, "warpfold: the accumulator is too large for a scan");
  const std::int64_t items = leaves.source.items;
  const auto init = host::initial_value_of<operation>(function, options.init);
  V first{};
  if constexpr (Kind == scan_kind::exclusive)
    if (!options.init) first = host::first_without_init<operation, Out, V>(function);
  const int device = host::current_device();
  constexpr host::scratch_need need = scan::scratch(sizeof(A));
  host::check_options(function, options, need);
  if (items == 0) return;

  const scan_plan plan =
      plan_scan(host::limits_of(device).multiprocessors, items, Leaves::chunk_items, Policy, options.max_blocks);
  if (plan.tiles > most_tiles)
    reject(function, "there are " + std::to_string(items) + " items; of this type it takes " +
                         std::to_string(most_tiles * tile_items(Policy.full, Leaves::chunk_items)));
  const host::call_scratch scratch = host::scratch_for(device, options, need, plan.tiles > 1);
  auto* const control = scratch.control_words<scan_control>();
  const scan_arguments<Leaves, Op, Out> arguments{
      leaves,
      op,
      out,
      init,
      first,
      {control, reinterpret_cast<grid::published_value<A>*>(control != nullptr ? control + 1 : nullptr),
       static_cast<int>(plan.tiles)}};
  constexpr tile_shape f = Policy.full, q = Policy.quick;
  using full = fixed_shape<f.rows, f.warps, f.blocks_per_multiprocessor>;
  using quick = fixed_shape<q.rows, q.warps, q.blocks_per_multiprocessor>;
  constexpr auto* in_full_tiles = &scan_kernel<Kind, false, full, Leaves, Op, Out>;
  constexpr auto* in_quick_tiles = &scan_kernel<Kind, false, quick, Leaves, Op, Out>;
  constexpr auto* at_low_occupancy = &scan_kernel<Kind, true, full, Leaves, Op, Out>;
  launch(plan.is_quick        ? in_quick_tiles
         : plan.low_occupancy ? at_low_occupancy
                              : in_full_tiles,
         host::launch_config(plan.blocks, plan.is_quick ? q.threads() : f.threads(),
                             plan.is_quick ? shared_bytes<Leaves, Op, Out, q> : shared_bytes<Leaves, Op, Out, f>,
                             options.stream),
         arguments);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
