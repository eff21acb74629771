// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The segments of a warp's range that fit 32 chunks, in steps. Where none of a step's segments is longer than a chunk, lanes fold
// their own; how that is done with tiny ones, and what with those of mixed lengths, is `Steps`: waiting_steps or staged_steps.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/segmented/segment_tile.cuh>

namespace warpfold::segmented {

/// Where a warp stands in its range.
struct segment_place {
  std::int64_t segment;  ///< the next one
  std::int64_t cursor;   ///< the item at which it begins, where that is known
  int waiting;           ///< segments that wait
};

/// Where none are short.
template <class Arguments> struct no_short_segments {
  struct storage {};
  template <class... Any> __device__ explicit no_short_segments(const Any&...) {}
  __device__ void fold(segment_place&) const {}
  __device__ void finish(int) const {}
};

/// Folds the segments of one warp's range, by that warp, all of whose lanes call.
template <class Arguments, template <class> class Steps> class short_segments {
 public:
  using leaves_type = decltype(Arguments::leaves);
  using segments_type = decltype(Arguments::segments);
  using A = typename leaves_type::accumulator;
  using step_index = typename segments_type::step_index;
  using steps_type = Steps<Arguments>;
  static constexpr int tiny = policy_of<leaves_type>.tiny_items;
  static constexpr int half = half_chunk_items<leaves_type>, narrow = leaves_type::chunk_items,
                       wide = wide_items<leaves_type>;
  static constexpr int packets = step_packets, step_segments = packets * warp_lanes;
  static constexpr int most_items = warp_lanes * wide;  // of a segment that is not long
  using step_type = segment_step<packets, step_index>;

  /// Shared memory of the warp.
  struct storage {
    typename steps_type::storage steps;
    typename segments_type::scratch scratch;
  };

  /// `range`: positions; `first_segment`: the first that begins there.
  __device__ short_segments(const Arguments& arguments, const segment_span& range, std::int64_t first_segment,
                            storage& own)
      : arguments(arguments), range(range), scratch(own.scratch), steps(arguments, first_segment, own.steps) {}

  /// From `at` on, until the range ends or a segment is longer than 32 chunks.
  __device__ void fold(segment_place& at) {
    while (true) {
      step_type step;
      bool whole = read_step(at, step) && is_whole(step, at.segment);
      int longest = step.longest();
      while (whole && longest <= tiny && steps_type::holds(step)) {
        const std::int64_t first = at.segment;
        at.segment += step_segments;
        if constexpr (segments_type::needs_cursor) at.cursor = step.base + step.end_of(step_segments - 1);
        step_type next;
        bool all_known = false;
        steps.fold_tiny(step, first, [&] { all_known = read_step(at, next); });
        __syncwarp();
        step = next;
        whole = all_known && is_whole(step, at.segment);
        longest = step.longest();
      }
      const bool fits = steps_type::bounds_items ? tiny < longest && longest <= wide : longest <= most_items;
      const auto [taken, goes_on] = whole && fits ? step_share{step_segments, true} : take(step, at.segment);
      if (taken == 0) return;
      const std::int64_t first = at.segment;
      at.segment += taken;
      if constexpr (segments_type::needs_cursor) at.cursor = step.base + step.end_of(taken - 1);
      if (taken < step_segments) {
        step.keep(taken);
        longest = step.longest();
      }
      at.waiting = fold_step(step, first, taken, longest, at.waiting);
      __syncwarp();  // else the compiler takes the warp for divided from here on, and guards every exchange: spills
      if (!goes_on) return;
    }
  }

  /// Those that still wait.
  __device__ void finish(int waiting) { steps.finish(waiting); }

 private:
  /// Returns whether all of the step's segments are known.
  __device__ bool read_step(const segment_place& at, step_type& step) const {
    const step_limits limits{arguments.ranges.item(at.segment, range.end), most_items, steps_type::most_items};
    step.base = arguments.segments.base(at.segment, at.cursor);
    return arguments.segments.next(at.segment, at.cursor, limits, step.begin, step.end, scratch);
  }

  /// Whether all of the step's segments exist and begin in the range, and have items known by 32 bits from the first one on.
  __device__ bool is_whole(const step_type& step, std::int64_t first) const {
    constexpr int k = packets - 1;
    constexpr std::int64_t most = 0x7FFFFFFF;
    std::int64_t end =
        arguments.ranges.item(first, range.end) - step.base;  // where the first one would be out of range
    // Where that is past 32 bits, a step that is whole may be taken for one that is not, which take() makes good.
    if (sizeof(step_index) <= 4) end = least_of(greatest_of(end, std::int64_t{0}), most);
    bool whole =
        step.begin[k] < static_cast<step_index>(end) - arguments.ranges.weight * (k * warp_lanes + arch::lane_id());
    if constexpr (sizeof(step_index) > 4) whole = is_near(step, step.begin[k]) && whole;
    return first + step_segments <= arguments.segments.count && __all_sync(full_warp, whole);
  }
  __device__ static bool is_near(const step_type& step, step_index item) {
    return item - warp::shuffle(step.begin[0], 0) < step_index{1} << 30;
  }

  /// What is folded of a step.
  struct step_share {
    int segments;
    bool goes_on;  ///< the next segment is of the range, and not long
  };

  /// Up to a long segment, the range's end, or as many items as a step can have.
  __device__ step_share take(const step_type& step, std::int64_t first) const {
    constexpr std::int64_t far = std::int64_t{1} << 30;
    const int lane = arch::lane_id();
    const step_index first_item = step.first_item();
    // Where the first one would be out of range, and a lane's, from the first one's begin on. (Where that is cut, a step may end early.)
    const std::int64_t left = arguments.ranges.item(first, range.end) - step.base - first_item;
    const int end = static_cast<int>(least_of(greatest_of(left, std::int64_t{0}), far)),
              own_end = end - arguments.ranges.weight * lane;
    const int existing = static_cast<int>(least_of(arguments.segments.count - first, std::int64_t{step_segments}));
    int taken = 0;
    unsigned wanted = 0;  // packets whose segment of the lane is of the range, and not long
    bool all = true;
    WARPFOLD_UNROLL
    for (int k = 0; k < packets; ++k) {
      bool takes = step.begin[k] - first_item < own_end - arguments.ranges.weight * (k * warp_lanes);
      takes = takes && step.end[k] - step.begin[k] <= most_items && k * warp_lanes + lane < existing;
      if (takes) wanted |= 1u << k;
      if constexpr (steps_type::bounds_items) takes = takes && step.end[k] - first_item <= steps_type::most_items;
      const unsigned left_out = ~__ballot_sync(full_warp, takes);
      if (all) taken += __clz(static_cast<int>(__brev(left_out)));  // the lanes before the first one left out
      all = all && left_out == 0;
    }
    if (!steps_type::bounds_items || all) return {taken, all};
    return {taken, (__shfl_sync(full_warp, wanted, taken % warp_lanes) >> taken / warp_lanes & 1) != 0};
  }

  /// Folds the first `taken` > 0 segments of a step, of which one has `longest` items, or lets them wait. Returns how many wait then.
  __device__ int fold_step(const step_type& step, std::int64_t first, int taken, int longest, int waiting) {
    require_within(step, taken);
    if constexpr (half > 0) {
      if (tiny < longest && longest <= half) {
        fold_chunks<half, packets>(step, first, taken);
        return waiting;
      }
    }
    if (!steps_type::bounds_items && longest <= tiny) steps.fold_tiny(step, first, [] {});
    else if (tiny < longest && longest <= narrow) fold_chunks<narrow, 2>(step, first, taken);
    else if (tiny < longest && longest <= wide) fold_chunks<wide, 1>(step, first, taken);
    else return steps.fold(step, first, taken, longest, waiting);
    return waiting;
  }

  __device__ void require_within(const step_type& step, int taken) const {
    WARPFOLD_UNROLL
    for (int k = 0; k < packets; ++k) {
      const segment_span items{step.base + step.begin[k], step.base + step.end[k]};
      arch::require(k * warp_lanes + arch::lane_id() >= taken || items.within(arguments.leaves.source.items),
                    segments_out_of_order);
    }
  }

  /// All of the segments, which have a chunk of `Items` at most, those of `AtOnce` packets at a time.
  template <int Items, int AtOnce>
  __device__ void fold_chunks(step_type step, std::int64_t first_segment, int taken) const {
    const step_index first_item = step.first_item();
    const auto leaves = arguments.leaves.template from<Items>(step.base + first_item);
    const bool inside = arguments.leaves.source.is_inside(step.base + first_item, step.base + step.end_of(taken - 1));
    auto out = arguments.out + first_segment + arch::lane_id();
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < packets; k += AtOnce) {
      int first[AtOnce], count[AtOnce];
      WARPFOLD_UNROLL
      for (int i = 0; i < AtOnce; ++i)
        first[i] = static_cast<int>(step.begin[i] - first_item), count[i] = step.count(i);
      A results[AtOnce];
      fold_single_chunks(leaves, first, count, inside, arguments.op, results);
      write_step(arguments, results, count, out);
      step.template drop_packets<AtOnce>();
      out += AtOnce * warp_lanes;
    }
  }

  const Arguments& arguments;
  const segment_span range;
  typename segments_type::scratch& scratch;
  steps_type steps;
};

}  // namespace warpfold::segmented
