// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of a segmented scan.
#pragma once
#include <bit>
#include <warpfold/host/call_frame.cuh>
#include <warpfold/host/initial_value.cuh>
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
template <bool IsExclusive, kernel_policy Policy, class Segments, class Leaves, class Op, class Out>
void enqueue(const char* function, const Segments& segments, const Leaves& leaves, Out out, Op op,
             const reduce_options<typename Leaves::accumulator>& options) {
  using A = typename Leaves::accumulator;
  using shared = scan_storage<A, Policy.rows, Leaves::chunk_items, Policy.warps, Segments::has_gaps>;
  static_assert(fits_control_words(sizeof(A)) && sizeof(shared) <= host_side::plain_shared_bytes,
                "warpfold: the accumulator is too large for a scan");
  const std::int64_t items = leaves.source.items;
  const auto init = host_side::initial_value_of<Op>(function, options.init);
  const A first = host_side::first_without_init<IsExclusive, Op, Out>(function, options.init);
  const host_side::call_frame frame(function, options, segmented_scan::scratch(sizeof(A)));
  if (items == 0) return;

  constexpr int row_items = warp_lanes * Leaves::chunk_items;
  const std::int64_t max_warps = std::int64_t{frame.max_blocks()} * Policy.warps;
  const int tile_items = row_items * tile_rows(items, row_items, Policy.rows, max_warps);
  const scan_plan plan = plan_scan(items, tile_items, Policy.warps, frame.max_blocks());
  if (plan.tiles > most_tiles) host_side::check_items(function, items, most_tiles * tile_items);
  using policy = fixed_policy<Policy.rows, Policy.warps, Policy.blocks_per_multiprocessor>;
  using arguments = scan_arguments<Segments, Leaves, Op, Out>;
  const int log_unit = std::countr_zero(static_cast<unsigned>(tile_items)),
            row_begin = aligned_at(leaves, target_of(out));
  const auto arguments_in = [&](const host_side::call_scratch& scratch) {
    const decltype(arguments::units) units{scratch.control_words<unit_control>(),
                                           scratch.control_words_behind<unit_control, grid::published_value<A>>(),
                                           static_cast<int>(plan.tiles)};
    return arguments{segments, leaves, op, out, init, first, log_unit, row_begin, units};
  };
  constexpr auto* kernel = &segmented_scan_kernel<IsExclusive, policy, Segments, Leaves, Op, Out>;
  const host_side::launch_shape shape{.blocks = plan.blocks,
                                      .threads = Policy.warps * warp_lanes,
                                      .shared_bytes = sizeof(shared),
                                      .begins_early = host_side::has_sm_90<kernel>(frame.device())};
  frame.launch(kernel, shape, plan.tiles > 1, arguments_in, static_cast<int>(plan.block_tiles));
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
