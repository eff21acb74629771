// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The general kernel of segmented reduction: segments to a value each, by the canonical tree of each segment, in one launch.
// Each warp folds what begins in its range of positions, and waits for nobody.
//
// All of its branches are taken by whole warps, on values that the compiler can see to be one for all lanes: a vote, a
// reduction, a shuffle from one lane. Where it cannot, it guards each exchange of registers.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/segmented/packed_segments.cuh>
#include <warpfold/segmented/short_segments.cuh>
#include <warpfold/segmented/smem_packed_segments.cuh>
#include <warpfold/thread/array.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// What is done with the short segments of a range, where there can be any: equal ones have a kernel of their own.
template <class Arguments, bool Staged> struct short_segments_of {
  using type = short_segments<Arguments, packed_segments>;
};
template <class Arguments> struct short_segments_of<Arguments, true> {
  using type = short_segments<Arguments, smem_packed_segments>;
};
template <class Arguments>
  requires(decltype(Arguments::segments)::is_fixed_length)
struct short_segments_of<Arguments, false> {
  using type = no_short_segments<Arguments>;
};

/// Shared memory: what each warp has to itself.
template <class Arguments, bool Staged> struct kernel_storage {
  static constexpr int warps = policy_of<decltype(Arguments::leaves)>.block_threads / warp_lanes;
  thread::array<typename short_segments_of<Arguments, Staged>::type::storage, warps> own;
};

/// Each warp folds what begins in its range: segments, and units of the one before them. `Staged`: steps of short segments of very
/// different lengths are.
template <bool Staged, class Segments, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(policy_of<Leaves>.block_threads, policy_of<Leaves>.blocks_per_multiprocessor)
load_balance_kernel(const __grid_constant__ kernel_arguments<Segments, Leaves, Op, Out> arguments) {
  const auto& [segments, leaves, op, out, init, empty, partition, units] = arguments;
  require_order(segments, leaves.source.items);
  const segment_span range = partition.own_positions();
  const segment_start start = warp::shuffle(segments.find_first(range.begin, partition, leaves.source.items), 0);
  using arguments_type = kernel_arguments<Segments, Leaves, Op, Out>;
  constexpr bool may_be_short = !Segments::is_fixed_length;
  auto& own = arch::dynamic_shared<kernel_storage<arguments_type, Staged>>().own[arch::flat_warp()];
  typename short_segments_of<arguments_type, Staged>::type short_segments_of_warp(arguments, range, start.segment, own);
  segment_place at{start.segment, start.cursor, 0};
  span_of<typename Segments::index> items{0, 0};
  const auto settle = [&](const span_of<typename Segments::index>& known) {
    items = warp::shuffle(known, 0);  // one lane's, so that the compiler sees that all have the same
  };
  // Of one past the range, only that it is past matters.
  const auto settle_next = [&] {
    if constexpr (Segments::needs_cursor)
      if (partition.position(at.segment, at.cursor) >= range.end) return settle({at.cursor, at.cursor});
    settle(segments.span_at(at.segment, at.cursor));
  };
  // The segment before the first one may have units in the range.
  constexpr bool previous_first = sizeof(typename Leaves::source_type::item) == previous_first_item_bytes;
  const auto settle_previous = [&](const span_of<typename Segments::index>& known) {
    const auto before = warp::shuffle(known, 0);
    arch::require(segment_span{before.begin, before.end}.within(leaves.source.items), segments_out_of_order);
    const bool is_cut = before.end - before.begin > partition.max_uncut_items;
    if (is_cut) items = before, at.segment = start.segment - 1;
    return is_cut;
  };
  constexpr int max_short_items = warp_lanes * wide_items<Leaves>;
  const auto before = segments.previous(start);  // on its way with the first one
  bool begins =
      !may_be_short || partition.are_mostly_long;  // then a look at the first one comes first; else it is as good as short
  if (begins) settle_next();
  if (previous_first) settle_previous(before), begins = true;
  while (true) {
    if (may_be_short && !begins && items.end - items.begin <= max_short_items) {
      short_segments_of_warp.fold(at);  // none, if the next one is long
      settle_next();
    } else if (!begins) {
      const auto next =
          segments.next_span(at.segment + 1, items.end, max_short_items);  // on its way while this one is folded
      fold_long_segment(arguments, range, at.segment, {items.begin, items.end});
      if (!previous_first && at.segment < start.segment) return;
      ++at.segment, at.cursor = items.end;
      settle(next);
    }
    begins = false;
    if (at.segment < segments.count && partition.position(at.segment, items.begin) < range.end) continue;
    const auto last = segments.previous(start);  // on its way with the last ones
    short_segments_of_warp.finish(at.pending);
    if (previous_first || !settle_previous(last)) return;
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
