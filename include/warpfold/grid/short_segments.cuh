// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The segments of a warp's range that fit 32 chunks, in steps of a few packets of 32 segments, a segment a lane. A step whose
// segments are all tiny is folded at once, item by item. Else packet by packet: segments of one chunk by their own lanes;
// those of several wait until 32 lanes are full of their chunks, so that a few among many short ones cost what they have.
#pragma once
#include <warpfold/grid/segmented_arguments.cuh>
#include <warpfold/warp/fold_lane_segments.cuh>
#include <warpfold/warp/fold_segments.cuh>

namespace warpfold::grid {

/// The items of Packets * 32 segments, those of number 32 k + lane at [begin[k], end[k]); none where a segment does not exist.
template <int Packets, class Index> struct segment_step {
  Index begin[Packets] = {}, end[Packets] = {};

  /// Whether no segment has more than `most` items.
  __device__ bool at_most(int most) const {
    bool all = true;
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k) all = all && end[k] - begin[k] <= most;
    return __all_sync(full_warp, all);
  }
  __device__ span_of<Index> packet() const { return {begin[0], end[0]}; }
  __device__ void drop_packet() {
    WARPFOLD_UNROLL
    for (int k = 0; k + 1 < Packets; ++k) begin[k] = begin[k + 1], end[k] = end[k + 1];
  }
};

/// Where a warp stands in its range.
struct segment_place {
  std::int64_t segment;  ///< the next one
  std::int64_t cursor;   ///< the item at which it begins, where that is known
  int waiting;           ///< segments that wait
};

/// Folds the segments of one warp's range, by that warp, all of whose lanes call. `Queue` is its waiting_segments.
template <class Arguments, class Queue> struct short_segments {
  using leaves_type = decltype(Arguments::leaves);
  using segments_type = decltype(Arguments::segments);
  using A = typename leaves_type::accumulator;
  using index = typename segments_type::index;
  static constexpr int narrow = leaves_type::chunk_items, wide = wide_items<leaves_type>;
  static constexpr int packets = tuning::step_packets, step_segments = packets * warp_lanes;
  using step_type = segment_step<packets, index>;

  const Arguments& arguments;
  const segment_span range;          ///< positions
  const std::int64_t range_segment;  ///< the first that begins there: numbers of waiting ones count from it
  Queue& queue;

  /// From `at` on, until the range ends or a segment is longer than 32 chunks.
  __device__ void fold(segment_place& at) const {
    const auto& segments = arguments.segments;
    while (true) {
      step_type step;
      segments.next(at.segment, at.cursor, step.begin, step.end);
      while (is_whole(step, at.segment) && step.at_most(tuning::tiny_items)) {
        const std::int64_t first = at.segment;
        at.segment += step_segments;
        if constexpr (segments_type::needs_cursor) at.cursor = warp::shuffle(step.end[packets - 1], warp_lanes - 1);
        step_type next;
        segments.next(at.segment, at.cursor, next.begin, next.end);  // on its way while this one is folded
        fold_tiny_step(step, first);
        step = next;
      }
      const bool whole = is_whole(step, at.segment);
      WARPFOLD_NO_UNROLL
      for (int k = 0; k < packets; ++k) {
        const span_of<index> items = step.packet();
        const int taken = take(items, at.segment, whole);
        if (taken > 0) {
          at.waiting = fold_packet(items, at.segment, taken, at.waiting);
          at.segment += taken;
          if constexpr (segments_type::needs_cursor) at.cursor = warp::shuffle(items.end, taken - 1);
        }
        if (taken < warp_lanes) return;
        step.drop_packet();
      }
    }
  }

  /// Those that still wait.
  __device__ void finish(int waiting) const {
    while (waiting > 0) waiting = fold_some_waiting(waiting, true);
  }

 private:
  /// Whether all of the step's segments exist and begin in the range.
  __device__ bool is_whole(const step_type& step, std::int64_t first) const {
    const std::int64_t last = first + step_segments - warp_lanes + arch::lane_id();
    return __all_sync(full_warp, last < arguments.segments.count &&
                                     arguments.ranges.position(last, step.begin[packets - 1]) < range.end);
  }

  __device__ void fold_tiny_step(const step_type& step, std::int64_t first) const {
    const auto out = arguments.out + first + arch::lane_id();
    const A none = arguments.empty.alone();
    warp::fold_tiny_segments<tuning::tiny_items>(arguments.leaves, step.begin, step.end, arguments.op,
                                                 [&](int k, bool has_items, const A& value) {
      out[k * warp_lanes] = has_items ? arguments.init.join(value, arguments.op) : none;
    });
  }

  /// How many segments of the packet come next: up to a long one, or the range's end.
  __device__ int take(const span_of<index>& items, std::int64_t first, bool whole) const {
    const std::int64_t own = first + arch::lane_id();
    const bool exists = whole || own < arguments.segments.count;
    arch::require(!exists || items.within(arguments.leaves.source.items), segments_out_of_order);
    bool takes = exists && items.end - items.begin <= warp_lanes * wide;
    if constexpr (sizeof(index) > 4) {  // a packet's items are known by 32 bits, from its first one on
      const index base = warp::shuffle(items.begin, 0);
      takes = takes && items.begin - base < index{1} << 30;
    }
    if (!whole) takes = takes && arguments.ranges.position(own, items.begin) < range.end;
    const unsigned left_out = ~__ballot_sync(full_warp, takes);
    return left_out == 0 ? warp_lanes : __ffs(static_cast<int>(left_out)) - 1;
  }

  /// Folds the first `taken` > 0 segments of a packet, of which each lane holds the items of one, but those of several chunks,
  /// which wait. Returns how many do.
  __device__ int fold_packet(const span_of<index>& items, std::int64_t first_segment, int taken, int waiting) const {
    const auto& leaves = arguments.leaves;
    const int lane = arch::lane_id();
    const auto out = arguments.out + first_segment + lane;
    const index base = warp::shuffle(items.begin, 0), end = warp::shuffle(items.end, taken - 1);
    const int first = static_cast<int>(items.begin - base), count = lane < taken ? static_cast<int>(items.end - items.begin) : 0;
    const bool inside = leaves.source.is_inside(base, end);
    const auto write = [&](int, const A& value) { arguments.write(out, value); };
    if (lane < taken && count == 0) arguments.write_empty(out);
    const unsigned wider = __ballot_sync(full_warp, count > narrow);
    if (wider != 0 && !__any_sync(full_warp, count > wide)) {
      warp::fold_single_chunks<1>(leaves.template from<wide>(base), {first}, {count}, inside, arguments.op, write);
      return waiting;
    }
    if (__any_sync(full_warp, 0 < count && count <= narrow))
      warp::fold_single_chunks<1>(leaves.from(base), {first}, {count <= narrow ? count : 0}, inside, arguments.op, write);
    if (wider == 0) return waiting;
    const int number = static_cast<int>(first_segment - range_segment) + lane;
    waiting = warp::add_waiting(queue, waiting, count > narrow, items.begin, count, number);
    while (waiting >= warp_lanes) waiting = fold_some_waiting(waiting, false);
    return waiting;
  }

  __device__ int fold_some_waiting(int waiting, bool all) const {
    return warp::fold_waiting(arguments.leaves.template from<wide>(0), queue, waiting, all, arguments.op,
                              [&](int number, const A& value) { arguments.write(arguments.out + range_segment + number, value); });
  }
};

}  // namespace warpfold::grid
