// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The general kernel of segmented reduction: segments of any lengths, in one launch, each by its canonical tree.
//
//   partition  Items and segments are divided evenly among all warps; a search gives a warp its first segment
//              (load_balance_partition.cuh; load-balancing search: moderngpu; Merrill and Garland 2016).
//   tiles      The warp reads the spans of 128 segments at a time. If none is longer than a chunk, a lane folds its own
//              ones (short_segments.cuh).
//   pack       Short segments are packed side by side into the lanes of the warp: in place (packed_segments.cuh), in
//              place with the right edges joined late (late_packed_segments.cuh), maybe but for tiny segments
//              (few_items.cuh), or staged in shared memory (smem_packed_segments.cuh), there maybe as plain terms
//              (tile_terms.cuh).
//   join       The warp folds a longer segment alone; where joins take long, the right edges of several such segments
//              are joined together (long_edges.cuh). If the segment is cut, the warp folds the units that begin in its
//              range, and the last warp to finish joins them (long_segments.cuh, segment_units.cuh). No warp waits for
//              another.
//
// Whole warps take every branch, on values that the compiler can prove uniform: a vote, a reduction, a shuffle from one
// lane. Where it cannot, it guards each exchange of registers.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/segmented/known_segments.cuh>
#include <warpfold/segmented/late_packed_segments.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/segmented/packed_segments.cuh>
#include <warpfold/segmented/short_segments.cuh>
#include <warpfold/segmented/smem_packed_segments.cuh>
#include <warpfold/thread/array.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// `late_of_long`: late, where most segments are long.
enum class packing { in_place, in_place_and_few, late, late_of_long, late_and_few, staged };

/// How a warp folds the short segments of its range. Short segments of one length have a kernel of their own.
template <class Arguments, packing Packing> struct short_segments_of {
  using type = short_segments<Arguments, packed_segments>;
};
template <class Arguments> struct short_segments_of<Arguments, packing::in_place_and_few> {
  using type = short_segments<Arguments, packed_and_few_segments>;
};
template <class Arguments> struct short_segments_of<Arguments, packing::late> {
  using type = short_segments<Arguments, late_packed_segments>;
};
template <class Arguments>
struct short_segments_of<Arguments, packing::late_of_long> : short_segments_of<Arguments, packing::late> {};
template <class Arguments> struct short_segments_of<Arguments, packing::late_and_few> {
  using type = short_segments<Arguments, late_packed_and_few_segments>;
};
template <class Arguments> struct short_segments_of<Arguments, packing::staged> {
  using type = short_segments<Arguments, smem_packed_segments>;
};
template <class Arguments>
  requires(decltype(Arguments::segments)::is_fixed_length)
struct short_segments_of<Arguments, packing::in_place> {
  using type = no_short_segments<Arguments>;
};

/// Shared memory: each warp has its own part.
template <class Arguments, packing Packing> struct kernel_storage {
  static constexpr int warps = policy_of<typename Arguments::leaves_type>.block_threads / warp_lanes;
  thread::array<typename short_segments_of<Arguments, Packing>::type::storage, warps> own;
};

/// Each warp folds the segments that begin in its range, and those units of the previous segment that do.
template <packing Packing, class Segments, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(policy_of<Leaves>.block_threads,
                                  Packing == packing::late_of_long
                                      ? policy_of<Leaves>.load_balance_blocks_of_long
                                      : policy_of<Leaves>.load_balance_blocks_per_multiprocessor)
load_balance_kernel(const __grid_constant__ kernel_arguments<Segments, Leaves, Op, Out> given) {
  const auto& arguments = with_even_ranges(given);
  const auto& [segments, leaves, op, out, init, empty, partition, units] = arguments;
  segment::require_order("segmented_reduce", segments, leaves.source.items);
  const segment_span range = partition.own_positions();
  const segment_start start = warp::shuffle(segments.find_first(range.begin, partition, leaves.source.items), 0);
  using arguments_type = typename kernel_arguments<Segments, Leaves, Op, Out>::known;
  constexpr bool may_be_short = !Segments::is_fixed_length;
  auto& storage = arch::dynamic_shared<kernel_storage<arguments_type, Packing>>();
  auto& own = storage.own[arch::flat_warp()];
  using short_segments_type = typename short_segments_of<arguments_type, Packing>::type;
  long_pieces<arguments_type> long_pieces_of_warp(arguments, short_segments_type::of_long(own));
  short_segments_type short_segments_of_warp(arguments, range, start.segment, own, long_pieces_of_warp);
  segment_place at{start.segment, start.cursor, 0};
  span_of<typename Segments::index> items{0, 0};
  const auto settle = [&](const span_of<typename Segments::index>& known) {
    items = warp::shuffle(known, 0);  // from one lane, so that the compiler knows it is uniform
    segment::require_within("segmented_reduce", at.segment, items, leaves.source.items);
  };
  // If the next segment begins past the range, its end does not matter.
  const auto settle_next = [&] {
    if constexpr (Segments::needs_cursor)
      if (partition.position(at.segment, at.cursor) >= range.end) return settle({at.cursor, at.cursor});
    settle(segments.span_at(at.segment, at.cursor));
  };
  // Units of the segment before the first one may begin in the range.
  constexpr bool previous_first = sizeof(typename Leaves::source_type::item) == previous_first_item_bytes;
  const auto settle_previous = [&](const span_of<typename Segments::index>& known) {
    const auto before = warp::shuffle(known, 0);
    segment::require_within("segmented_reduce", start.segment - 1, before, leaves.source.items);
    const bool is_cut = before.end - before.begin > partition.max_uncut_items;
    if (is_cut) items = before, at.segment = start.segment - 1;
    return is_cut;
  };
  constexpr int max_short_items = short_segments_type::max_items;
  const auto before = segments.previous(start);              // loaded together with the first one
  bool begins = !may_be_short || partition.are_mostly_long;  // read the first span; else assume that it is short
  if (begins) settle_next();
  if (previous_first) settle_previous(before), begins = true;
  while (true) {
    if (may_be_short && !begins && items.end - items.begin <= max_short_items) {
      if constexpr (!short_segments_type::lets_long_pieces_wait) long_pieces_of_warp.finish();
      short_segments_of_warp.fold(at);  // folds nothing if the next one is long
      settle_next();
    } else if (!begins) {
      const auto next =
          segments.next_span(at.segment + 1, items.end, max_short_items);  // loaded while this one is folded
      fold_long_segment(arguments, range, at.segment, {items.begin, items.end}, long_pieces_of_warp);
      if (!previous_first && at.segment < start.segment) return long_pieces_of_warp.finish();
      ++at.segment, at.cursor = items.end;
      settle(next);
    }
    begins = false;
    if (at.segment < segments.count && partition.position(at.segment, items.begin) < range.end) continue;
    const auto last = segments.previous(start);  // loaded while the last ones are folded
    long_pieces_of_warp.finish();
    short_segments_of_warp.finish(at.pending);
    if (previous_first || !settle_previous(last)) return;
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
