// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of a tile of segments, one segment a lane, by superaccumulators in shared memory: of any items.
#pragma once
#include <warpfold/exact/batch_sum.cuh>
#include <warpfold/exact/load_group_items.cuh>

namespace warpfold::exact {

using grid::segment_span;

template <class V> struct segment_policy {
  static constexpr bool is_double = std::is_same_v<V, double>;
  static constexpr int lane_items = is_double ? 8 : 16;     ///< that a lane sums at once
  static constexpr int tile_segments = is_double ? 8 : 32;  ///< a tile's superaccumulators fill 3 or 4 KiB
  static constexpr int max_short_items = 16 * lane_items;   ///< longer segments are summed by the whole warp
  static constexpr int blocks_per_multiprocessor = is_double ? 2 : 3;
};

/// Of one warp, in shared memory.
template <class V> struct segment_sums {
  lazy_superaccumulator<V> sum[segment_policy<V>::tile_segments];
  unsigned kinds[segment_policy<V>::tile_segments];
};

/// Calls sum(group, segment, place) for each lane's segment, `place` being the lane: for long ones with the whole warp,
/// one after another, then for the others with groups of lanes, side by side. A group's segment may be empty. All lanes
/// of the warp call it.
template <class V, class Sum> __device__ void deal_segments(const segment_span& items, Sum sum) {
  using policy = segment_policy<V>;
  const std::int64_t count = items.end - items.begin;
  const bool is_short = count <= policy::max_short_items;
  unsigned longer = __ballot_sync(full_warp, !is_short);
  const int total = warp::all_reduce(is_short ? static_cast<int>(count) : 0, plus{}),
            filled = __popc(__ballot_sync(full_warp, is_short && count > 0));
  lane_group group{warp_lanes / policy::tile_segments};
  while (group.lanes * policy::lane_items * filled < total) group.lanes *= 2;
  int first = total > 0 ? 0 : policy::tile_segments;
  WARPFOLD_NO_UNROLL
  while (longer != 0 || first < policy::tile_segments) {
    const bool is_long = longer != 0;
    const int place = is_long ? __ffs(static_cast<int>(longer)) - 1 : first + arch::lane_id() / group.lanes;
    segment_span segment = warp::shuffle(items, place);
    if (!is_long && segment.end - segment.begin > policy::max_short_items) segment.end = segment.begin;
    sum(is_long ? whole_warp() : group, segment, place);
    if (is_long) longer &= longer - 1;
    else first += warp_lanes / group.lanes;
  }
}

/// Sums the segment of each lane in the superaccumulator of the lane's number. All lanes of the warp call it. Not
/// inlined: most tiles need no superaccumulators (tile_window.cuh).
template <class Leaves, class V = typename Leaves::accumulator>
__device__ __attribute__((noinline)) void sum_tile(const Leaves& leaves, segment_span items, segment_sums<V>& sums) {
  using policy = segment_policy<V>;
  using extraction = exact::extraction<V, policy::lane_items>;
  using number = typename superaccumulator<V>::number;
  if (arch::lane_id() < policy::tile_segments) {
    for (unsigned long long& word : sums.sum[arch::lane_id()].word) word = 0;
    sums.kinds[arch::lane_id()] = 0;
  }
  __syncwarp();
  deal_segments<V>(items, [&](lane_group group, const segment_span& segment, int place) {
    std::int64_t step = chunk_begin(leaves.source, segment.begin);
    unsigned kinds = 0;
    WARPFOLD_NO_UNROLL
    for (; __any_sync(full_warp, step < segment.end); step += group.lanes * policy::lane_items) {
      number values[policy::lane_items];
      load_group_items(leaves, step, segment, group, values);
      const largest_item<number> largest = find_largest_number(values, group, kinds);
      if (!add_if_whole<extraction, extraction::first_levels>(values, largest, sums.sum[place], group))
        add_by_passes<extraction>(values, sums.sum[place], group);
    }
    if (group.own_lane() == 0 || (kinds & ~has_other_than_minus_zero) != 0) atomicOr(&sums.kinds[place], kinds);
    __syncwarp();
  });
}

}  // namespace warpfold::exact
