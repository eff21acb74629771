// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of a segmented scan: checks, plan, scratch, one launch.
#pragma once
#include <bit>
#include <warpfold/host/initial_value.cuh>
#include <warpfold/host/launch.cuh>
#include <warpfold/host/scratch_for.cuh>
#include <warpfold/segmented_scan/kernel.cuh>
#include <warpfold/segmented_scan/plan.hpp>
#include <warpfold/segmented_scan/scratch.hpp>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Where rows begin: at an item of the first chunk at which vectors of `out`, or else of the input, begin. -1 if they
/// begin at none.
template <class Leaves, class Out> int aligned_at(const Leaves& leaves, const Out& out) {
  constexpr int items = Leaves::chunk_items;
  const auto among_first = [](auto* data) {
    using chunk = thread::chunk<std::remove_cv_t<std::remove_pointer_t<decltype(data)>>, items>;
    for (int item = 0; item < items; ++item)
      if (reinterpret_cast<std::uintptr_t>(data + item) % chunk::vector_bytes == 0) return item;
    return -1;
  };
  if constexpr (warp::writes_vectors<Out>) return among_first(out);
  else if constexpr (requires { leaves.source.data; }) return among_first(leaves.source.data);
  else return -1;
}

/// Enqueues the scan of `leaves` by `segments` into `out`. All arguments have been checked but those of `options`.
template <bool IsExclusive, kernel_policy Policy, class Segments, class Leaves, class Op, class Out, class A>
void enqueue(const char* function, const Segments& segments, const Leaves& leaves, Out out, Op op,
             const reduce_options<A>& options) {
  using shared = scan_storage<A, Policy.rows, Leaves::chunk_items, Policy.warps, Segments::has_gaps>;
  static_assert(fits_control_words(sizeof(A)) && sizeof(shared) <= most_shared_bytes,
                "warpfold: the accumulator is too large for a scan");
  const std::int64_t items = leaves.source.items;
  const auto init = host::initial_value_of<Op>(function, options.init);
  A first{};
  if constexpr (IsExclusive)
    if (!options.init) first = host::first_without_init<Op, Out, A>(function);
  const int device = host::current_device();
  constexpr host::scratch_need need = segmented_scan::scratch(sizeof(A));
  host::check_options(function, options, need);
  if (items == 0) return;

  constexpr int row_items = warp_lanes * Leaves::chunk_items;
  const int tile_items = row_items * tile_rows(items, row_items, Policy.rows);
  const scan_plan plan = plan_scan(items, tile_items, Policy.warps, options.max_blocks);
  if (plan.tiles > most_tiles)
    reject(function, "there are " + std::to_string(items) + " items; of this type it takes " +
                         std::to_string(most_tiles * tile_items));
  const host::call_scratch scratch = host::scratch_for(device, options, need, plan.tiles > 1);
  auto* const control = scratch.control_words<table_control>();
  const scan_arguments<Segments, Leaves, Op, Out> arguments{
      segments,
      leaves,
      op,
      out,
      init,
      first,
      std::countr_zero(static_cast<unsigned>(tile_items)),
      aligned_at(leaves, out),
      {control, reinterpret_cast<grid::published_value<A>*>(control != nullptr ? control + 1 : nullptr),
       static_cast<int>(plan.tiles)}};
  using policy = fixed_policy<Policy.rows, Policy.warps, Policy.blocks_per_multiprocessor>;
  launch(&segmented_scan_kernel<IsExclusive, policy, Segments, Leaves, Op, Out>,
         host::launch_config(plan.blocks, Policy.warps * warp_lanes, sizeof(shared), options.stream), arguments,
         static_cast<int>(plan.block_tiles));
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
