// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of segmented reduction: checks, plan, scratch, one launch.
#pragma once
#include <warpfold/host/divide_up.hpp>
#include <warpfold/host/initial_value.cuh>
#include <warpfold/host/launch.cuh>
#include <warpfold/host/reduce_with.hpp>
#include <warpfold/host/scratch_for.cuh>
#include <warpfold/segmented/fixed_length_kernel.cuh>
#include <warpfold/segmented/load_balance_kernel.cuh>
#include <warpfold/segmented/plan.hpp>
#include <warpfold/segmented/scratch.hpp>
#include <warpfold/segmented/segment_per_warp_team_kernel.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr const char* no_empty_value =
    "the operator has no identity: .init or .empty must say what an empty segment holds";

/// Whether a segment can be empty, as far as the host knows.
template <class Segments> bool may_be_empty(const Segments& segments) {
  if constexpr (Segments::is_fixed_length) return segments.length == 0;
  else return true;
}

/// Enqueues the fixed-length kernel with one of its algorithms. It needs no scratch.
template <class Algorithm, class Leaves, class Op, class Out>
void enqueue_fixed_length(const kernel_arguments<fixed_length_segments, Leaves, Op, Out>& arguments, int max_blocks,
                          cudaStream_t stream) {
  constexpr auto* kernel = &fixed_length_kernel<Algorithm, Leaves, Op, Out>;
  constexpr auto policy = policy_of<Leaves>;
  const int device = host::current_device();
  const int max_resident_blocks = host::limits_of(device).multiprocessors *
                                  host::blocks_per_multiprocessor<kernel>(device, policy.block_threads, 0);
  const int blocks = plan_fixed_length(max_resident_blocks, arguments.segments.count,
                                       Algorithm::segments_per_warp(arguments.segments.length), policy, max_blocks);
  launch(kernel, host::launch_config(blocks, policy.block_threads, 0, stream), arguments);
}

/// The units' values and their counters, in the scratch of one call.
template <class A> unit_values<A> units_in(const host::call_scratch& scratch) {
  A* const values = scratch.room<A>();
  return {values, values + max_units(sizeof(A)) + 2, scratch.control_words<unsigned>()};
}

/// The host side of load_balance_kernel.
template <bool Staged, class Segments, class Leaves, class Op, class Out> struct load_balance_reduction {
  using arguments = kernel_arguments<Segments, Leaves, Op, Out>;
  using A = typename Leaves::accumulator;
  static constexpr auto* kernel = &load_balance_kernel<Staged, Segments, Leaves, Op, Out>;
  static constexpr auto policy = policy_of<Leaves>;
  static constexpr std::size_t shared_bytes = sizeof(kernel_storage<arguments, Staged>);
  static_assert(shared_bytes <= 48 * 1024, "more shared memory needs an opt-in for each kernel");

  static int max_resident_blocks(int device) {
    return host::limits_of(device).multiprocessors *
           host::blocks_per_multiprocessor<kernel>(device, policy.block_threads, shared_bytes);
  }
  /// Enqueues the kernel. `given` lacks partition and units.
  static void enqueue(const arguments& given, const segmented_options<A>& options) {
    const int device = host::current_device();
    const load_balance_plan plan =
        plan_load_balance(max_resident_blocks(device), given.leaves.source.items, given.segments.count,
                          !Segments::needs_cursor && !Segments::is_fixed_length, Leaves::chunk_items, sizeof(A), policy,
                          options.max_blocks);
    const host::call_scratch scratch = host::scratch_for(device, options, segmented::scratch(sizeof(A)));
    launch(kernel, host::launch_config(plan.blocks, policy.block_threads, shared_bytes, options.stream),
           arguments{given.segments, given.leaves, given.op, given.out, given.init, given.empty, plan.partition,
                     units_in<A>(scratch)});
  }
};

