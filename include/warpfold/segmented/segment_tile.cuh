// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of short segments: a warp takes 32 at a time, a few for each lane. Also the functions that every way to fold a
// tile needs.
#pragma once
#include <warpfold/segmented/arguments.cuh>
#include <warpfold/segmented/fold_lane_segments.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::segmented {

/// The spans of SegmentsPerLane * 32 segments: segment 32 k + lane has [begin[k], end[k]), empty if it does not exist.
template <int SegmentsPerLane, class Index> struct segment_tile {
  static constexpr int segments_per_lane = SegmentsPerLane;
  using index = Index;
  std::int64_t base = 0;  ///< the item from which spans are counted
  Index begin[SegmentsPerLane] = {}, end[SegmentsPerLane] = {};

  __device__ int count(int k) const { return static_cast<int>(end[k] - begin[k]); }
  __device__ void counts(int (&to)[SegmentsPerLane]) const {
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) to[k] = count(k);
  }
  /// The length of the longest segment.
  __device__ int longest() const {
    constexpr Index most = 0x7FFFFFFF;
    Index longest = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) longest = greatest_of(longest, end[k] - begin[k]);
    return warp::all_reduce(static_cast<int>(least_of(longest, most)), maximum{});
  }
  /// Whether any kept segment has at most `most` items.
  __device__ bool any_up_to(int most) const {
    bool any = false;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k)
      any = any || static_cast<unsigned>(count(k)) <= static_cast<unsigned>(most);
    return __any_sync(full_warp, any);
  }
  /// The number of segments of more than `most` items.
  __device__ int count_above(int most) const {
    int above = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) above += __popc(__ballot_sync(full_warp, count(k) > most));
    return above;
  }
  /// The number of segments that end within the first `items` items.
  __device__ int count_within(int items) const {
    const Index first = first_item();  // it may lie so far that the sum would overflow
    int within = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) within += __popc(__ballot_sync(full_warp, end[k] - first <= items));
    return within;
  }
  /// Where segment number `segment` of the tile ends. `segment` is the same in all lanes.
  __device__ Index end_of(int segment) const {
    Index found{};  // exchanges all k: a choice of k first would be a choice of addresses
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) {
      const Index from_lane = warp::shuffle(end[k], segment % warp_lanes);
      if (segment / warp_lanes == k) found = from_lane;
    }
    return found;
  }
  /// The item at which the first segment begins.
  __device__ Index first_item() const { return warp::shuffle(begin[0], 0); }
  /// Keeps the first `count` segments. The others get -1 items.
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

/// Writes the results of segments of count[k] items from item origin + begin[k] on to out[32 k]. Segments of -1 items
/// are skipped. The operator never sees the result of an empty segment, unless it is one of the library's own over
/// numbers, where a test would cost time.
template <class Arguments, class A, int Count, class Index, class Out>
__device__ void write_tile(const Arguments& arguments, A (&results)[Count], const int (&count)[Count],
                           std::int64_t origin, const Index (&begin)[Count], Out out) {
  if constexpr (thread::joins_initial_value<Out>) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k)
      if (count[k] >= 0) thread::put(place_of(out, k * warp_lanes, origin + begin[k], count[k]), results[k]);
    return;
  }
  if (arguments.init.exists()) {
    const A initial = arguments.init.alone();
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k)
      if (thread::may_combine_missing<decltype(Arguments::op), A> || count[k] > 0)
        results[k] = arguments.op(initial, results[k]);
  }
  const A none = arguments.empty.alone();
  WARPFOLD_UNROLL
  for (int k = 0; k < Count; ++k)
    if (count[k] >= 0)
      thread::put(place_of(out, k * warp_lanes, origin + begin[k], count[k]),
                  thread::choose(count[k] > 0, results[k], none));
}

/// Folds the segments of at most `Items` items among the `taken` kept ones of the tile that begins with segment
/// `first`, a chunk each, all at once. The items are read in place.
template <int Items, class Arguments, class Tile>
__device__ void fold_chunks_in_place(const Arguments& arguments, const Tile& tile, std::int64_t first, int taken) {
  const auto first_item = tile.first_item();
  const auto& source = arguments.leaves.source;
  const bool inside = source.is_inside(tile.base + first_item, tile.base + tile.end_of(taken - 1));
  int begin[Tile::segments_per_lane], count[Tile::segments_per_lane];
  WARPFOLD_UNROLL
  for (int k = 0; k < Tile::segments_per_lane; ++k) {
    begin[k] = static_cast<int>(tile.begin[k] - first_item);
    count[k] = tile.count(k) <= Items ? tile.count(k) : -1;
  }
  typename Arguments::leaves_type::accumulator results[Tile::segments_per_lane];
  fold_single_chunks(arguments.leaves.template from<Items>(tile.base + first_item), begin, count, inside, arguments.op,
                     results);
  write_tile(arguments, results, count, tile.base + first_item, begin, arguments.out + first + arch::lane_id());
}

/// Folds a tile's segments of at most `Tiny` > 0 items, item by item, and writes them from `out` on. Segment k of a
/// lane has count[k] items from begin[k] on, which is counted from item `origin`. Calls meanwhile() while the loads are
/// in flight.
template <int Tiny, class Arguments, class Leaves, class Index, int SegmentsPerLane, class Out>
__device__ void fold_tiny_segments(const Arguments& arguments, const Leaves& leaves, std::int64_t origin,
                                   const Index (&begin)[SegmentsPerLane], const int (&count)[SegmentsPerLane], Out out,
                                   auto meanwhile) {
  int own[SegmentsPerLane];
  WARPFOLD_UNROLL
  for (int k = 0; k < SegmentsPerLane; ++k) own[k] = count[k] <= Tiny ? count[k] : -1;
  typename Leaves::accumulator results[SegmentsPerLane];
  tiny_segments<Tiny, SegmentsPerLane, Leaves, decltype(Arguments::op)> items;
  items.load(leaves, begin, own);
  meanwhile();
  items.fold(leaves, own, arguments.op, results);
  write_tile(arguments, results, own, origin, begin, out);
}

/// Writes the results of the empty ones among the kept segments of the tile that begins with segment `first`. In a
/// loop, since lowering a result may take a hundred instructions.
template <class Arguments, class Tile>
__device__ void write_empty(const Arguments& arguments, Tile tile, std::int64_t first) {
  const auto none = arguments.empty.alone();
  WARPFOLD_NO_UNROLL
  for (std::int64_t own = first + arch::lane_id(); own < first + Tile::segments_per_lane * warp_lanes;
       own += warp_lanes) {
    if (tile.count(0) == 0) thread::put(place_of(arguments.out, own, tile.base + tile.begin[0], 0), none);
    tile.template drop_first<1>();
  }
}

/// fold_tiny_segments of the kept segments of a tile whose items are read in place, not from shared memory. With `Tiny`
/// 0, of the empty ones.
template <int Tiny, class Arguments, class Tile, class Meanwhile>
__device__ void fold_tiny_in_place(const Arguments& arguments, const Tile& tile, std::int64_t first,
                                   Meanwhile meanwhile) {
  if constexpr (Tiny == 0) {
    meanwhile();
    write_empty(arguments, tile, first);
  } else {
    int count[Tile::segments_per_lane];
    tile.counts(count);
    fold_tiny_segments<Tiny>(arguments, arguments.leaves.template from<Arguments::leaves_type::chunk_items>(tile.base),
                             tile.base, tile.begin, count, arguments.out + first + arch::lane_id(), meanwhile);
  }
}

}  // namespace warpfold::segmented
