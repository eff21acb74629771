// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of exact sums over segments. A warp takes the segments that begin in its range, 32 at a time. Each has a
// superaccumulator in shared memory. Long segments are summed by the warp, short ones by groups of lanes, side by side.
// Then each lane rounds the sum of one segment. Parts of a segment that several warps share meet in a superaccumulator in
// global memory, and the last of these warps rounds. No warp waits.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/arch/ticket.cuh>
#include <warpfold/exact/batch_sum.cuh>
#include <warpfold/exact/load_group_items.cuh>
#include <warpfold/exact/segment_partition.cuh>
#include <warpfold/grid/initial_value.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int segment_block_warps = 8;

template <class V> struct segment_policy {
  static constexpr bool is_double = std::is_same_v<V, double>;
  static constexpr int lane_items = is_double ? 8 : 16;     ///< that a lane sums at once
  static constexpr int tile_segments = is_double ? 8 : 32;  ///< a tile's superaccumulators fill 3 or 4 KiB
  static constexpr int max_short_items = 16 * lane_items;   ///< longer segments are summed by the whole warp
  static constexpr int blocks_per_multiprocessor = is_double ? 2 : 3;
};

/// `Leaves` are the items that are summed, of type V, before they are lifted.
template <class Segments, class Leaves, class Op, class Out> struct segment_sum_arguments {
  using V = typename Leaves::accumulator;

  Segments segments;
  Leaves leaves;
  Op op;
  Out out;
  grid::initial_value<superaccumulator<V>> init;
  grid::initial_value<superaccumulator<V>> empty;  ///< the result of an empty segment
  segment_partition partition;
  global_sum<V>* cut;  ///< one for each warp: of the segment that begins in its range and is cut at its end
};

/// Of one warp, in shared memory.
template <class V> struct segment_sums {
  lazy_superaccumulator<V> sum[segment_policy<V>::tile_segments];
  unsigned kinds[segment_policy<V>::tile_segments];
};

/// Writes the result of a segment whose sum is number `place` of `own`. Not inlined: it would take registers from the
/// loop over the items.
template <class Arguments, class V>
__device__ __attribute__((noinline)) void write_segment_sum(const Arguments& arguments, std::int64_t segment,
                                                            const segment_sums<V>& own, int place) {
  *(arguments.out + segment) = arguments.init.join(own.sum[place].carried(own.kinds[place]), arguments.op);
}

