// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of top_k_items and its kin.
#pragma once
#include <warpfold/host/call_frame.cuh>
#include <warpfold/top_k/kernel.cuh>
#include <warpfold/top_k/plan.hpp>
#include <warpfold/top_k/scratch.hpp>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Blocks of `Kernel` that the device of a call holds. The shape follows from the warps of a block and the lists; there
/// is one cache for each.
template <auto* Kernel>
int resident_blocks(const host_side::call_frame& frame, int block_warps, const list_shape& shape, std::size_t bytes) {
  static host_side::per_device<int> cache[std::bit_width(unsigned{most_block_warps})][std::bit_width(unsigned{most_k})];
  return frame.multiprocessors() * cache[std::countr_zero(static_cast<unsigned>(block_warps))]
                                        [std::countr_zero(static_cast<unsigned>(shape.kept))]
                                            .get(frame.device(), &host_side::resident_blocks,
                                                 reinterpret_cast<const void*>(Kernel), block_warps * warp_lanes,
                                                 bytes);
}

/// Items of all segments. Those along an axis may lie apart, so the source knows only where the last one ends.
template <class Source, class Spans> std::int64_t items_of(const Source& source, const Spans& spans) {
  if constexpr (Spans::is_fixed_length) return spans.length * spans.count;
  else return source.items;
}

/// The frame of a call of k >= 0. It checks the options.
template <class Order> host_side::call_frame frame_of(const char* function, int k, const call_options& options) {
  return {function, options, scratch(host_side::current_device(), k, sizeof(key_of<Order>))};
}

/// values[s * k + i] and indices[s * k + i] = the i-th best item of segment s and its number in the segment. There are
/// segments, just one if not `AreMany`, and k > 0.
template <class Order, bool AreMany = true, class Source, class Spans, class Values, class Indices>
void enqueue(const host_side::call_frame& frame, const Source& source, const Spans& spans, int k, Values values,
             Indices indices) {
  using key = key_of<Order>;
  using arguments = kernel_arguments<Order, Source, Spans, Values, Indices>;
  constexpr auto* sharing = &top_k_kernel<true, Order, Source, Spans, Values, Indices>;
  if constexpr (Spans::is_fixed_length) host_side::check_items(frame.function(), spans.length, most_items<key>);
  const std::int64_t items = items_of(source, spans);
  const int warps = plan_block_warps(items, spans.count, batch_items<Source>, k);
  const list_shape shape = shape_of_list(k, warps, sizeof(key));
  const std::size_t shared_bytes = list_storage<key>::bytes(shape);
  const auto plan_of = [&](int resident, int most_shared) {
    return plan_grid(items, spans.count, warps * batch_items<Source>, k, resident, most_shared, frame.max_blocks());
  };
  const auto launch = [&](auto* kernel, const grid_plan& plan, const char* why) {
    frame.launch(kernel, {plan.blocks, warps * warp_lanes, shared_bytes, 0, why, items}, plan.parts > 1,
                 [&](const host_side::call_scratch& scratch) {
                   const block_shares shares{shape, plan.parts, plan.blocks / plan.parts};
                   unsigned* const words = scratch.control_words<unsigned>();
                   return arguments{source,
                                    spans,
                                    values,
                                    indices,
                                    shares,
                                    scratch.room<key>(),
                                    words,
                                    words + plan.blocks,
                                    words + 2 * plan.blocks};
                 });
  };
  const grid_plan plan = plan_of(resident_blocks<sharing>(frame, warps, shape, shared_bytes),
                                 most_shared_blocks(frame.device(), k, sizeof(key)));
  if (!AreMany || plan.parts > 1)
    return launch(sharing, plan, plan.parts > 1 ? "too few segments for all blocks: they share them" : "few items");
  if constexpr (AreMany) {
    constexpr auto* alone = &top_k_kernel<false, Order, Source, Spans, Values, Indices>;
    launch(alone, plan_of(resident_blocks<alone>(frame, warps, shape, shared_bytes), 0), "a block for each segment");
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