/// The host side of segment_per_warp_team_kernel.
template <class Segments, class Leaves, class Op, class Out> struct segment_per_warp_team_reduction {
  using arguments = kernel_arguments<Segments, Leaves, Op, Out>;
  using A = typename Leaves::accumulator;
  static constexpr auto* kernel = &segment_per_warp_team_kernel<Segments, Leaves, Op, Out>;
  static constexpr auto policy = policy_of<Leaves>;
  static constexpr std::size_t shared_bytes = sizeof(warp_team_storage<arguments>);
  static_assert(shared_bytes <= 48 * 1024, "more shared memory needs an opt-in for each kernel");

  /// The plan, if this kernel is the faster one.
  static std::optional<segment_per_warp_team_plan> plan(const arguments& given, int max_blocks) {
    const int device = host::current_device();
    const int max_resident_blocks = host::limits_of(device).multiprocessors *
                                    host::blocks_per_multiprocessor<kernel>(device, policy.block_threads, shared_bytes);
    return plan_segment_per_warp_team(max_resident_blocks, given.leaves.source.items, given.segments.count,
                                      Segments::is_fixed_length, Leaves::chunk_items, sizeof(A), policy, max_blocks);
  }
  /// Enqueues the kernel. `given` lacks partition and units.
  static void enqueue(const arguments& given, const segment_per_warp_team_plan& plan,
                      const segmented_options<A>& options) {
    const host::call_scratch scratch =
        host::scratch_for(host::current_device(), options, segmented::scratch(sizeof(A)));
    launch(kernel, host::launch_config(plan.blocks, policy.block_threads, shared_bytes, options.stream),
           arguments{given.segments, given.leaves, given.op, given.out, given.init, given.empty, plan.partition,
                     units_in<A>(scratch)},
           plan.teams);
  }
};

/// Chooses a kernel and enqueues it. `given` lacks partition and units.
template <class Segments, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_fastest(const kernel_arguments<Segments, Leaves, Op, Out>& given, const segmented_options<A>& options) {
  if constexpr (Segments::is_fixed_length) {
    if (with_fixed_length_algorithm<Leaves>(given.segments.length, [&]<class Algorithm>(Algorithm) {
          enqueue_fixed_length<Algorithm>(given, options.max_blocks, options.stream);
        }))
      return;
  }
  if constexpr (!Segments::needs_cursor) {
    using per_warp_team = segment_per_warp_team_reduction<Segments, Leaves, Op, Out>;
    if (const auto plan = per_warp_team::plan(given, options.max_blocks))
      return per_warp_team::enqueue(given, *plan, options);
  }
  if constexpr (!Segments::is_fixed_length && can_stage<Leaves>) {
    using staged = load_balance_reduction<true, Segments, Leaves, Op, Out>;
    const int device = host::current_device();
    if (host::has_sm_90<staged::kernel>(device) &&
        gains_by_staging(given.leaves.source.items, given.segments.count,
                         sizeof(typename thread::plain_source_of<typename Leaves::source_type>::item),
                         staged::max_resident_blocks(device) * (staged::policy.block_threads / warp_lanes),
                         !Segments::needs_cursor))
      return staged::enqueue(given, options);
  }
  load_balance_reduction<false, Segments, Leaves, Op, Out>::enqueue(given, options);
}

/// Enqueues the reduction. All arguments but `options` have been checked.
template <class Segments, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue(const char* function, const Segments& segments, const Leaves& leaves, Out out, Op op,
             const segmented_options<A>& options) {
  grid::initial_value<A> empty;
  if (may_be_empty(segments)) empty = host::empty_value_of<Op, Out>(function, options, no_empty_value);
  const auto init = host::initial_value_of<Op>(function, options.init);
  host::check_options(function, options, segmented::scratch(sizeof(A)));
  if (segments.count == 0) return;
  using own = host::own_segmented_reduction<Op, A>;
  if constexpr (own::template exists_for<Segments>)
    return own::enqueue(segments, leaves, out, op, init, empty, options);
  else enqueue_fastest<Segments, Leaves, Op, Out>({segments, leaves, op, out, init, empty, {}, {}}, options);
}

/// The same items in narrow chunks.
template <class A, class T, int Items> auto in_narrow_chunks(const thread::pointer_source<T, Items>& source) {
  return thread::pointer_source<T, narrow_chunk_items(sizeof(T), sizeof(A), Items)>{source.data, source.items};
}
template <class A, class It> auto in_narrow_chunks(const thread::iterator_source<It>& source) {
  constexpr int items = narrow_chunk_items(thread::held_bytes<thread::iterator_source<It>, A>, sizeof(A), 1);
  return thread::iterator_source<It, items>{source.first_item, source.items};
}
template <class A, class Source> auto in_narrow_chunks(const thread::indexed_source<Source>& given) {
  const auto source = in_narrow_chunks<A>(given.source);
  return thread::indexed_source<std::remove_cv_t<decltype(source)>>{source, given.first_index};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

template <> struct segmented_reduce_with<automatic> {
  template <class Segments, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
  static void enqueue(const char* function, const Segments& segments, const Leaves& leaves, Out out, Op op,
                      const segmented_options<A>& options) {
    const auto source = segmented::in_narrow_chunks<A>(leaves.source);
    using source_type = std::remove_cv_t<decltype(source)>;
    const thread::leaves<source_type, decltype(leaves.transform), A> in_chunks{source, leaves.transform};
    segmented::enqueue(function, segments, in_chunks, out, op, options);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
