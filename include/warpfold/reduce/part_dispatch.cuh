// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of the reduction of a part: the kernels of `reduce`, whose output is a list of nodes.
#pragma once
#include <warpfold/reduce/dispatch.cuh>
#include <warpfold/reduce/part_plan.hpp>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Enqueues the kernel of the part's plan. There is at least one item; the first one has the number `first`. `Out` is a
/// part_output, or another output that is_part, with a write_list of its own.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_part_tree(const host_side::call_frame& frame, const Leaves& leaves, std::int64_t first, Out out, Op op) {
  // The leaves that the kernel sees begin with a whole tile, so that chunks begin at multiples of their length.
  using from_tile = std::remove_cv_t<decltype(thread::starting_at(leaves, 0))>;
  constexpr auto policy = policy_of<from_tile>;
  constexpr auto* in_wave = &tile_kernel<gather::last_block, from_tile, Op, Out>;
  constexpr auto* in_shares = &share_kernel<from_tile, Op, Out>;
  constexpr std::size_t tile_bytes = sizeof(part_tile_storage<from_tile, policy.max_rows>);
  constexpr std::size_t share_bytes = host_side::shared_bytes_of<part_share_storage<from_tile>>;
  constexpr std::size_t static_bytes = shared_bytes_for<Out>;
  if constexpr (greatest_of(tile_bytes, share_bytes) + static_bytes > host_side::plain_shared_bytes) {
    host_side::allow_shared_bytes(reinterpret_cast<const void*>(in_wave), frame.device(), tile_bytes);
    host_side::allow_shared_bytes(reinterpret_cast<const void*>(in_shares), frame.device(), share_bytes);
  }
  const std::int64_t items = leaves.source.items;
  const reduce_limits limits{
      frame.multiprocessors(),
      host_side::blocks_per_multiprocessor<in_shares>(frame.device(), policy.share_threads, share_bytes), 1};
  const auto [plan, cuts] =
      plan_part(limits, first, items, from_tile::chunk_items, policy, sizeof(A), frame.max_blocks());
  if (plan.schedule.level > max_unit_level)
    reject(frame.function(), {"count is ", items, "; so many items cannot be counted"});

  const bool shares = plan.shape == reduce_shape::shares;
  const from_tile from = thread::starting_at(leaves, cuts.tiles_begin - first);
  const part_schedule schedule{{plan.schedule, plan.rows, plan.last_warps}, cuts};
  const host_side::launch_shape shape{plan.blocks, plan.block_warps * warp_lanes, shares ? share_bytes : tile_bytes, 0,
                                      why(plan.shape)};
  using arguments = reduce_arguments<from_tile, Op, Out>;
  frame.launch(shares ? in_shares : in_wave, shape, true, [&](const auto& scratch) {
    return arguments{from, op, out, {}, schedule, scratch.template room<A>(), scratch.ticket()};
  });
}

template <class A, class Op>
whole_part_output<A, Op> whole_output(canonical_nodes<A, Op>* list, std::int64_t first, std::int64_t items) {
  return {list, first, first + items, identity<Op, A>::value()};
}

/// Enqueues the reduction of `leaves`, the items from number `first` on, to the list `out`. All arguments have been
/// checked but `options`.
template <class Leaves, class Op, class A = typename Leaves::accumulator>
void enqueue_part(const char* function, Leaves leaves, std::int64_t first, canonical_nodes<A, Op>* out, Op op,
                  const call_options& options) {
  const std::int64_t items = leaves.source.items;
  thread::number_from(leaves, first);
  const host_side::call_frame frame(function, options, reduction::scratch(host_side::current_device(), sizeof(A)));
  if (items == 0)
    host_side::enqueue(&write_empty_list_kernel<A, Op>, host_side::launch_shape{1, 1}, options.stream, out, first);
  else if constexpr (host_side::own_reduction<Op, A>::exists)
    host_side::own_reduction<Op, A>::enqueue(
        function, leaves, whole_output(out, first, items), op,
        reduce_options<A>{options.stream, {}, options.workspace, options.max_blocks});
  else if constexpr (warp::selects<Leaves>)
    enqueue_selection(frame, leaves, whole_output(out, first, items), op, grid::initial_value<A>{});
  else enqueue_part_tree(frame, leaves, first, part_output<A, Op>{out}, op);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
