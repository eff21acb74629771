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
  std::int64_t base = 0;  ///< the item from which they count
  Index begin[Packets] = {}, end[Packets] = {};

  __device__ int count(int k) const { return static_cast<int>(end[k] - begin[k]); }
  /// Items of the longest.
  __device__ int longest() const {
    constexpr Index most = 0x7FFFFFFF;
    Index longest = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k) longest = greatest_of(longest, end[k] - begin[k]);
    return warp::all_reduce(static_cast<int>(least_of(longest, most)), maximum{});
  }
  /// Whether a segment that has been kept has `most` items or less.
  __device__ bool any_up_to(int most) const {
    bool any = false;
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k) any = any || static_cast<unsigned>(count(k)) <= static_cast<unsigned>(most);
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

/// Where none are short.
struct no_short_segments {
  template <class... Any> __device__ no_short_segments(const Any&...) {}
  __device__ void fold(segment_place&) const {}
  __device__ void finish(int) const {}
};

/// Folds the segments of one warp's range, by that warp, all of whose lanes call. `Queue` is its waiting_segments.
template <class Arguments, class Queue> struct short_segments {
  using leaves_type = decltype(Arguments::leaves);
  using segments_type = decltype(Arguments::segments);
  using A = typename leaves_type::accumulator;
  using step_index = typename segments_type::step_index;
  static constexpr int tiny = segmented_policy<leaves_type>.tiny_items;
  static constexpr int half = half_chunk_items<leaves_type>, narrow = leaves_type::chunk_items, wide = wide_items<leaves_type>;
  static constexpr int packets = tuning::step_packets, step_segments = packets * warp_lanes;
  static constexpr int most_items = warp_lanes * wide;  // of a segment that is not long
  using step_type = segment_step<packets, step_index>;

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
      int longest = step.longest();
      while (whole && longest <= tiny) {
        const std::int64_t first = at.segment;
        at.segment += step_segments;
        if constexpr (segments_type::needs_cursor) at.cursor = step.base + step.end_of(step_segments - 1);
        step_type next;
        fold_items(step, first, [&] { read_step(at, next); });
        step = next;
        whole = is_whole(step, at.segment);
        longest = step.longest();
      }
      const int taken = whole && longest <= most_items ? step_segments : take(step, at.segment);
      if (taken == 0) return;
      const std::int64_t first = at.segment;
      at.segment += taken;
      if constexpr (segments_type::needs_cursor) at.cursor = step.base + step.end_of(taken - 1);
      if (taken < step_segments) {
        step.keep(taken);
        longest = step.longest();
      }
      at.waiting = fold_step(step, first, taken, longest, at.waiting);
      if (taken < step_segments) return;
    }
  }

  /// Those that still wait.
  __device__ void finish(int waiting) const {
    for (int from = 0; from < waiting;) from += fold_some_waiting(from, waiting, true);
  }

 private:
  __device__ void read_step(const segment_place& at, step_type& step) const {
    const step_limits limits{arguments.ranges.item(at.segment, range.end), most_items};
    step.base = arguments.segments.base(at.segment, at.cursor);
    arguments.segments.next(at.segment, at.cursor, limits, step.begin, step.end, scratch);
  }

  /// Whether all of the step's segments exist and begin in the range, and have items known by 32 bits from the first one on.
  __device__ bool is_whole(const step_type& step, std::int64_t first) const {
    constexpr int k = packets - 1;
    constexpr std::int64_t most = 0x7FFFFFFF;
    std::int64_t end = arguments.ranges.item(first, range.end) - step.base;  // where the first one would be out of range
    // Where that is past 32 bits, a step that is whole may be taken for one that is not, which take() makes good.
    if (sizeof(step_index) <= 4) end = least_of(greatest_of(end, std::int64_t{0}), most);
    bool whole = step.begin[k] < static_cast<step_index>(end) - arguments.ranges.weight * (k * warp_lanes + arch::lane_id());
    if constexpr (sizeof(step_index) > 4) whole = is_near(step, step.begin[k]) && whole;
    return first + step_segments <= arguments.segments.count && __all_sync(full_warp, whole);
  }
  __device__ static bool is_near(const step_type& step, step_index item) {
    return item - warp::shuffle(step.begin[0], 0) < step_index{1} << 30;
  }

  /// How many segments of the step come next: up to a long one, or the range's end.
  __device__ int take(const step_type& step, std::int64_t first) const {
    int taken = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < packets; ++k) {
      const std::int64_t own = first + k * warp_lanes + arch::lane_id();
      bool takes = step.end[k] - step.begin[k] <= most_items;
      if constexpr (sizeof(step_index) > 4) takes = is_near(step, step.begin[k]) && takes;
      takes = takes && own < arguments.segments.count && arguments.ranges.position(own, step.base + step.begin[k]) < range.end;
      const unsigned left_out = ~__ballot_sync(full_warp, takes);
      if (taken == k * warp_lanes) taken += left_out == 0 ? warp_lanes : __ffs(static_cast<int>(left_out)) - 1;
    }
    return taken;
  }

  /// Folds the first `taken` > 0 segments of a step, or lets them wait. Returns how many wait then.
  __device__ int fold_step(const step_type& step, std::int64_t first, int taken, int longest, int waiting) const {
    require_within(step, taken);
    if constexpr (half > 0) {
      if (tiny < longest && longest <= half) {
        fold_chunks<half, packets>(step, first, taken);
        return waiting;
      }
    }
    if (longest <= tiny) fold_items(step, first, [] {});
    else if (longest <= narrow) fold_chunks<narrow, 2>(step, first, taken);
    else if (longest <= wide) fold_chunks<wide, 1>(step, first, taken);
    else {
      if (step.any_up_to(tiny)) fold_items(step, first, [] {});
      return let_wait(step, first, waiting);
    }
    return waiting;
  }

  __device__ void require_within(const step_type& step, int taken) const {
    WARPFOLD_UNROLL
    for (int k = 0; k < packets; ++k) {
      const segment_span items{step.base + step.begin[k], step.base + step.end[k]};
      arch::require(k * warp_lanes + arch::lane_id() >= taken || items.within(arguments.leaves.source.items), segments_out_of_order);
    }
  }

  /// Those of the segments that are tiny, item by item. Calls meanwhile() while these are on their way.
  template <class Meanwhile> __device__ void fold_items(const step_type& step, std::int64_t first, Meanwhile meanwhile) const {
    const auto leaves = arguments.leaves.template from<narrow>(step.base);
    int count[packets];
    WARPFOLD_UNROLL
    for (int k = 0; k < packets; ++k) count[k] = step.count(k) <= tiny ? step.count(k) : -1;
    warp::tiny_segments<tiny, packets, std::remove_const_t<decltype(leaves)>, decltype(Arguments::op)> items;
    items.load(leaves, step.begin, count);
    meanwhile();
    A results[packets];
    items.fold(leaves, count, arguments.op, results);
    store(results, count, arguments.out + first + arch::lane_id());
  }

  /// Results of segments with so many items, 32 apart in the output; those with less than none are not stored.
  template <int Count, class Out> __device__ void store(A (&results)[Count], const int (&count)[Count], Out out) const {
    if (arguments.init.exists()) {
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) results[k] = arguments.init.join(results[k], arguments.op);
    }
    const A none = arguments.empty.alone();
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k)
      if (count[k] >= 0) out[k * warp_lanes] = thread::choose(count[k] > 0, results[k], none);
  }

  /// All of the segments, which have a chunk of `Items` at most, those of `AtOnce` packets at a time.
  template <int Items, int AtOnce> __device__ void fold_chunks(step_type step, std::int64_t first_segment, int taken) const {
    const step_index first_item = warp::shuffle(step.begin[0], 0);
    const auto leaves = arguments.leaves.template from<Items>(step.base + first_item);
    const bool inside = arguments.leaves.source.is_inside(step.base + first_item, step.base + step.end_of(taken - 1));
    auto out = arguments.out + first_segment + arch::lane_id();
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < packets; k += AtOnce) {
      int first[AtOnce], count[AtOnce];
      WARPFOLD_UNROLL
      for (int i = 0; i < AtOnce; ++i) first[i] = static_cast<int>(step.begin[i] - first_item), count[i] = step.count(i);
      A results[AtOnce];
      warp::fold_single_chunks(leaves, first, count, inside, arguments.op, results);
      store(results, count, out);
      step.template drop_packets<AtOnce>();
      out += AtOnce * warp_lanes;
    }
  }

  /// Lets those of the segments wait that are not tiny, and folds what fills 32 lanes. Returns how many wait then.
  __device__ int let_wait(const step_type& step, std::int64_t first_segment, int waiting) const {
    const int number = static_cast<int>(first_segment - range_segment) + arch::lane_id();
    WARPFOLD_UNROLL
    for (int k = 0; k < packets; ++k)
      waiting = warp::add_waiting(queue, waiting, step.count(k) > tiny,
                                  static_cast<typename segments_type::index>(step.base + step.begin[k]), step.count(k),
                                  number + k * warp_lanes);
    __syncwarp();
    int from = 0;
    while (waiting - from >= warp_lanes) from += fold_some_waiting(from, waiting, false);
    return warp::keep_waiting(queue, from, waiting);
  }

  __device__ int fold_some_waiting(int from, int waiting, bool all) const {
    return warp::fold_waiting(arguments.leaves.template from<wide>(0), queue, from, waiting, all, arguments.op,
                                   [&](int number, const A& value) { arguments.write(arguments.out + range_segment + number, value); });
  }
};

}  // namespace warpfold::grid
