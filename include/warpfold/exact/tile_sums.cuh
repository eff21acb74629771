// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of a tile of segments, one segment per lane, by superaccumulators in shared memory, whatever the items.
#pragma once
#include <warpfold/exact/add_items.cuh>
#include <warpfold/exact/load_team_items.cuh>
#include <warpfold/exact/policy.hpp>

namespace warpfold::exact {

using segment::segment_span;

/// The sums of one warp, in shared memory.
template <class V, int Segments = segment_policy<V>::tile_segments> struct segment_sums {
  lazy_superaccumulator<V> sum[Segments];
  unsigned kinds[Segments];
  int order[warp_lanes];  ///< for deal_segments
};

/// Calls sum(team, segment, place) for each lane's segment that has items, `place` being the lane, until it returns
/// false; returns what it returned last. A team has enough lanes to load the segment at once, `LaneItems` items per
/// lane, up to the whole warp. Teams work side by side. All lanes of the warp call it, with `order` in shared memory.
template <int LaneItems, class Source, class Sum>
__device__ bool deal_segments(const Source& source, const segment_span& items, int (&order)[warp_lanes], Sum sum) {
  const int lane = arch::lane_id();
  const std::int64_t loaded = items.end - chunk_begin(source, items.begin);
  int own_lanes = 1;
  while (own_lanes < warp_lanes && own_lanes * LaneItems < loaded) own_lanes *= 2;
  if (items.begin == items.end) own_lanes = 0;
  WARPFOLD_NO_UNROLL
  for (int lanes = 1; lanes <= warp_lanes; lanes *= 2) {
    const unsigned members = __ballot_sync(full_warp, own_lanes == lanes);
    if (members == 0) continue;
    if (own_lanes == lanes) order[__popc(members & ((1u << lane) - 1))] = lane;
    __syncwarp();
    const int count = __popc(members);
    WARPFOLD_NO_UNROLL
    for (int first = 0; first < count; first += warp_lanes / lanes) {
      const int number = first + lane / lanes, place = order[number < count ? number : 0];
      segment_span segment = warp::shuffle(items, place);
      if (number >= count) segment.end = segment.begin;
      if (!sum(lane_team{lanes, number < count}, segment, place)) return false;
    }
    __syncwarp();
  }
  return true;
}

/// Sets the first `count` sums to that of no items. All lanes of the warp call it.
template <class V, int Segments> __device__ void clear_sums(segment_sums<V, Segments>& sums, int count = Segments) {
  if (arch::lane_id() < count) {
    for (unsigned long long& word : sums.sum[arch::lane_id()].word) word = 0;
    sums.kinds[arch::lane_id()] = 0;
  }
  __syncwarp();
}

/// Adds the segment of each lane to the superaccumulator of the lane's number; only the first `Segments` lanes may have
/// one. All lanes of the warp call it.
template <class Leaves, class V = typename Leaves::accumulator, int Segments>
__device__ void add_tile(const Leaves& leaves, const segment_span& items, segment_sums<V, Segments>& sums) {
  using policy = segment_policy<V>;
  using extraction = exact::extraction<V, policy::lane_items>;
  using number = typename superaccumulator<V>::number;
  deal_segments<policy::lane_items>(
      leaves.source, items, sums.order, [&](lane_team team, const segment_span& segment, int place) {
        std::int64_t step = chunk_begin(leaves.source, segment.begin);
        unsigned kinds = 0;
        WARPFOLD_NO_UNROLL
        for (; __any_sync(full_warp, step < segment.end); step += team.lanes * policy::lane_items) {
          number values[policy::lane_items];
          load_team_items(leaves, step, segment, team, values);
          const largest_item<number> largest = find_largest_number(values, team, kinds);
          if (!add_if_whole<extraction, extraction::first_levels>(values, largest, sums.sum[place], team))
            add_by_passes<extraction>(values, sums.sum[place], team);
        }
        if (team.has_items && (team.own_lane() == 0 || (kinds & ~has_other_than_minus_zero) != 0))
          atomicOr(&sums.kinds[place], kinds);
        __syncwarp();
        return true;
      });
}
/// The same where no items have been added before. Not inlined: most tiles need no superaccumulators (tile_level.cuh).
template <class Leaves, class V = typename Leaves::accumulator, int Segments>
__device__ __attribute__((noinline)) void sum_tile(const Leaves& leaves, segment_span items,
                                                   segment_sums<V, Segments>& sums) {
  clear_sums(sums);
  add_tile(leaves, items, sums);
}

}  // namespace warpfold::exact
