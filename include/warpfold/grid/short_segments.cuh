// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The segments of a warp's range that fit 32 chunks, in steps of a few packets of 32 segments, a segment a lane. Where none of a
// step's segments is longer than a chunk, lanes fold their own. Else those of a few items are folded item by item, and the
// others wait until 32 lanes are full of their chunks, so that a few long ones among many short ones cost what they have.
#pragma once
#include <warpfold/grid/segmented_arguments.cuh>
#include <warpfold/warp/fold_lane_segments.cuh>
#include <warpfold/warp/fold_segments.cuh>

namespace warpfold::grid {

/// The items of Packets * 32 segments, those of number 32 k + lane at [begin[k], end[k]); none where a segment does not exist.
template <int Packets, class Index> struct segment_step {
  Index begin[Packets] = {}, end[Packets] = {};

  __device__ int count(int k) const { return static_cast<int>(end[k] - begin[k]); }
  /// Whether no segment has more than `most` items.
  __device__ bool at_most(int most) const {
    bool all = true;
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k) all = all && end[k] - begin[k] <= most;
    return __all_sync(full_warp, all);
  }
  /// Whether a segment that has been kept has `most` items or less.
  __device__ bool any_up_to(int most) const {
    bool any = false;
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k) any = any || (0 <= count(k) && count(k) <= most);
    return __any_sync(full_warp, any);
  }
  /// Where segment number `segment` ends; the same in all lanes, as `segment` is.
  __device__ Index end_of(int segment) const {
    Index found{};  // by exchanges of all packets: a choice among them would be one of addresses
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k) {
      const Index in_packet = warp::shuffle(end[k], segment % warp_lanes);
      if (segment / warp_lanes == k) found = in_packet;
    }
    return found;
  }
  /// Leaves those from number `count` on out: they have less than no items.
  __device__ void keep(int count) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k)
      if (k * warp_lanes + arch::lane_id() >= count) end[k] = begin[k] - 1;
  }
  template <int packets> __device__ void drop_packets() {
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k)
      if (k + packets < Packets) begin[k] = begin[k + packets], end[k] = end[k + packets];
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
  static constexpr int tiny = segmented_policy<leaves_type>.tiny_items;
  static constexpr int narrow = leaves_type::chunk_items, wide = wide_items<leaves_type>;
  static constexpr int packets = tuning::step_packets, step_segments = packets * warp_lanes;
  using step_type = segment_step<packets, index>;

  const Arguments& arguments;
  const segment_span range;          ///< positions
  const std::int64_t range_segment;  ///< the first that begins there: numbers of waiting ones count from it
  Queue& queue;
  typename segments_type::scratch& scratch;

  /// From `at` on, until the range ends or a segment is longer than 32 chunks.
  __device__ void fold(segment_place& at) const {
    while (true) {
      step_type step;
      read_step(at, step);
      bool whole = is_whole(step, at.segment);
      while (whole && step.at_most(tiny)) {
        const std::int64_t first = at.segment;
        at.segment += step_segments;
        if constexpr (segments_type::needs_cursor) at.cursor = step.end_of(step_segments - 1);
        step_type next;
        read_step(at, next);  // on its way while this one is folded
        fold_items(step, first);
        step = next;
        whole = is_whole(step, at.segment);
      }
      const int taken = take(step, at.segment, whole);
      if (taken == 0) return;
      const std::int64_t first = at.segment;
      at.segment += taken;
      if constexpr (segments_type::needs_cursor) at.cursor = step.end_of(taken - 1);
      step.keep(taken);
      at.waiting = fold_step(step, first, taken, at.waiting);
      if (taken < step_segments) return;
    }
  }

  /// Those that still wait.
  __device__ void finish(int waiting) const {
    while (waiting > 0) waiting = fold_some_waiting(waiting, true);
  }

 private:
  __device__ void read_step(const segment_place& at, step_type& step) const {
    const step_limits limits{arguments.ranges.item(at.segment, range.end), warp_lanes * wide};
    arguments.segments.next(at.segment, at.cursor, limits, step.begin, step.end, scratch);
  }

  /// Whether all of the step's segments exist and begin in the range.
  __device__ bool is_whole(const step_type& step, std::int64_t first) const {
    const std::int64_t last = first + step_segments - warp_lanes + arch::lane_id();
    return __all_sync(full_warp, last < arguments.segments.count &&
                                     arguments.ranges.position(last, step.begin[packets - 1]) < range.end);
  }

  /// How many segments of the step come next: up to a long one, or the range's end.
  __device__ int take(const step_type& step, std::int64_t first, bool whole) const {
    const index base = warp::shuffle(step.begin[0], 0);
    int taken = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < packets; ++k) {
      const std::int64_t own = first + k * warp_lanes + arch::lane_id();
      const span_of<index> items{step.begin[k], step.end[k]};
      const bool exists = whole || own < arguments.segments.count;
      arch::require(!exists || items.within(arguments.leaves.source.items), segments_out_of_order);
      bool takes = exists && items.end - items.begin <= warp_lanes * wide;
      // A step's items are known by 32 bits, from its first one on.
      if constexpr (sizeof(index) > 4) takes = takes && items.begin - base < index{1} << 30;
      if (!whole) takes = takes && arguments.ranges.position(own, items.begin) < range.end;
      const unsigned left_out = ~__ballot_sync(full_warp, takes);
      if (taken == k * warp_lanes) taken += left_out == 0 ? warp_lanes : __ffs(static_cast<int>(left_out)) - 1;
    }
    return taken;
  }

  /// Folds the first `taken` > 0 segments of a step, or lets them wait. Returns how many wait then.
  __device__ int fold_step(const step_type& step, std::int64_t first, int taken, int waiting) const {
    if (step.at_most(tiny)) fold_items(step, first);
    else if (step.at_most(narrow)) fold_chunks<narrow, 2>(step, first, taken);
    else if (step.at_most(wide)) fold_chunks<wide, 1>(step, first, taken);
    else {
      if (step.any_up_to(tiny)) fold_items(step, first);
      return let_wait(step, first, waiting);
    }
    return waiting;
  }

  /// Those of the segments that are tiny, item by item.
  __device__ void fold_items(const step_type& step, std::int64_t first) const {
    const auto out = arguments.out + first + arch::lane_id();
    const A none = arguments.empty.alone();
    index end[packets];
    WARPFOLD_UNROLL
    for (int k = 0; k < packets; ++k) end[k] = step.count(k) <= tiny ? step.end[k] : step.begin[k];
    warp::fold_tiny_segments<tiny>(arguments.leaves, step.begin, end, arguments.op, [&](int k, bool has_items, const A& value) {
      if (0 <= step.count(k) && step.count(k) <= tiny) out[k * warp_lanes] = has_items ? arguments.init.join(value, arguments.op) : none;
    });
  }

  /// All of the segments, which have a chunk of `Items` at most, those of `AtOnce` packets at a time.
  template <int Items, int AtOnce> __device__ void fold_chunks(step_type step, std::int64_t first_segment, int taken) const {
    const index base = warp::shuffle(step.begin[0], 0);
    const auto leaves = arguments.leaves.template from<Items>(base);
    const bool inside = arguments.leaves.source.is_inside(base, step.end_of(taken - 1));
    auto out = arguments.out + first_segment + arch::lane_id();
    const A none = arguments.empty.alone();
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < packets; k += AtOnce) {
      int first[AtOnce], count[AtOnce];
      WARPFOLD_UNROLL
      for (int i = 0; i < AtOnce; ++i) first[i] = static_cast<int>(step.begin[i] - base), count[i] = step.count(i);
      warp::fold_single_chunks<AtOnce>(leaves, first, count, inside, arguments.op, [&](int i, const A& value) {
        out[i * warp_lanes] = arguments.init.join(value, arguments.op);
      });
      WARPFOLD_UNROLL
      for (int i = 0; i < AtOnce; ++i)
        if (count[i] == 0) out[i * warp_lanes] = none;
      step.template drop_packets<AtOnce>();
      out += AtOnce * warp_lanes;
    }
  }

  /// Lets those of the segments wait that are not tiny, and folds what fills 32 lanes. Returns how many wait then.
  __device__ int let_wait(step_type step, std::int64_t first_segment, int waiting) const {
    int number = static_cast<int>(first_segment - range_segment) + arch::lane_id();
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < packets; ++k, number += warp_lanes) {
      waiting = warp::add_waiting(queue, waiting, step.count(0) > tiny, step.begin[0], step.count(0), number);
      while (waiting >= warp_lanes) waiting = fold_some_waiting(waiting, false);
      step.template drop_packets<1>();
    }
    return waiting;
  }

  __device__ int fold_some_waiting(int waiting, bool all) const {
    return warp::fold_waiting(arguments.leaves.template from<wide>(0), queue, waiting, all, arguments.op,
                              [&](int number, const A& value) { arguments.write(arguments.out + range_segment + number, value); });
  }
};

}  // namespace warpfold::grid
