// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of segmented reduction: segments to a value each, by the canonical tree of each segment, in one launch.
#pragma once
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/grid/long_segments.cuh>
#include <warpfold/grid/segments.cuh>
#include <warpfold/warp/fold_groups.cuh>

namespace warpfold::grid {
inline namespace v1 WARPFOLD_HIDDEN {

template <class Segments, class Leaves, class Op, class Out> struct segmented_arguments {
  using A = typename Leaves::accumulator;
  Segments segments;
  Leaves leaves;
  Op op;
  Out out;
  initial_value<A> init;
  initial_value<A> empty;  ///< the result of an empty segment
  segment_ranges ranges;
  unit_values<A> units;

  __device__ void write(std::int64_t segment, const A& result) const {
    out[static_cast<std::iter_difference_t<Out>>(segment)] = init.join(result, op);
  }
  __device__ void write_empty(std::int64_t segment) const {
    out[static_cast<std::iter_difference_t<Out>>(segment)] = empty.alone();
  }
};

template <class Leaves>
inline constexpr tuning::segmented_policy segmented_policy =
    tuning::segmented_policy_for(sizeof(typename Leaves::chunk), sizeof(typename Leaves::accumulator));

/// What begins in `range` of a segment that is longer than a batch: all of it, or some of its units. By one warp.
template <class Arguments>
__device__ void fold_long_segment(const Arguments& arguments, const segment_span& range, std::int64_t segment,
                                  const segment_span& items) {
  using leaves_type = decltype(arguments.leaves);
  constexpr int rows = segmented_policy<std::remove_cv_t<leaves_type>>.rows;
  const auto& [segments, leaves, op, out, init, empty, ranges, values] = arguments;
  const std::int64_t count = items.end - items.begin, first = ranges.position(segment, items.begin);
  if (count <= 0) return;
  const std::int64_t units = ranges.units(count);
  const std::int64_t begin = ranges.units_before(first, range.begin), end = least_of(ranges.units_before(first, range.end), units);
  if (begin >= end) return;
  const auto write = [&](const auto& value) {
    if (arch::lane_id() == 0) arguments.write(segment, value);
  };
  if (end - begin == units) return write(fold_batches<rows>(leaves, items.begin, count, op));
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const std::int64_t done = unit << ranges.log_unit;
    const auto value = fold_batches<rows>(leaves, items.begin + done, least_of(count - done, ranges.unit_items()), op);
    if (arch::lane_id() == 0) values.value(ranges, first, unit) = value;
  }
  join_units(values, ranges, first, begin, end, units, op, write);
}

/// Folds the first `segments` segments of a packet, of which each lane holds the items of one. By one warp.
template <class Arguments>
__device__ void fold_packet(const Arguments& arguments, const segment_span& range, std::int64_t first_segment, int segments,
                            const segment_span& items) {
  using leaves_type = std::remove_cv_t<decltype(arguments.leaves)>;
  constexpr int rows = segmented_policy<leaves_type>.rows, batch_items = rows * warp_lanes * leaves_type::chunk_items;
  const int lane = arch::lane_id();
  const std::int64_t base = warp::shuffle(items.begin, 0), count = lane < segments ? items.end - items.begin : 0;
  const bool is_long = count > batch_items;
  if (lane < segments && count == 0) arguments.write_empty(first_segment + lane);
  const warp::short_segment own{static_cast<int>(items.begin - base), is_long ? 0 : static_cast<int>(count), lane};
  warp::fold_short_segments<rows>(arguments.leaves, base, own, arguments.op, [&](int id, const auto& value) {
    arguments.write(first_segment + id, value);
  });
  for (unsigned left = __ballot_sync(full_warp, is_long); left != 0; left &= left - 1) {
    const int source = __ffs(static_cast<int>(left)) - 1;
    fold_long_segment(arguments, range, first_segment + source, warp::shuffle(items, source));
  }
}

/// Each warp folds what begins in its range: units of the segment before its first one, then its segments, a packet at a
/// time.
template <class Segments, class Leaves, class Op, class Out>
__global__ void
__launch_bounds__(segmented_policy<Leaves>.block_threads, segmented_policy<Leaves>.blocks_per_multiprocessor)
    segmented_kernel(const __grid_constant__ segmented_arguments<Segments, Leaves, Op, Out> arguments) {
  const auto& [segments, leaves, op, out, init, empty, ranges, units] = arguments;
  const std::int64_t warp = std::int64_t{blockIdx.x} * (blockDim.x / warp_lanes) + arch::flat_warp();
  const segment_span range = ranges.of(warp);
  const segment_start start = segments.start(range.begin, ranges);
  fold_long_segment(arguments, range, start.segment - 1, start.before);
  std::int64_t segment = start.segment, cursor = start.cursor;
  for (bool more = segment < segments.count; more;) {
    const segment_span items = segments.next(segment, cursor);
    const std::int64_t own = segment + arch::lane_id();
    const bool begins_here = arch::lane_id() < Segments::packet_segments && own < segments.count &&
                             ranges.position(own, items.begin) < range.end;
    arch::require(!begins_here || (0 <= items.begin && items.begin <= items.end && items.end <= leaves.source.items),
                  "segmented_reduce: a segment ends before it begins, or lies outside of the input");
    // A packet's first items are known by 32 bits, from its first one on.
    const bool near = items.begin - warp::shuffle(items.begin, 0) < std::int64_t{1} << 30;
    const int here = __popc(__ballot_sync(full_warp, begins_here));
    const int taken = __popc(__ballot_sync(full_warp, begins_here && near));
    fold_packet(arguments, range, segment, taken, items);
    cursor = warp::shuffle(items.end, taken > 0 ? taken - 1 : 0);
    segment += taken;
    more = taken < here || here == Segments::packet_segments;
  }
}

}  // namespace v1
}  // namespace warpfold::grid
