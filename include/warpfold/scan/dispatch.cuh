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

/// The caller's operator.
template <class Op> struct plain_operation { using type = Op; };
template <class Op> struct plain_operation<join_parts<Op>> { using type = Op; };

/// Enqueues the scan of `leaves` into `out`. All arguments have been checked but those of `options`.
template <scan_kind Kind, kernel_policy Policy, class Leaves, class Op, class Out, class V>
void enqueue(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<V>& options) {
  using A = typename Leaves::accumulator;
  using operation = typename plain_operation<Op>::type;
  static_assert(fits_control_words(sizeof(A)) && alignof(A) <= 16, "warpfold: the accumulator is too large for a scan");
  const std::int64_t items = leaves.source.items;
  const auto init = host::initial_value_of<operation>(function, options.init);
  V first{};
  if constexpr (Kind == scan_kind::exclusive)
    if (!options.init) first = host::first_without_init<operation, Out, V>(function);
  if (options.max_blocks < 0) reject(function, "max_blocks is " + std::to_string(options.max_blocks));
  const int device = host::current_device();
  host::check_workspace(function, options.workspace.bytes, scratch_bytes());  // also where it is not used
  if (items == 0) return;

  const scan_plan plan =
      plan_scan(host::limits_of(device).multiprocessors, items, Leaves::chunk_items, Policy, options.max_blocks);
  if (plan.tiles > most_tiles)
    reject(function, "there are " + std::to_string(items) + " items; of this type it takes " +
                         std::to_string(most_tiles * tile_items(Policy.full, Leaves::chunk_items)));
  const host::call_scratch scratch =
      plan.tiles > 1 ? host::scratch_for(function, device, options, scratch_bytes()) : host::call_scratch();
  std::byte* const control = plan.tiles > 1 ? scratch.data() + host::workspace_alignment : nullptr;
  const scan_arguments<Leaves, Op, Out> arguments{
      leaves,
      op,
      out,
      init,
      first,
      {reinterpret_cast<scan_control*>(control),
       reinterpret_cast<grid::published_value<A>*>(plan.tiles > 1 ? control + sizeof(scan_control) : nullptr),
       static_cast<int>(plan.tiles)}};
  constexpr tile_shape f = Policy.full, q = Policy.quick;
  using full = fixed_shape<f.rows, f.warps, f.blocks_per_multiprocessor>;
  using quick = fixed_shape<q.rows, q.warps, q.blocks_per_multiprocessor>;
  static_assert(sizeof(scan_storage<Leaves, Op, Out, full>) <= 48 * 1024, "more shared memory needs an opt-in");
  constexpr auto* in_full_tiles = &scan_kernel<Kind, false, full, Leaves, Op, Out>;
  constexpr auto* in_quick_tiles = &scan_kernel<Kind, false, quick, Leaves, Op, Out>;
  constexpr auto* in_roomy_blocks = &scan_kernel<Kind, true, full, Leaves, Op, Out>;
  launch(plan.is_quick   ? in_quick_tiles
         : plan.is_roomy ? in_roomy_blocks
                         : in_full_tiles,
         host::launch_config(
             plan.blocks, plan.is_quick ? q.threads() : f.threads(),
             plan.is_quick ? sizeof(scan_storage<Leaves, Op, Out, quick>) : sizeof(scan_storage<Leaves, Op, Out, full>),
             options.stream),
         arguments);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
