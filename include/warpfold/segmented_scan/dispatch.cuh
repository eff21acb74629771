// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of a segmented scan: checks, plan, scratch, one launch.
#pragma once
#include <warpfold/host/initial_value.cuh>
#include <warpfold/host/launch.cuh>
#include <warpfold/host/scratch_for.cuh>
#include <warpfold/segmented_scan/kernel.cuh>
#include <warpfold/segmented_scan/plan.hpp>
#include <warpfold/segmented_scan/scratch.hpp>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Enqueues the scan of `leaves` by `segments` into `out`. All arguments have been checked but those of `options`.
template <bool IsExclusive, kernel_policy Policy, class Segments, class Leaves, class Op, class Out, class A>
void enqueue(const char* function, const Segments& segments, const Leaves& leaves, Out out, Op op,
             const reduce_options<A>& options) {
  static_assert(fits_control_words(sizeof(A)) && alignof(A) <= 16, "warpfold: the accumulator is too large for a scan");
  const std::int64_t items = leaves.source.items;
  const auto init = host::initial_value_of<Op>(function, options.init, 1);
  A first{};
  if constexpr (IsExclusive)
    if (!options.init) first = host::first_without_init<Op, A>(function);
  if (options.max_blocks < 0) reject(function, "max_blocks is " + std::to_string(options.max_blocks));
  const int device = host::current_device();
  host::check_workspace(function, options.workspace.bytes, scratch_bytes());  // also where it is not used
  if (items == 0) return;

  constexpr int tile_items = Policy.rows * warp_lanes * Leaves::chunk_items;
  const scan_plan plan = plan_scan(items, tile_items, Policy.warps, options.max_blocks);
  if (plan.tiles > most_tiles)
    reject(function, "there are " + std::to_string(items) + " items; of this type it takes " +
                         std::to_string(most_tiles * tile_items));
  const host::call_scratch scratch =
      plan.tiles > 1 ? host::scratch_for(function, device, options, scratch_bytes()) : host::call_scratch();
  std::byte* const control = plan.tiles > 1 ? scratch.data() + host::workspace_alignment : nullptr;
  const scan_arguments<Segments, Leaves, Op, Out> arguments{
      segments,
      leaves,
      op,
      out,
      init,
      first,
      {reinterpret_cast<table_control*>(control),
       reinterpret_cast<grid::published_value<A>*>(plan.tiles > 1 ? control + sizeof(table_control) : nullptr),
       static_cast<int>(plan.tiles)}};
  using policy = fixed_policy<Policy.rows, Policy.warps, Policy.blocks_per_multiprocessor>;
  using shared = scan_storage<A, Policy.rows, Leaves::chunk_items, Policy.warps, Segments::has_gaps>;
  static_assert(sizeof(shared) <= 48 * 1024, "more shared memory needs an opt-in");
  launch(&segmented_scan_kernel<IsExclusive, policy, Segments, Leaves, Op, Out>,
         host::launch_config(plan.blocks, Policy.warps * warp_lanes, sizeof(shared), options.stream), arguments,
         static_cast<int>(plan.block_tiles));
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