/// A warp, and the segments in its range. All lanes call each member.
template <class Arguments> class segment_summer {
 public:
  using V = typename Arguments::V;
  using number = typename superaccumulator<V>::number;
  using policy = segment_policy<V>;
  using extraction = exact::extraction<V, policy::lane_items>;
  static constexpr int tile_segments = policy::tile_segments;

  __device__ segment_summer(const Arguments& arguments, std::int64_t warp, segment_sums<V>& own)
      : arguments_(arguments), range_(arguments.partition.range_of(warp)), own_(own) {}

  /// Sums the part of the segment before the first one that begins in the range, and all that begin there.
  __device__ void sum_range() {
    const auto& segments = arguments_.segments;
    const auto& partition = arguments_.partition;
    std::int64_t next = warp::shuffle(partition.first_segment(segments, range_, arguments_.leaves.source.items), 0);
    std::int64_t part = -1;  // a cut segment, whose part is summed next
    if (next > 0 && partition.goes_on(next - 1, warp::shuffle(span_of(next - 1), 0), range_)) part = next - 1;
    bool goes_on = next < segments.count;
    WARPFOLD_NO_UNROLL
    while (part >= 0 || goes_on) {
      const bool is_part = part >= 0;
      const std::int64_t own = is_part ? part : next + arch::lane_id();
      const bool exists = arch::lane_id() < (is_part ? 1 : tile_segments) && own < segments.count;
      const segment_span whole = exists ? span_of(own) : segment_span{0, 0};
      const bool begins = exists && partition.position(own, whole.begin) < range_.end;
      const bool is_cut = is_part || (begins && partition.is_cut(own, whole, range_));
      segment_span items = whole;
      if (is_part && exists) items = partition.part_of(own, whole, range_);
      else if (!begins || is_cut) items.end = items.begin;
      sum_tile(items);
      if (is_part) {
        join_part(part, warp::shuffle(whole, 0));
        part = -1;
        continue;
      }
      if (begins && !is_cut) {
        if (items.begin == items.end) *(arguments_.out + own) = arguments_.empty.alone();
        else write_segment_sum(arguments_, own, own_, arch::lane_id());
      }
      __syncwarp();
      const unsigned cut = __ballot_sync(full_warp, is_cut);
      if (cut != 0) part = next + __ffs(static_cast<int>(cut)) - 1;
      const int count = __popc(__ballot_sync(full_warp, begins));  // begins ascend
      next += count;
      goes_on = count == tile_segments && next < segments.count;
    }
  }

 private:
  __device__ segment_span span_of(std::int64_t segment) const {
    const auto items = arguments_.segments.span(segment);
    arch::require(
        items.within(arguments_.leaves.source.items),
        "segmented_reduce: segment %lld has the items [%lld, %lld) of %lld; segments must be in order, must not "
        "overlap, and must lie within the input",
        segment, items.begin, items.end, arguments_.leaves.source.items);
    return {items.begin, items.end};
  }

  /// Sums each lane's segment in the superaccumulator of the lane's number: long ones by the whole warp, one after
  /// another, then the others by groups of lanes, side by side.
  __device__ void sum_tile(const segment_span& items) {
    const int lane = arch::lane_id();
    if (lane < tile_segments) {
      for (unsigned long long& word : own_.sum[lane].word) word = 0;
      own_.kinds[lane] = 0;
    }
    __syncwarp();
    const std::int64_t count = items.end - items.begin;
    const bool is_short = count <= policy::max_short_items;
    unsigned longer = __ballot_sync(full_warp, !is_short);
    const int total = warp::all_reduce(is_short ? static_cast<int>(count) : 0, plus{}),
              filled = __popc(__ballot_sync(full_warp, is_short && count > 0));
    lane_group group{warp_lanes / tile_segments};
    while (group.lanes * policy::lane_items * filled < total) group.lanes *= 2;
    int first = total > 0 ? 0 : tile_segments;
    WARPFOLD_NO_UNROLL
    while (longer != 0 || first < tile_segments) {
      const bool is_long = longer != 0;
      const int place = is_long ? __ffs(static_cast<int>(longer)) - 1 : first + lane / group.lanes;
      segment_span segment = warp::shuffle(items, place);
      if (!is_long && segment.end - segment.begin > policy::max_short_items) segment.end = segment.begin;
      sum_segment(is_long ? whole_warp() : group, segment, place);
      if (is_long) longer &= longer - 1;
      else first += warp_lanes / group.lanes;
    }
  }

  /// Sums the segment of a group of lanes in superaccumulator number `place`.
  __device__ void sum_segment(lane_group group, const segment_span& segment, int place) {
    const auto& leaves = arguments_.leaves;
    std::int64_t step = chunk_begin(leaves.source, segment.begin);
    unsigned kinds = 0;
    WARPFOLD_NO_UNROLL
    for (; __any_sync(full_warp, step < segment.end); step += group.lanes * policy::lane_items) {
      number values[policy::lane_items];
      load_group_items(leaves, step, segment, group, values);
      const largest_item<number> largest = find_largest_number(values, group, kinds);
      if (!add_if_whole<extraction, extraction::first_levels>(values, largest, own_.sum[place], group))
        add_by_passes<extraction>(values, own_.sum[place], group);
    }
    if (group.own_lane() == 0 || (kinds & ~has_other_than_minus_zero) != 0) atomicOr(&own_.kinds[place], kinds);
    __syncwarp();
  }

  /// Adds the part that sum_tile has summed to the sum of a cut segment. The warp that completes it writes the result.
  __device__ void join_part(std::int64_t segment, const segment_span& whole) {
    const auto& partition = arguments_.partition;
    const int lane = arch::lane_id();
    const std::int64_t first = partition.warp_of(partition.position(segment, whole.begin)),
                       last = partition.warp_of(partition.position(segment, whole.end) - 1);
    global_sum<V>& all = arguments_.cut[first];
    all.add(own_.sum[0], own_.kinds[0], lane, warp_lanes);
    if (!arch::warp_completes(&all.arrived, last - first + 1)) return;
    all.take(own_.sum[0], own_.kinds[0], lane, warp_lanes);
    __syncwarp();
    if (lane == 0) write_segment_sum(arguments_, segment, own_, 0);
    __syncwarp();
  }

  const Arguments& arguments_;
  segment_span range_;
  segment_sums<V>& own_;
};

template <class Segments, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(segment_block_warps* warp_lanes,
                                  segment_policy<typename Leaves::accumulator>::blocks_per_multiprocessor)
sum_segments_kernel(const __grid_constant__ segment_sum_arguments<Segments, Leaves, Op, Out> arguments) {
  using V = typename Leaves::accumulator;
  auto& shared = arch::dynamic_shared<thread::array<segment_sums<V>, segment_block_warps>>();
  const int warp = arch::uniform_warp();
  segment_summer<segment_sum_arguments<Segments, Leaves, Op, Out>> summer(
      arguments, std::int64_t{blockIdx.x} * segment_block_warps + warp, shared[warp]);
  summer.sum_range();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
