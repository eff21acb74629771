// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of exact sums over segments. A warp takes the segments that begin in its range, 32 at a time. Short
// neighbours are summed by prefixes, others by teams of lanes, side by side; then each lane rounds the sum of one
// segment. Parts of a segment that several warps share meet in a superaccumulator in global memory, and the last of
// these warps rounds. No warp waits.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/arch/ticket.cuh>
#include <warpfold/exact/tiny_segments.cuh>
#include <warpfold/thread/array.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The shared memory of one warp.
template <class V> struct segment_storage {
  union {
    segment_sums<V> sums;
    prefix_storage prefixes;
  };
  level_sum at_level[warp_lanes];
};

/// A warp, and the segments in its range. All lanes call each member. `Tiny`: many segments have few items.
template <class Arguments, bool Tiny> class segment_summer {
 public:
  using V = typename Arguments::V;
  using level = tile_level<V>;
  static constexpr int tile_segments = segment_policy<V>::tile_segments;

  __device__ segment_summer(const Arguments& arguments, const segment_span& range, segment_storage<V>& own)
      : arguments_(arguments), range_(range), own_(own) {}

  /// Sums the part of the segment before the first one that begins in the range, and all that begin there. If `Tiny`,
  /// many of few items at once, and others by a function of their own.
  __device__ void sum_range() {
    const auto& segments = arguments_.segments;
    const auto& partition = arguments_.partition;
    const std::int64_t next =
        warp::shuffle(partition.first_segment(segments, range_.begin, arguments_.leaves.source.items), 0);
    // If the type has levels, the part is summed at once, by a function of its own, which leaves more registers to the
    // loop. If not, a second call of sum_tile would cost more.
    std::int64_t part = -1;
    if (next > 0 && partition.goes_on(next - 1, warp::shuffle(span_of(next - 1), 0), range_)) part = next - 1;
    if constexpr (level::exists)
      if (part >= 0) sum_part(arguments_, range_, own_, part);
    if constexpr (Tiny) {
      progress at{next, tiles_};
      while (at.next < segments.count) {
        at.next = sum_tiny_segments(arguments_, range_.end, at.next, at.tiles, own_.prefixes);
        if (at.next < segments.count) at = sum_others(arguments_, range_, own_, at);
      }
    } else sum_segments(next, part, segments.count);
  }

 private:
  /// How far a warp has come: to a segment, which may begin in the range, or to the last one's end.
  struct progress {
    std::int64_t next;
    tile_place<V> tiles;
  };
  /// Sums the segments of some tiles.
  __device__ __attribute__((noinline)) static progress sum_others(const Arguments& arguments, segment_span range,
                                                                  segment_storage<V>& own, progress from) {
    segment_summer summer(arguments, range, own);
    summer.tiles_ = from.tiles;
    from.next = summer.sum_segments(from.next, -1, least_of(from.next + tiny_tile_segments, arguments.segments.count));
    return {from.next, summer.tiles_};
  }
  /// Sums segments from `next` up to `last`, or until the range ends, and before them a part of segment `part`, if it
  /// is one and no level exists. Returns the next segment; that behind all if the range has ended.
  __device__ std::int64_t sum_segments(std::int64_t next, std::int64_t part, std::int64_t last) {
    const auto& segments = arguments_.segments;
    const auto& partition = arguments_.partition;
    const auto take_part = [&](std::int64_t segment) {
      if constexpr (level::exists) sum_part(arguments_, range_, own_, segment);
      else part = segment;
    };
    const empty_result none(arguments_);
    bool goes_on = next < last;
    WARPFOLD_NO_UNROLL
    while ((!level::exists && part >= 0) || goes_on) {
      const bool is_part = !level::exists && part >= 0;
      const std::int64_t own = is_part ? part : next + arch::lane_id();
      const bool exists = arch::lane_id() < (is_part ? 1 : tile_segments) && own < segments.count;
      segment_span items = exists ? span_of(own) : segment_span{0, 0};
      const bool begins = exists && partition.position(own, items.begin) < range_.end;
      const bool is_cut = is_part || (begins && partition.is_cut(own, items, range_));
      if (is_part && exists) items = partition.part_of(own, items, range_);
      else if (!begins || is_cut) items.end = items.begin;
      const bool is_at_level = !is_part && sum_at_level(items);
      if (!is_at_level) sum_tile(arguments_.leaves, items, own_.sums);
      if (is_part) {
        join_part(part);
        part = -1;
        continue;
      }
      if (begins && !is_cut) {
        if (items.begin == items.end) none.write(own);
        else if (!is_at_level) write_sum_of(arguments_, own, in_superaccumulator(arch::lane_id()));
        else write_sum_of(arguments_, own, own_.at_level[arch::lane_id()], tiles_.level);
      }
      __syncwarp();
      const unsigned cut = __ballot_sync(full_warp, is_cut);
      if (cut != 0) take_part(next + __ffs(static_cast<int>(cut)) - 1);
      const int count = __popc(__ballot_sync(full_warp, begins));  // begins ascend
      next += count;
      goes_on = count == tile_segments && next < last;
      if (count < tile_segments) next = segments.count;
    }
    return next;
  }
  __device__ segment_span span_of(std::int64_t segment) const {
    const auto items = arguments_.segments.span(segment);
    segment::require_within("segmented_reduce", segment, items, arguments_.leaves.source.items);
    return {items.begin, items.end};
  }

  __device__ bool sum_at_level(const segment_span& items) {
    if constexpr (level::exists) {
      if (tiles_.to_skip > 0) return --tiles_.to_skip, false;
      const auto& source = arguments_.leaves.source;
      const bool is_inner = items.begin == items.end || source.is_inside(items.begin, items.end);
      if (!__all_sync(full_warp, is_inner && items.end - items.begin <= level::max_items)) return false;
      tiles_.take_sample(arguments_.leaves, items);
      const tile_extent extent(items);
      const bool lies_together = gains_by_prefixes(items, extent);
      for (int trial = 0; trial < 3; ++trial)
        if (lies_together ? sum_by_prefixes(items, extent) : sum_apart(items)) return true;
      tiles_.to_skip = tiles_per_trial;
    }
    return false;
  }
  /// Whether the tile fills a step, its segments are not much longer, and nothing lies between them.
  __device__ bool gains_by_prefixes(const segment_span& items, const tile_extent& extent) const {
    if constexpr (!takes_prefixes<decltype(Arguments::leaves)>) return false;
    const int all = warp::all_reduce(static_cast<int>(items.end - items.begin), plus{}),
              segments = __popc(__ballot_sync(full_warp, items.begin < items.end));
    return all >= min_prefix_items && all <= max_prefix_length * segments && all == extent.end - extent.begin;
  }
  __device__ bool sum_by_prefixes(const segment_span& items, const tile_extent& extent) {
    if constexpr (takes_prefixes<decltype(Arguments::leaves)>)
      return sum_tile_by_prefixes(arguments_.leaves, items, extent, tiles_.level, own_.at_level[arch::lane_id()],
                                  own_.prefixes);
    else return false;
  }
  /// Segments of few items are summed by their lanes, others by teams. Where some have few and others more, lanes sum
  /// up to double_sum::max_items items.
  __device__ bool sum_apart(const segment_span& items) {
    const auto& leaves = arguments_.leaves;
    level_sum& own = own_.at_level[arch::lane_id()];
    const std::int64_t length = items.end - items.begin;
    if (!__any_sync(full_warp, length > max_own_items)) return sum_own_at_level(leaves, items, tiles_.level, own);
    const segment_span none{items.begin, items.begin};
    const int few = length <= double_sum::max_items ? static_cast<int>(length) : 0;
    const int longest = warp::all_reduce(few, maximum{});
    const bool is_summed = sum_in_double(leaves, few > 0 ? items : none, longest, tiles_.level, own) && few > 0;
    const segment_span left = is_summed ? none : items;
    return !__any_sync(full_warp, left.begin < left.end) ||
           sum_tile_at_level(leaves, left, tiles_.level, own_.at_level, own_.sums.order);
  }
  __device__ superaccumulator<V> in_superaccumulator(int place) const {
    return own_.sums.sum[place].carried(own_.sums.kinds[place]);
  }

  /// Sums the part of a cut segment that lies in the range, and joins it.
  __device__ __attribute__((noinline)) static void sum_part(const Arguments& arguments, segment_span range,
                                                            segment_storage<V>& own, std::int64_t segment) {
    segment_summer summer(arguments, range, own);
    summer.sum_long(arguments.partition.part_of(segment, warp::shuffle(summer.span_of(segment), 0), range));
    summer.join_part(segment);
  }
  /// Sums many items in the first superaccumulator: as many at a time as a level counts. (On an H200, degrees of mean 6
  /// take 460 us without levels, and 365 so. Where segments are longer, warps have fewer registers, and would lose by
  /// it: 2^26 floats in segments of 3000 take 98 us, and 132 so.)
  __device__ void sum_long(const segment_span& items) {
    if constexpr (!Tiny) {
      segment_span own = items;
      if (arch::lane_id() > 0) own.end = own.begin;
      sum_tile(arguments_.leaves, own, own_.sums);
    } else {
      clear_sums(own_.sums, 1);
      WARPFOLD_NO_UNROLL
      for (std::int64_t first = items.begin; first < items.end; first += level::max_items) {
        const std::int64_t end = least_of(first + level::max_items, items.end);
        const segment_span own{first, arch::lane_id() == 0 ? end : first};
        if (!add_at_level(own, arguments_.leaves.source.is_inside(first, end)))
          add_tile(arguments_.leaves, own, own_.sums);
      }
    }
  }
  /// Adds the first lane's items at a level, if they fit one. `is_inner`: vectors around them lie within the input.
  __device__ bool add_at_level(const segment_span& items, bool is_inner) {
    if (!is_inner) return false;
    if (tiles_.to_skip > 0) return --tiles_.to_skip, false;
    tiles_.take_sample(arguments_.leaves, items);
    for (int trial = 0; trial < 3; ++trial) {
      if (!sum_tile_at_level(arguments_.leaves, items, tiles_.level, own_.at_level, own_.sums.order)) continue;
      __syncwarp();
      own_.sums.sum[0].add(own_.at_level[0].digits, tiles_.level.digit_exponent(), whole_warp());
      if (arch::lane_id() == 0) own_.sums.kinds[0] |= own_.at_level[0].kinds;
      __syncwarp();
      return true;
    }
    tiles_.to_skip = tiles_per_trial;
    return false;
  }
  /// Adds the part that sum_long or sum_tile has summed to the sum of a cut segment. The warp that completes it writes
  /// the result.
  __device__ void join_part(std::int64_t segment) {
    const auto& partition = arguments_.partition;
    const int lane = arch::lane_id();
    const segment_span whole = span_of(segment);
    const std::int64_t first = partition.warp_of(partition.position(segment, whole.begin)),
                       last = partition.warp_of(partition.position(segment, whole.end) - 1);
    global_sum<V>& all = arguments_.cut[first];
    all.add(own_.sums.sum[0], own_.sums.kinds[0], lane, warp_lanes);
    if (!arch::warp_completes(&all.arrived, last - first + 1)) return;
    all.take(own_.sums.sum[0], own_.sums.kinds[0], lane, warp_lanes);
    __syncwarp();
    if (lane == 0) write_sum_of(arguments_, segment, in_superaccumulator(0));
    __syncwarp();
  }

  /// Items of a tile. (2^26 floats in segments of 12 items take 189 us by prefixes on an H200, and 148 by lanes; of 16,
  /// 146 and 174.)
  static constexpr int min_prefix_items = 448;
  static constexpr int max_prefix_length = 2 * prefix_storage::step_items;  ///< mean of a tile

  const Arguments& arguments_;
  segment_span range_;
  segment_storage<V>& own_;
  tile_place<V> tiles_;
};

template <bool Tiny, class Segments, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(segment_block_warps* warp_lanes,
                                  Tiny ? segment_policy<typename Leaves::accumulator>::tiny_blocks_per_multiprocessor
                                       : segment_policy<typename Leaves::accumulator>::blocks_per_multiprocessor)
sum_segments_kernel(const __grid_constant__ segment_sum_arguments<Segments, Leaves, Op, Out> arguments) {
  using V = typename Leaves::accumulator;
  auto& shared = arch::dynamic_shared<thread::array<segment_storage<V>, segment_block_warps>>();
  const int warp = arch::uniform_warp();
  segment_summer<segment_sum_arguments<Segments, Leaves, Op, Out>, Tiny> summer(
      arguments, arguments.partition.positions_of(std::int64_t{blockIdx.x} * segment_block_warps + warp), shared[warp]);
  summer.sum_range();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
