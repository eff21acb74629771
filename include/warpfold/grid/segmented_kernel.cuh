// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of segmented reduction: segments to a value each, by the canonical tree of each segment, in one launch.
#pragma once
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/grid/long_segments.cuh>
#include <warpfold/grid/segments.cuh>
#include <warpfold/warp/fold_groups.cuh>
#include <warpfold/warp/fold_tiny_segments.cuh>

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

/// Folds Packets * 32 segments from `first_segment` on, if all of them begin in `range` and fit a chunk each; says whether
/// it did. By one warp. Else what has been read of them is at hand for the general way.
template <int Packets, class Arguments>
__device__ bool fold_tiny_packets(const Arguments& arguments, const segment_span& range, std::int64_t first_segment) {
  using leaves_type = std::remove_cv_t<decltype(arguments.leaves)>;
  const auto& [segments, leaves, op, out, init, empty, ranges, units] = arguments;
  if (first_segment + Packets * warp_lanes > segments.count) return false;
  const std::int64_t own = first_segment + arch::lane_id();
  std::int64_t first[Packets];
  int counts[Packets];
  bool fit = true, inside = true;
  WARPFOLD_UNROLL
  for (int k = 0; k < Packets; ++k) {
    const segment_span items = segments.span(own + k * warp_lanes);
    const std::int64_t count = items.end - items.begin;
    first[k] = items.begin;
    counts[k] = static_cast<int>(count);
    fit = fit && 0 <= count && count <= leaves_type::chunk_items && ranges.position(own + k * warp_lanes, items.begin) < range.end;
    inside = inside && leaves.source.is_inside(items.begin, items.end);
  }
  if (!__all_sync(full_warp, fit)) return false;
  inside = __all_sync(full_warp, inside);
  WARPFOLD_UNROLL
  for (int k = 0; k < Packets; ++k)
    if (counts[k] == 0) arguments.write_empty(own + k * warp_lanes);
  warp::fold_tiny_segments(leaves, first, counts, inside, op, [&](int k, const auto& value) {
    arguments.write(own + k * warp_lanes, value);
  });
  return true;
}

inline constexpr const char* segments_out_of_order =
    "segmented_reduce: segments must be in order, must not overlap, and must lie within the input";

/// In debug builds, looks at every entry. A warp that reads a wrong one may go astray before, or overlook it.
template <class Segments> __device__ void require_order([[maybe_unused]] const Segments& segments, [[maybe_unused]] std::int64_t items) {
#if !defined(NDEBUG)
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < segments.entries(); i += threads)
    arch::require(segments.in_order(i, items), segments_out_of_order);
#endif
}

/// Each warp folds what begins in its range: units of the segment before its first one, then its segments, a packet at a
/// time.
template <class Segments, class Leaves, class Op, class Out>
__global__ void
__launch_bounds__(segmented_policy<Leaves>.block_threads, segmented_policy<Leaves>.blocks_per_multiprocessor)
    segmented_kernel(const __grid_constant__ segmented_arguments<Segments, Leaves, Op, Out> arguments) {
  const auto& [segments, leaves, op, out, init, empty, ranges, units] = arguments;
  const std::int64_t warp = std::int64_t{blockIdx.x} * (blockDim.x / warp_lanes) + arch::flat_warp();
  require_order(segments, leaves.source.items);
  const segment_span range = ranges.of(warp);
  const segment_start start = segments.start(range.begin, ranges);
  arch::require(start.before.within(leaves.source.items), segments_out_of_order);
  fold_long_segment(arguments, range, start.segment - 1, start.before);
  std::int64_t segment = start.segment, cursor = start.cursor;
  constexpr int packets = Segments::tiny_packets;
  int packet = 0;
  for (bool more = segment < segments.count; more; packet = (packet + 1) % packets) {
    if constexpr (packets > 1) {
      if (packet == 0)
        while (fold_tiny_packets<packets>(arguments, range, segment)) segment += packets * warp_lanes;
      if (segment >= segments.count) return;
    }
    const segment_span items = segments.next(segment, cursor);
    const std::int64_t own = segment + arch::lane_id();
    const bool begins_here = arch::lane_id() < Segments::packet_segments && own < segments.count &&
                             ranges.position(own, items.begin) < range.end;
    arch::require(own >= segments.count || items.within(leaves.source.items), segments_out_of_order);
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
