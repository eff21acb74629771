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

/// The blocks of a call, and how they share its segments.
struct call_plan {
  int warps;  ///< of a block
  list_shape shape;
  std::size_t shared_bytes;
  grid_plan grid;
};

/// Plans a call of `Kernel` for `segments` segments with `items` items in all. `alone`: whether each has one block.
template <auto* Kernel, class Key>
call_plan plan_call(const host_side::call_frame& frame, std::int64_t items, std::int64_t segments, int batch_items,
                    int k, bool alone) {
  const int warps = plan_block_warps(items, segments, batch_items, k, alone);
  const list_shape shape = shape_of_list(k, warps, sizeof(Key));
  const std::size_t shared_bytes = list_storage<Key>::bytes(shape);
  return {warps, shape, shared_bytes,
          plan_grid(items, segments, warps * batch_items, k, resident_blocks<Kernel>(frame, warps, shape, shared_bytes),
                    alone ? 0 : most_shared_blocks(frame.device(), k, sizeof(Key)), frame.max_blocks())};
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
  const auto launch = [&](auto* kernel, const call_plan& plan, const char* why) {
    const grid_plan& grid = plan.grid;
    frame.launch(kernel, {grid.blocks, plan.warps * warp_lanes, plan.shared_bytes, 0, why, items}, grid.parts > 1,
                 [&](const host_side::call_scratch& scratch) {
                   const block_shares shares{plan.shape, grid.parts, grid.blocks / grid.parts};
                   unsigned* const words = scratch.control_words<unsigned>();
                   return arguments{source,
                                    spans,
                                    values,
                                    indices,
                                    shares,
                                    scratch.room<key>(),
                                    words,
                                    words + grid.blocks,
                                    words + 2 * grid.blocks};
                 });
  };
  constexpr int batch_items = item_stream<Order, Source>::batch_items;
  const call_plan plan = plan_call<sharing, key>(frame, items, spans.count, batch_items, k, false);
  if (!AreMany || plan.grid.parts > 1)
    return launch(sharing, plan,
                  plan.grid.parts > 1 ? "too few segments for all blocks: they share them" : "few items");
  if constexpr (AreMany) {
    constexpr auto* alone = &top_k_kernel<false, Order, Source, Spans, Values, Indices>;
    launch(alone, plan_call<alone, key>(frame, items, spans.count, batch_items, k, true), "a block for each segment");
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
