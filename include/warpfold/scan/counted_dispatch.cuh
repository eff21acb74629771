// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of scans whose number of items the device knows.
#pragma once
#include <warpfold/scan/counted_output.cuh>
#include <warpfold/scan/dispatch.cuh>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Enqueues the scan of the first out.count of `leaves` into out.out. The leaves have as many items as there may be.
template <scan_kind Kind, kernel_policy Policy, class Leaves, class Op, class Output, class V>
void enqueue_counted(const char* function, const Leaves& leaves, const Output& out, Op op,
                     const reduce_options<V>& options) {
  using A = typename Leaves::accumulator;
  using operation = typename plain_operation<Op>::type;
  using Out = typename uncounted<Output>::output;
  constexpr tile_shape f = Policy.full;
  using full = fixed_shape_of<f>;
  constexpr std::size_t shared_bytes = sizeof(scan_storage<Leaves, Op, Out, full>);
  static_assert(fits_control_words(sizeof(A)) && shared_bytes <= host_side::plain_shared_bytes,
                "warpfold: the accumulator is too large for a scan");
  const auto init = host_side::initial_value_of<operation>(function, options.init);
  const V first = host_side::first_without_init<Kind == scan_kind::exclusive, operation, Out>(function, options.init);
  const host_side::call_frame frame(function, options, scan::scratch(sizeof(A)));
  constexpr std::int64_t items_of_tile = tile_items(f, Leaves::chunk_items);
  const std::int64_t tiles = host_side::divide_up(out.count.most, items_of_tile);
  if (tiles > most_tiles) host_side::check_items(function, out.count.most, most_tiles * items_of_tile);

  constexpr auto* kernel = &scan_kernel<Kind, true, full, Leaves, Op, Output>;
  std::int64_t blocks = least_of<std::int64_t>(tiles, frame.resident_blocks<kernel>(f.threads(), shared_bytes));
  if (frame.max_blocks() > 0) blocks = least_of<std::int64_t>(blocks, frame.max_blocks());
  if (blocks == 0) return;
  using arguments = scan_arguments<Leaves, Op, Output>;
  const host_side::launch_shape shape{static_cast<int>(blocks), f.threads(), shared_bytes, 0,
                                      "the device knows the count"};
  frame.launch(kernel, shape, true, [&](const host_side::call_scratch& scratch) {
    const decltype(arguments::nodes) nodes{scratch.control_words<scan_control>(),
                                           scratch.control_words_behind<scan_control, grid::published_value<A>>(),
                                           static_cast<int>(tiles)};
    return arguments{leaves, op, out, init, first, nodes, 0};
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
