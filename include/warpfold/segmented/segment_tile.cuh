// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of a warp through its short segments: a few packets of 32 of them, a segment a lane, and what is done with any step.
#pragma once
#include <warpfold/segmented/arguments.cuh>
#include <warpfold/segmented/fold_lane_segments.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::segmented {

/// The items of Packets * 32 segments, those of number 32 k + lane at [begin[k], end[k]); none where a segment does not exist.
template <int SegmentsPerLane, class Index> struct segment_tile {
  static constexpr int segments_per_lane = SegmentsPerLane;
  std::int64_t base = 0;  ///< the item from which they count
  Index begin[SegmentsPerLane] = {}, end[SegmentsPerLane] = {};

  __device__ int count(int k) const { return static_cast<int>(end[k] - begin[k]); }
  __device__ void counts(int (&to)[SegmentsPerLane]) const {
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) to[k] = count(k);
  }
  /// Items of the longest.
  __device__ int longest() const {
    constexpr Index most = 0x7FFFFFFF;
    Index longest = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) longest = greatest_of(longest, end[k] - begin[k]);
    return warp::all_reduce(static_cast<int>(least_of(longest, most)), maximum{});
  }
  /// Whether a segment that has been kept has `most` items or less.
  __device__ bool any_up_to(int most) const {
    bool any = false;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) any = any || static_cast<unsigned>(count(k)) <= static_cast<unsigned>(most);
    return __any_sync(full_warp, any);
  }
  /// Where segment number `segment` ends; the same in all lanes, as `segment` is.
  __device__ Index end_of(int segment) const {
    Index found{};  // by exchanges of all packets: a choice among them would be one of addresses
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) {
      const Index in_packet = warp::shuffle(end[k], segment % warp_lanes);
      if (segment / warp_lanes == k) found = in_packet;
    }
    return found;
  }
  /// The item at which the first one begins.
  __device__ Index first_item() const { return warp::shuffle(begin[0], 0); }
  /// Leaves those from number `count` on out: they have less than no items, where the first one begins.
  __device__ void keep(int count) {
    const Index first = first_item();
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k)
      if (k * warp_lanes + arch::lane_id() >= count) begin[k] = first, end[k] = first - 1;
  }
  template <int Dropped> __device__ void drop_first() {
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k)
      if (k + Dropped < SegmentsPerLane) begin[k] = begin[k + Dropped], end[k] = end[k + Dropped];
  }
};

/// Writes results of segments with so many items, 32 apart from `out` on; those with less than none are left out.
template <class Arguments, class A, int Count, class Out>
__device__ void write_tile(const Arguments& arguments, A (&results)[Count], const int (&count)[Count], Out out) {
  if (arguments.init.exists()) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) results[k] = arguments.init.join(results[k], arguments.op);
  }
  const A none = arguments.empty.alone();
  WARPFOLD_UNROLL
  for (int k = 0; k < Count; ++k)
    if (count[k] >= 0) out[k * warp_lanes] = thread::choose(count[k] > 0, results[k], none);
}

/// Folds those of a step's segments that have `Tiny` items at most, item by item, and writes them from `out` on. Segment k of a
/// lane has count[k] items from begin[k] on. Calls meanwhile() while these are on their way.
template <int Tiny, class Arguments, class Leaves, class Index, int SegmentsPerLane, class Out, class Meanwhile>
__device__ void fold_tiny_segments(const Arguments& arguments, const Leaves& leaves, const Index (&begin)[SegmentsPerLane],
                                   const int (&count)[SegmentsPerLane], Out out, Meanwhile meanwhile) {
  int own[SegmentsPerLane];
  WARPFOLD_UNROLL
  for (int k = 0; k < SegmentsPerLane; ++k) own[k] = count[k] <= Tiny ? count[k] : -1;
  tiny_segments<Tiny, SegmentsPerLane, Leaves, decltype(Arguments::op)> items;
  items.load(leaves, begin, own);
  meanwhile();
  typename Leaves::accumulator results[SegmentsPerLane];
  items.fold(leaves, own, arguments.op, results);
  write_tile(arguments, results, own, out);
}

/// The tiny ones of a step's segments that have been kept, from where their items lie.
template <int Tiny, class Arguments, class Tile, class Meanwhile>
__device__ void fold_tiny_in_place(const Arguments& arguments, const Tile& tile, std::int64_t first,
                                   Meanwhile meanwhile) {
  int count[Tile::segments_per_lane];
  tile.counts(count);
  fold_tiny_segments<Tiny>(arguments,
                           arguments.leaves.template from<decltype(Arguments::leaves)::chunk_items>(tile.base),
                           tile.begin, count, arguments.out + first + arch::lane_id(), meanwhile);
}

}  // namespace warpfold::segmented
