// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of segmented reduction.
#pragma once
#include <warpfold/host/call_frame.cuh>
#include <warpfold/host/initial_value.cuh>
#include <warpfold/host/reduce_with.hpp>
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

/// The host side of fixed_length_kernel with one of its algorithms. It needs no scratch.
template <class Algorithm, class Segments, class Leaves, class Op, class Out> struct fixed_length_reduction {
  using arguments = kernel_arguments<Segments, Leaves, Op, Out>;
  static constexpr auto* kernel = &fixed_length_kernel<Algorithm, Segments, Leaves, Op, Out>;
  static constexpr auto policy = policy_of<Leaves>;
  static constexpr std::size_t shared_bytes = fixed_length_shared_bytes<Algorithm>;

  static int resident_blocks(const host_side::call_frame& frame) {
    return frame.resident_blocks<kernel>(policy.block_threads, shared_bytes);
  }
  /// Whether each resident warp gets as many segments as the algorithm wants.
  static bool has_enough(const host_side::call_frame& frame, std::int64_t segments) {
    if constexpr (requires { Algorithm::min_share; })
      return segments >=
             std::int64_t{Algorithm::min_share} * resident_blocks(frame) * (policy.block_threads / warp_lanes);
    else return true;
  }
  static void enqueue(const host_side::call_frame& frame, const arguments& given) {
    const auto& segments = given.segments;
    int share = Algorithm::segments_per_warp(segments.length);
    if constexpr (requires { Algorithm::min_segments_per_warp(segments.length); })
      share = Algorithm::min_segments_per_warp(segments.length);
    const int blocks = plan_fixed_length(resident_blocks(frame), segments.count, share, policy, frame.max_blocks());
    const host_side::launch_shape shape{blocks, policy.block_threads, shared_bytes, 0,
                                        "segments of one length that suits this algorithm"};
    frame.launch(kernel, shape, false, [&](const auto&) { return given; });
  }
};

/// Enqueues a kernel that takes a `partition`, and keeps units in scratch. `given` lacks both, here and below.
template <class Kernel, class Segments, class Leaves, class Op, class Out, class... More>
void enqueue_partition(const host_side::call_frame& frame, Kernel kernel, const host_side::launch_shape& shape,
                       kernel_arguments<Segments, Leaves, Op, Out> given, const load_balance_partition& partition,
                       More... more) {
  using A = typename Leaves::accumulator;
  const auto arguments_in = [&](const host_side::call_scratch& scratch) {
    A* const values = scratch.room<A>();
    given.partition = partition;
    given.units = {values, values + max_units(sizeof(A)) + 2, scratch.control_words<unsigned>()};
    return given;
  };
  frame.launch(kernel, shape, true, arguments_in, more...);
}

/// The host side of load_balance_kernel.
template <packing Packing, class Segments, class Leaves, class Op, class Out> struct load_balance_reduction {
  using arguments = kernel_arguments<Segments, Leaves, Op, Out>;
  static constexpr auto* kernel = &load_balance_kernel<Packing, Segments, Leaves, Op, Out>;
  static constexpr auto policy = policy_of<Leaves>;
  static constexpr bool is_with_few = Packing == packing::late_and_few || Packing == packing::in_place_and_few;
  using storage = kernel_storage<typename arguments::known, Packing>;
  static constexpr std::size_t shared_bytes = [] {
    if constexpr (is_with_few || Packing == packing::staged) return sizeof(storage);
    else return host_side::shared_bytes_of<storage>;
  }();
  /// Of fixed lengths none is short to this kernel.
  static constexpr std::int64_t max_short_items =
      Segments::is_fixed_length ? 0 : short_segments_of<typename arguments::known, Packing>::type::max_items;
  static constexpr bool is_listed = !Segments::needs_cursor && !Segments::is_fixed_length;

  /// Whether a block may have the kernel's shared memory. The kernel opts in to more than each block gets.
  static bool may_have_storage([[maybe_unused]] const host_side::call_frame& frame) {
    if constexpr (shared_bytes <= host_side::plain_shared_bytes) return true;
    else return host_side::allows_shared_bytes<kernel>(frame.device(), shared_bytes);
  }
  static int resident_blocks(const host_side::call_frame& frame) {
    may_have_storage(frame);
    return frame.resident_blocks<kernel>(policy.block_threads, shared_bytes);
  }
  static void enqueue(const host_side::call_frame& frame, const arguments& given) {
    const load_balance_plan plan = plan_load_balance(
        resident_blocks(frame), given.leaves.source.items, given.segments.count, is_listed && !policy.folds_slowly,
        Leaves::chunk_items, sizeof(typename Leaves::accumulator), policy, frame.max_blocks(), max_short_items);
    constexpr const char* why =
        Packing == packing::staged         ? "many segments of a few items: tiles go through shared memory"
        : Packing == packing::late         ? "segments of some items: right edges are joined together"
        : Packing == packing::late_of_long ? "many items a segment: right edges are joined together, by fewer warps"
        : is_with_few                      ? "segments of any lengths: lanes fold few items alone"
                                           : "segments of any lengths";
    enqueue_partition(frame, kernel, {plan.blocks, policy.block_threads, shared_bytes, 0, why}, given, plan.partition);
  }
};

