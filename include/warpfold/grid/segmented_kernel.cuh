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

/// What begins in the calling warp's range of a segment that is longer than a batch: all of it, or some of its units. (A
/// function of its own, so that the short segments' loop has the registers to itself; static, so that separate
/// compilation knows all its callers and keeps to their number of registers.)
template <class Arguments>
static __device__ __attribute__((noinline)) void fold_long_segment(const Arguments& arguments, std::int64_t segment,
                                                                   segment_span items) {
  using leaves_type = std::remove_cv_t<decltype(arguments.leaves)>;
  constexpr int rows = segmented_policy<leaves_type>.long_rows;
  const auto& [segments, leaves, op, out, init, empty, ranges, values] = arguments;
  const std::int64_t count = items.end - items.begin, first = ranges.position(segment, items.begin);
  if (count <= 0) return;
  const segment_span range = ranges.own();
  const std::int64_t units = ranges.units(count);
  const std::int64_t begin = ranges.units_before(first, range.begin), end = least_of(ranges.units_before(first, range.end), units);
  if (begin >= end) return;
  const auto write = [&](const auto& value) {
    if (arch::lane_id() == 0) arguments.write(segment, value);
  };
  const bool alone = end - begin == units;  // then there is nothing to join
  const std::int64_t piece_items = alone ? count : ranges.unit_items();
  for (std::int64_t done = begin << ranges.log_unit; done < least_of(count, end << ranges.log_unit); done += piece_items) {
    const auto value = fold_batches<rows>(leaves, items.begin + done, least_of(count - done, piece_items), op);
    if (alone) write(value);
    else if (arch::lane_id() == 0) values.value(ranges, first, done >> ranges.log_unit) = value;
  }
  if (!alone) join_units(values, ranges, first, begin, end, units, op, write);
}

/// Folds the first `segments` segments of a packet, of which each lane holds the items of one. By one warp.
template <class Arguments>
__device__ void fold_packet(const Arguments& arguments, std::int64_t first_segment, int segments, const segment_span& items) {
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
    fold_long_segment(arguments, first_segment + source, warp::shuffle(items, source));
  }
}

/// Folds Packets * 32 segments from `first_segment` on, if all of them begin before position `end_position` and fit a chunk each; says whether
/// it did. By one warp. Else what has been read of them is at hand for the general way.
template <int Packets, class Arguments>
__device__ bool fold_tiny_packets(const Arguments& arguments, std::int64_t end_position, std::int64_t first_segment) {
  using leaves_type = std::remove_cv_t<decltype(arguments.leaves)>;
  const auto& [segments, leaves, op, out, init, empty, ranges, units] = arguments;
  if (first_segment + Packets * warp_lanes > segments.count) return false;
  using index = typename std::remove_cv_t<decltype(segments)>::index;
  const std::int64_t own = first_segment + arch::lane_id();
  index first[Packets], end{};
  int counts[Packets];
  bool fit = true;
  WARPFOLD_UNROLL
  for (int k = 0; k < Packets; ++k) {
    const segment_span items = segments.span(own + k * warp_lanes);
    first[k] = static_cast<index>(items.begin);
    end = static_cast<index>(items.end);
    fit = fit && static_cast<std::make_unsigned_t<index>>(end - first[k]) <= unsigned{leaves_type::chunk_items};
    counts[k] = static_cast<int>(end - first[k]);
  }
  // Positions and items ascend: of each lane the last, and the first, tell of all.
  fit = fit && ranges.position(own + (Packets - 1) * warp_lanes, first[Packets - 1]) < end_position;
  if (!__all_sync(full_warp, fit)) return false;
  const bool inside = __all_sync(full_warp, leaves.source.is_inside(first[0], end));
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
  require_order(segments, leaves.source.items);
  const segment_span range = ranges.own();
  const segment_start start = segments.start(range.begin, ranges);
  arch::require(start.before.within(leaves.source.items), segments_out_of_order);
  fold_long_segment(arguments, start.segment - 1, start.before);
  std::int64_t segment = start.segment, cursor = start.cursor;
  constexpr int packets = Segments::tiny_packets;
  int packet = 0;
  for (bool more = segment < segments.count; more; packet = (packet + 1) % packets) {
    if constexpr (packets > 1) {
      if (packet == 0)
        while (fold_tiny_packets<packets>(arguments, range.end, segment)) segment += packets * warp_lanes;
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
    fold_packet(arguments, segment, taken, items);
    if constexpr (packets == 1) cursor = warp::shuffle(items.end, taken > 0 ? taken - 1 : 0);  // owners need it
    segment += taken;
    more = taken < here || here == Segments::packet_segments;
  }
}

}  // namespace v1
}  // namespace warpfold::grid
