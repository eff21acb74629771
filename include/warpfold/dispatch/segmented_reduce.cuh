// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of segmented reduction: checks, plan, scratch, one launch.
#pragma once
#include <warpfold/dispatch/reduce.cuh>
#include <warpfold/dispatch/segmented_plan.hpp>
#include <warpfold/grid/dealt_segments_kernel.cuh>
#include <warpfold/grid/equal_segments_kernel.cuh>
#include <warpfold/grid/segmented_kernel.cuh>

namespace warpfold::dispatch {
inline namespace v1 WARPFOLD_HIDDEN {

/// What an empty segment holds: `empty`, else init, else the operator's identity.
template <class Op, class A>
grid::initial_value<A> empty_value_of(const char* function, const segmented_options<A>& options) {
  if (options.empty) return initial_value_of<Op>(function, options.empty, 1);
  if (options.init || has_identity_v<Op, A>) return initial_value_of<Op>(function, options.init, 0);
  reject(function, "the operator has no identity: .init or .empty must say what an empty segment holds");
}

/// Enqueues the same by the kernel of equal segments, in one of its ways. It needs no scratch.
template <class Way, class Leaves, class Op, class Out>
void equal_segmented_reduce(const grid::segmented_arguments<grid::fixed_segments, Leaves, Op, Out>& arguments, int max_blocks,
                            cudaStream_t stream) {
  constexpr auto* kernel = &grid::equal_segments_kernel<Way, Leaves, Op, Out>;
  constexpr auto policy = grid::segmented_policy<Leaves>;
  const int device = current_device();
  const int most_blocks = limits_of(device).multiprocessors * blocks_per_multiprocessor<kernel>(device, policy.block_threads, 0);
  const int blocks = plan_equal_segments(most_blocks, arguments.segments.count, Way::at_once(arguments.segments.length), policy, max_blocks);
  launch(kernel, launch_config(blocks, policy.block_threads, 0, stream), arguments);
}

/// A call's scratch: units' values, and their counters.
struct segmented_scratch {
  std::span<std::byte> bytes;

  template <class A> static segmented_scratch of(int device, const segmented_options<A>& options) {
    if (!options.workspace.bytes.empty()) return {options.workspace.bytes};
    return {workspace_pool::instance().get(device, options.stream, segmented_workspace_bytes(sizeof(A)))};
  }
  template <class A> grid::unit_values<A> units() const {
    A* values = reinterpret_cast<A*>(bytes.data() + control_bytes);
    return {values, values + tuning::max_units(sizeof(A)) + 2, reinterpret_cast<unsigned*>(bytes.data() + workspace_alignment)};
  }
};

/// The general kernel, which stages mixed steps or does not, and what the host knows of it.
template <bool Staged, class Segments, class Leaves, class Op, class Out> struct general_segmented_kernel {
  using arguments = grid::segmented_arguments<Segments, Leaves, Op, Out>;
  using A = typename Leaves::accumulator;
  static constexpr auto* kernel = &grid::segmented_kernel<Staged, Segments, Leaves, Op, Out>;
  static constexpr auto policy = grid::segmented_policy<Leaves>;
  static constexpr std::size_t shared_bytes = sizeof(grid::segmented_storage<arguments, Staged>);
  static_assert(shared_bytes <= 48 * 1024, "more takes a permission a kernel");

  static int most_blocks(int device) {
    return limits_of(device).multiprocessors * blocks_per_multiprocessor<kernel>(device, policy.block_threads, shared_bytes);
  }
  /// Enqueues it. `given` lacks ranges and units.
  static void enqueue(const arguments& given, const segmented_options<A>& options) {
    const int device = current_device();
    const segmented_plan plan = plan_segmented(most_blocks(device), given.leaves.source.items, given.segments.count, Leaves::chunk_items,
                                               sizeof(A), policy, options.max_blocks);
    const segmented_scratch scratch = segmented_scratch::of(device, options);
    const clear_on_error guard(scratch.bytes);
    launch(kernel, launch_config(plan.blocks, policy.block_threads, shared_bytes, options.stream),
           arguments{given.segments, given.leaves, given.op, given.out, given.init, given.empty, plan.ranges, scratch.units<A>()});
  }
};

/// The kernel of segments that are dealt by number.
template <class Segments, class Leaves, class Op, class Out> struct dealt_segments {
  using arguments = grid::segmented_arguments<Segments, Leaves, Op, Out>;
  using A = typename Leaves::accumulator;
  static constexpr auto* kernel = &grid::dealt_segments_kernel<Segments, Leaves, Op, Out>;
  static constexpr auto policy = grid::segmented_policy<Leaves>;
  static constexpr std::size_t shared_bytes = sizeof(grid::dealt_storage<arguments>);
  static_assert(shared_bytes <= 48 * 1024, "more takes a permission a kernel");

  /// How they are dealt, if that is the faster way.
  static std::optional<dealt_plan> plan(const arguments& given, int max_blocks) {
    const int device = current_device();
    const int most_blocks = limits_of(device).multiprocessors * blocks_per_multiprocessor<kernel>(device, policy.block_threads, shared_bytes);
    return plan_dealt(most_blocks, given.leaves.source.items, given.segments.count, Segments::are_equal, Leaves::chunk_items, sizeof(A), policy,
                      max_blocks);
  }
  /// Enqueues it. `given` lacks ranges and units.
  static void enqueue(const arguments& given, const dealt_plan& plan, const segmented_options<A>& options) {
    const segmented_scratch scratch = segmented_scratch::of(current_device(), options);
    const clear_on_error guard(scratch.bytes);
    launch(kernel, launch_config(plan.blocks, policy.block_threads, shared_bytes, options.stream),
           arguments{given.segments, given.leaves, given.op, given.out, given.init, given.empty, plan.ranges, scratch.units<A>()}, plan.groups);
  }
};

/// Enqueues the reduction of each of `segments` into `out`. All arguments have been checked but those of `options`.
template <class Segments, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void segmented_reduce(const char* function, const Segments& segments, const Leaves& leaves, Out out, Op op,
                      const segmented_options<A>& options) {
  check_operator<Op, A>();
  const auto empty = empty_value_of<Op>(function, options);
  const auto init = initial_value_of<Op>(function, options.init, 1);
  if (options.max_blocks < 0) reject(function, "max_blocks is " + std::to_string(options.max_blocks));
  if (segments.count == 0) return;
  if (!options.workspace.bytes.empty()) check_workspace(function, options.workspace.bytes, segmented_workspace_bytes(sizeof(A)));
  const grid::segmented_arguments<Segments, Leaves, Op, Out> arguments{segments, leaves, op, out, init, empty, {}, {}};
  if constexpr (Segments::are_equal) {
    if (grid::with_equal_way<Leaves>(segments.length, [&]<class Way>(Way) {
          equal_segmented_reduce<Way>(arguments, options.max_blocks, options.stream);
        }))
      return;
  }
  if constexpr (!Segments::needs_cursor) {
    using dealt = dealt_segments<Segments, Leaves, Op, Out>;
    if (const auto plan = dealt::plan(arguments, options.max_blocks)) return dealt::enqueue(arguments, *plan, options);
  }
  if constexpr (!Segments::are_equal && grid::can_stage<Leaves>) {
    using staged = general_segmented_kernel<true, Segments, Leaves, Op, Out>;
    const int device = current_device();
    if (has_sm_90<staged::kernel>(device) &&
        gains_by_staging(leaves.source.items, segments.count, staged::most_blocks(device) * (staged::policy.block_threads / warp_lanes),
                         !Segments::needs_cursor))
      return staged::enqueue(arguments, options);
  }
  general_segmented_kernel<false, Segments, Leaves, Op, Out>::enqueue(arguments, options);
}

/// The same items in the chunks that segments are read in.
template <class A, class T, int Items> auto in_narrow_chunks(const thread::pointer_source<T, Items>& source) {
  return thread::pointer_source<T, tuning::narrow_chunk_items(sizeof(T), sizeof(A), Items)>{source.data, source.items};
}
template <class A, class It> auto in_narrow_chunks(const thread::iterator_source<It>& source) {
  constexpr int items = tuning::narrow_chunk_items(thread::held_bytes<thread::iterator_source<It>, A>, sizeof(A), 1);
  return thread::iterator_source<It, items>{source.first_item, source.items};
}

/// How a strategy enqueues a segmented reduction. Named strategies are in segmented_strategy.cuh.
template <class Strategy> struct segmented_reduction;
template <> struct segmented_reduction<automatic> {
  template <class Segments, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
  static void enqueue(const char* function, const Segments& segments, const Leaves& leaves, Out out, Op op,
                      const segmented_options<A>& options) {
    const auto source = in_narrow_chunks<A>(leaves.source);
    const thread::leaves<std::remove_cv_t<decltype(source)>, decltype(leaves.transform), A> in_chunks{source, leaves.transform};
    segmented_reduce(function, segments, in_chunks, out, op, options);
  }
};

}  // namespace v1
}  // namespace warpfold::dispatch