/// The host side of segment_per_warp_team_kernel.
template <class Segments, class Leaves, class Op, class Out> struct segment_per_warp_team_reduction {
  using arguments = kernel_arguments<Segments, Leaves, Op, Out>;
  static constexpr auto* kernel = &segment_per_warp_team_kernel<Segments, Leaves, Op, Out>;
  static constexpr auto policy = policy_of<Leaves>;
  static constexpr std::size_t shared_bytes(int block_threads) {
    constexpr int most_warps = policy.block_threads / warp_lanes;
    constexpr std::size_t most_bytes =
        host_side::shared_bytes_of<thread::array<share_storage<typename arguments::known>, most_warps>>;
    return most_bytes / most_warps * static_cast<std::size_t>(block_threads / warp_lanes);
  }
  /// Of listed segments by an operator with long joins.
  static constexpr int min_rows = !has_long_joins<Leaves>                    ? 0
                                  : may_join_full_nodes<wide_leaves<Leaves>> ? min_late_edge_rows
                                                                             : min_long_join_rows;

  /// The plan, if this kernel is the faster one.
  static std::optional<segment_per_warp_team_plan> plan(const host_side::call_frame& frame, const arguments& given) {
    const int resident = frame.resident_blocks<kernel>(policy.block_threads, shared_bytes(policy.block_threads));
    constexpr std::size_t accumulator_bytes = sizeof(typename arguments::A);
    if constexpr (Segments::is_fixed_length) {
      using item = typename thread::plain_source_of<typename Leaves::source_type>::item;
      const equal_segments segments{given.segments.count, given.segments.length, warp_lanes * Leaves::chunk_items,
                                    sizeof(item)};
      return plan_equal_teams(frame.multiprocessors(), resident, segments, accumulator_bytes, policy,
                              frame.max_blocks());
    } else
      return plan_segment_per_warp_team(resident, given.leaves.source.items, given.segments.count, Leaves::chunk_items,
                                        accumulator_bytes, policy, frame.max_blocks(), min_rows);
  }
  static void enqueue(const host_side::call_frame& frame, const arguments& given,
                      const segment_per_warp_team_plan& plan) {
    const char* const why = plan.block_threads == warp_lanes
                                ? "segments of some thousand items: a warp for each"
                                : "few items, or long segments: a team of warps for each segment";
    enqueue_partition(frame, kernel, {plan.blocks, plan.block_threads, shared_bytes(plan.block_threads), 0, why}, given,
                      plan.partition, plan.teams);
  }
};

