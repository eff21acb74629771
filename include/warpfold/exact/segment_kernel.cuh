// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of exact sums over segments. A warp takes the segments that begin in its range, 32 at a time. Short
// neighbours are summed by prefixes, others by teams of lanes, side by side; then each lane rounds the sum of one
// segment. Parts of a segment that several warps share meet in a superaccumulator in global memory, and the last of
// these warps rounds. No warp waits.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/arch/ticket.cuh>
#include <warpfold/exact/arguments.cuh>
#include <warpfold/exact/tile_prefixes.cuh>
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

/// Writes the result of a segment. Not inlined, and by values, as write_sum is.
template <class Out, class A, class Op>
__device__ __attribute__((noinline)) void write_segment_sum(Out out, const grid::initial_value<A>* init, Op op, A sum) {
  *out = init != nullptr ? init->join(sum, op) : sum;
}

/// A warp, and the segments in its range. All lanes call each member.
template <class Arguments> class segment_summer {
 public:
  using V = typename Arguments::V;
  using level = tile_level<V>;
  static constexpr int tile_segments = segment_policy<V>::tile_segments;

  __device__ segment_summer(const Arguments& arguments, const segment_span& range, segment_storage<V>& own)
      : arguments_(arguments), range_(range), own_(own) {}

  /// Sums the part of the segment before the first one that begins in the range, and all that begin there.
  __device__ void sum_range() {
    const auto& segments = arguments_.segments;
    const auto& partition = arguments_.partition;
    std::int64_t next =
        warp::shuffle(partition.first_segment(segments, range_.begin, arguments_.leaves.source.items), 0);
    // The cut segment whose part is summed next. If the type has levels, the part is summed at once, by a function of
    // its own, which leaves more registers to the loop. If not, a second call of sum_tile would cost more.
    std::int64_t part = -1;
    const auto take_part = [&](std::int64_t segment) {
      if constexpr (level::exists) sum_part(arguments_, range_, own_, segment);
      else part = segment;
    };
    if (next > 0 && partition.goes_on(next - 1, warp::shuffle(span_of(next - 1), 0), range_)) take_part(next - 1);
    bool goes_on = next < segments.count;
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
        if (items.begin == items.end) *(arguments_.out + own) = arguments_.empty.alone();
        else if (!is_at_level) write(own, in_superaccumulator(arch::lane_id()));
        else write_at_level(own);
      }
      __syncwarp();
      const unsigned cut = __ballot_sync(full_warp, is_cut);
      if (cut != 0) take_part(next + __ffs(static_cast<int>(cut)) - 1);
      const int count = __popc(__ballot_sync(full_warp, begins));  // begins ascend
      next += count;
      goes_on = count == tile_segments && next < segments.count;
    }
  }

 private:
  __device__ segment_span span_of(std::int64_t segment) const {
    const auto items = arguments_.segments.span(segment);
    segment::require_within("segmented_reduce", segment, items, arguments_.leaves.source.items);
    return {items.begin, items.end};
  }

  __device__ bool sum_at_level(const segment_span& items) {
    if constexpr (level::exists) {
      if (tiles_to_skip_ > 0) return --tiles_to_skip_, false;
      const auto& source = arguments_.leaves.source;
      const bool is_inner = items.begin == items.end || source.is_inside(items.begin, items.end);
      if (!__all_sync(full_warp, is_inner && items.end - items.begin <= level::max_items)) return false;
      if (!has_level_) level_ = sample(items), has_level_ = true;
      const tile_extent extent(items);
      const bool lies_together = gains_by_prefixes(items, extent);
      for (int trial = 0; trial < 3; ++trial)
        if (lies_together ? sum_by_prefixes(items, extent) : sum_apart(items)) return true;
      tiles_to_skip_ = tiles_per_trial;
    }
    return false;
  }
  /// Whether the tile fills a step, its segments are not much longer, and nothing lies between them.
  __device__ bool gains_by_prefixes(const segment_span& items, const tile_extent& extent) const {
    if constexpr (!takes_prefixes) return false;
    const int all = warp::all_reduce(static_cast<int>(items.end - items.begin), plus{}),
              segments = __popc(__ballot_sync(full_warp, items.begin < items.end));
    return all >= min_prefix_items && all <= max_prefix_length * segments && all == extent.end - extent.begin;
  }
  __device__ bool sum_by_prefixes(const segment_span& items, const tile_extent& extent) {
    if constexpr (takes_prefixes)
      return sum_tile_by_prefixes(arguments_.leaves, items, extent, level_, own_.at_level[arch::lane_id()],
                                  own_.prefixes);
    else return false;
  }
  /// Segments of few items are summed by their lanes, others by teams. Where some have few and others more, lanes sum
  /// up to double_sum::max_items items.
  __device__ bool sum_apart(const segment_span& items) {
    const auto& leaves = arguments_.leaves;
    level_sum& own = own_.at_level[arch::lane_id()];
    const std::int64_t length = items.end - items.begin;
    if (!__any_sync(full_warp, length > max_own_items)) return sum_own_at_level(leaves, items, level_, own);
    const segment_span none{items.begin, items.begin};
    const int few = length <= double_sum::max_items ? static_cast<int>(length) : 0;
    const int longest = warp::all_reduce(few, maximum{});
    const bool is_summed = sum_in_double(leaves, few > 0 ? items : none, longest, level_, own) && few > 0;
    const segment_span left = is_summed ? none : items;
    return !__any_sync(full_warp, left.begin < left.end) ||
           sum_tile_at_level(leaves, left, level_, own_.at_level, own_.sums.order);
  }
  /// A level for items a little larger than the first ones of segments, and, where these are few, others of the first
  /// segment: a larger item would be met late.
  __device__ level sample(const segment_span& items) const {
    constexpr int margin = 2;
    const unsigned members = __ballot_sync(full_warp, items.begin < items.end);
    const segment_span some = warp::shuffle(items, __ffs(static_cast<int>(members)) - 1);
    unsigned field = 0;
    if (members != 0) {
      const std::int64_t at =
          items.begin < items.end ? items.begin : some.begin + (some.end - some.begin) * arch::lane_id() / warp_lanes;
      const float item = warpfold::detail::convert<float>(arguments_.leaves.leaf_of(arguments_.leaves.source.at(at)));
      field = bits_as<std::uint32_t>(item) >> 23 & 0xff;
    }
    field = warp::all_reduce(field < format<float>::max_field ? field : 0u, maximum{});
    return level::of_field(static_cast<int>(field), margin);
  }
  /// Writes the sum of the lane's segment, which is `segment`.
  __device__ void write_at_level(std::int64_t segment) const {
    const level_sum& own = own_.at_level[arch::lane_id()];
    const scaled_sum<V> sum{own.digits, level_.digit_exponent(), own.kinds};
    constexpr bool takes_scaled = requires { arguments_.op.lower(sum); };
    if constexpr (takes_scaled)
      if (sum.is_normal() && !arguments_.init.exists()) {
        *(arguments_.out + segment) = sum;
        return;
      }
    write(segment, accumulator_of<V>(sum.digits, sum.exponent, sum.kinds));
  }
  __device__ void write(std::int64_t segment, const superaccumulator<V>& sum) const {
    write_segment_sum(arguments_.out + segment, arguments_.init.exists() ? &arguments_.init : nullptr, arguments_.op,
                      sum);
  }
  __device__ superaccumulator<V> in_superaccumulator(int place) const {
    return own_.sums.sum[place].carried(own_.sums.kinds[place]);
  }

  /// Sums the part of a cut segment that lies in the range, and joins it.
  __device__ __attribute__((noinline)) static void sum_part(const Arguments& arguments, segment_span range,
                                                            segment_storage<V>& own, std::int64_t segment) {
    segment_summer summer(arguments, range, own);
    segment_span items = arguments.partition.part_of(segment, warp::shuffle(summer.span_of(segment), 0), range);
    if (arch::lane_id() > 0) items.end = items.begin;
    sum_tile(arguments.leaves, items, own.sums);
    summer.join_part(segment);
  }
  /// Adds the part that sum_tile has summed to the sum of a cut segment. The warp that completes it writes the result.
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
    if (lane == 0) write(segment, in_superaccumulator(0));
    __syncwarp();
  }

  static constexpr bool takes_prefixes = [] {
    constexpr int items = decltype(Arguments::leaves)::chunk_items;
    return 1 < items && items <= prefix_storage::lane_items;
  }();
  /// Items of a tile. (2^26 floats in segments of 12 items take 189 us by prefixes on an H200, and 148 by lanes; of 16,
  /// 146 and 174.)
  static constexpr int min_prefix_items = 448;
  static constexpr int max_prefix_length = 2 * prefix_storage::step_items;  ///< mean of a tile
  static constexpr int tiles_per_trial = 8;  ///< after a tile that does not fit the level

  const Arguments& arguments_;
  segment_span range_;
  segment_storage<V>& own_;
  level level_{};
  bool has_level_ = false;
  int tiles_to_skip_ = 0;
};

template <class Segments, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(segment_block_warps* warp_lanes,
                                  segment_policy<typename Leaves::accumulator>::blocks_per_multiprocessor)
sum_segments_kernel(const __grid_constant__ segment_sum_arguments<Segments, Leaves, Op, Out> arguments) {
  using V = typename Leaves::accumulator;
  auto& shared = arch::dynamic_shared<thread::array<segment_storage<V>, segment_block_warps>>();
  const int warp = arch::uniform_warp();
  segment_summer<segment_sum_arguments<Segments, Leaves, Op, Out>> summer(
      arguments, arguments.partition.positions_of(std::int64_t{blockIdx.x} * segment_block_warps + warp), shared[warp]);
  summer.sum_range();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
