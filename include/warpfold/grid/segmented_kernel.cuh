// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of segmented reduction: segments to a value each, by the canonical tree of each segment, in one launch. Each
// warp folds what begins in its range of positions, and waits for nobody.
//
// All of its branches are taken by whole warps, on values that the compiler can see to be one for all lanes: a vote, a
// reduction, a shuffle from one lane. Where it cannot, it guards each exchange of registers.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/grid/long_segments.cuh>
#include <warpfold/grid/short_segments.cuh>
#include <warpfold/thread/array.cuh>

namespace warpfold::grid {
inline namespace v1 WARPFOLD_HIDDEN {

/// Shared memory: the segments of each warp that wait.
template <class Segments, class Leaves> struct segmented_storage {
  static constexpr int warps = segmented_policy<Leaves>.block_threads / warp_lanes;
  thread::array<warp::waiting_segments<typename Segments::index>, warps> waiting;
};

/// Each warp folds what begins in its range: units of the segment before its first one, then its segments.
template <class Segments, class Leaves, class Op, class Out>
__global__ void
__launch_bounds__(segmented_policy<Leaves>.block_threads, segmented_policy<Leaves>.blocks_per_multiprocessor)
    segmented_kernel(const __grid_constant__ segmented_arguments<Segments, Leaves, Op, Out> arguments) {
  const auto& [segments, leaves, op, out, init, empty, ranges, units] = arguments;
  require_order(segments, leaves.source.items);
  const segment_span range = ranges.own();
  const segment_start start = warp::shuffle(segments.start(range.begin, ranges), 0);
  arch::require(start.before.within(leaves.source.items), segments_out_of_order);
  auto& queue = arch::dynamic_shared<segmented_storage<Segments, Leaves>>().waiting[arch::flat_warp()];
  const short_segments<segmented_arguments<Segments, Leaves, Op, Out>, std::remove_reference_t<decltype(queue)>> short_ones{
      arguments, range, start.segment, queue};
  segment_place at{start.segment, start.cursor, 0};
  bool begins_here = start.before.begin >= start.before.end;
  segment_span items = start.before;
  if (!begins_here) --at.segment;
  while (at.segment < segments.count) {
    if (begins_here) {
      const auto next = segments.one(at.segment, at.cursor);
      items = {next.begin, next.end};
      if (ranges.position(at.segment, items.begin) >= range.end) break;
    }
    if (begins_here && items.end - items.begin <= warp_lanes * wide_items<Leaves>) {
      short_ones.fold(at);
    } else {
      fold_long_segment(arguments, range, at.segment, items, begins_here);
      ++at.segment, at.cursor = items.end;
      begins_here = true;
    }
  }
  short_ones.finish(at.waiting);
}

}  // namespace v1
}  // namespace warpfold::grid