/// Chooses a kernel and enqueues it.
template <class Segments, class Leaves, class Op, class Out>
void enqueue_fastest(const host_side::call_frame& frame, const kernel_arguments<Segments, Leaves, Op, Out>& given) {
  if constexpr (Segments::is_fixed_length) {
    if (with_fixed_length_algorithm<Leaves>(given.segments.length, [&]<class Algorithm>(Algorithm) {
          using reduction = fixed_length_reduction<Algorithm, Segments, Leaves, Op, Out>;
          const bool takes = reduction::has_enough(frame, given.segments.count);
          if (takes) reduction::enqueue(frame, given);
          return takes;
        }))
      return;
  }
  if constexpr (!Segments::needs_cursor) {
    using per_warp_team = segment_per_warp_team_reduction<Segments, Leaves, Op, Out>;
    if (const auto plan = per_warp_team::plan(frame, given)) return per_warp_team::enqueue(frame, given, *plan);
  }
  if constexpr (!Segments::is_fixed_length && can_stage<Leaves> &&
                (!may_become_terms<Leaves> || thread::takes_lowered<Out>)) {
    using staged = load_balance_reduction<packing::staged, Segments, Leaves, Op, Out>;
    // An initial value is joined to accumulators, but sums of terms become results at once.
    const bool joins_to_terms = may_become_terms<Leaves> && given.init.exists();
    if (!joins_to_terms && host_side::has_sm_90<staged::kernel>(frame.device()) && staged::may_have_storage(frame) &&
        gains_by_staging(given.leaves.source.items, given.segments.count,
                         sizeof(typename thread::plain_source_of<typename Leaves::source_type>::item),
                         staged::resident_blocks(frame) * (staged::policy.block_threads / warp_lanes),
                         staged::is_listed, packs_all_lengths<Leaves>,
                         may_become_terms<Leaves> ? staging_bounds_of_terms : staging_bounds_of_items))
      return staged::enqueue(frame, given);
  }
  constexpr bool may_be_late = may_pack_late<typename kernel_arguments<Segments, Leaves, Op, Out>::known>;
  if constexpr (may_be_late) {
    constexpr auto policy = policy_of<Leaves>;
    if constexpr (policy.load_balance_blocks_of_long < policy.load_balance_blocks_per_multiprocessor)
      if (given.leaves.source.items / min_mean_of_fewer_blocks >= given.segments.count)
        return load_balance_reduction<packing::late_of_long, Segments, Leaves, Op, Out>::enqueue(frame, given);
    if (given.leaves.source.items / min_late_length<Leaves> >= given.segments.count)
      return load_balance_reduction<packing::late, Segments, Leaves, Op, Out>::enqueue(frame, given);
  }
  if constexpr (may_be_late && folds_few<wide_leaves<Leaves>>) {
    constexpr bool by_full_nodes = may_join_full_nodes<wide_leaves<Leaves>>;
    using with_few = load_balance_reduction<by_full_nodes ? packing::late_and_few : packing::in_place_and_few, Segments,
                                            Leaves, Op, Out>;
    if constexpr (by_full_nodes)
      if (!with_few::may_have_storage(frame))
        return load_balance_reduction<packing::late, Segments, Leaves, Op, Out>::enqueue(frame, given);
    with_few::enqueue(frame, given);
  } else load_balance_reduction<packing::in_place, Segments, Leaves, Op, Out>::enqueue(frame, given);
}

/// Enqueues the reduction. All arguments but `options` have been checked.
template <class Segments, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue(const char* function, const Segments& segments, const Leaves& leaves, Out out, Op op,
             const segmented_options<A>& options) {
  grid::initial_value<A> empty;
  if (may_be_empty(segments)) empty = host_side::empty_value_of<Op, Out>(function, options, no_empty_value);
  const auto init = host_side::initial_value_of<Op>(function, options.init);
  const host_side::call_frame frame(function, options, segmented::scratch(sizeof(A)));
  if (segments.count == 0) return;
  using own = host_side::own_segmented_reduction<Op, A>;
  static_assert(!segment::is_counted<Segments> || !own::template exists_for<Segments>,
                "warpfold: a device_count is not known to this operator: its kernels count on the host");
  if constexpr (own::template exists_for<Segments>) own::enqueue(frame, segments, leaves, out, op, init, empty);
  else enqueue_fastest<Segments, Leaves, Op, Out>(frame, {segments, leaves, op, out, init, empty, {}, {}});
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

namespace warpfold::host_side {
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
}  // namespace warpfold::host_side
