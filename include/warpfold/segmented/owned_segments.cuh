// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments described by the owners of items (segments.cuh says what a description has). A segment ends where the next
// item has another owner. A warp reads owners as it proceeds, four a lane by one load.
#pragma once
#include <type_traits>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/operators.hpp>
#include <warpfold/segmented/segments.cuh>
#include <warpfold/thread/source.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Ids> struct owned_segments : segment::owner_ids<Ids> {
  static_assert(std::is_pointer_v<Ids>);
  static constexpr bool needs_cursor = true;
  using index = std::int64_t;
  using tile_index = int;
  static constexpr int tile_segments = tile_segments_per_lane * warp_lanes;
  static constexpr int lane_ids = 4;  ///< neighbouring ids that a lane reads at once
  /// Where a tile's segments end, counted from the cursor. The last lane_ids entries are written for items that do not
  /// concern the tile, and are never read.
  struct alignas(16) scratch {
    int ends[tile_segments + lane_ids];
  };

  using segment::owner_ids<Ids>::ids, segment::owner_ids<Ids>::items;
  std::int64_t count;

  __device__ std::int64_t owner(std::int64_t item) const {
    const auto id = static_cast<std::int64_t>(ids[item]);
    arch::require(0 <= id && id < count,
                  "%s: item %lld has the owner %lld of %lld; segments must be in order, and owners must be segments",
                  "segmented_reduce", item, id, count);
    return id;
  }

  __device__ segment_start find_first(std::int64_t position, const load_balance_partition& partition,
                                      std::int64_t) const {
    const std::int64_t item =
        warp::interpolation_search(items, partition.position(count, items), position,
                                   [&](std::int64_t i) { return partition.position(owner(i), i); });
    const std::int64_t left = item > 0 ? owner(item - 1) : -1, right = item < items ? owner(item) : count;
    if (left == right) {  // the position lies within a segment
      const std::int64_t end = end_of(left, item);
      return {left + 1, end, {warp::partition_point(0, item, [&](std::int64_t i) { return owner(i) < left; }), end}};
    }
    const std::int64_t reached =
        position <= item ? 0 : (position - item + partition.segment_cost - 1) / partition.segment_cost;
    return {least_of(greatest_of(left + 1, reached), count), item, {0, 0}};
  }
  __device__ static segment_span previous(const segment_start& start) { return start.previous; }
  __device__ span_of<index> span_at(std::int64_t segment, std::int64_t cursor) const {
    return {cursor, end_of(segment, cursor)};
  }
  /// One trip to memory shows whether the segment is short. If it is long, most of its owners are never read.
  __device__ span_of<index> next_span(std::int64_t segment, std::int64_t end, int few) const {
    const bool is_long = is_before_end(segment, end + few), is_longer = is_before_end(segment, end + near_items - 1);
    if (!is_long) return {end, end};
    return {end, is_longer ? far_end(segment, end + near_items) : end_within(segment, end, end + near_items)};
  }
  __device__ static std::int64_t tile_base(std::int64_t, std::int64_t cursor) { return cursor; }
  template <int SegmentsPerLane>
  __device__ bool read_tile(std::int64_t segment, std::int64_t cursor, const tile_limits& limits,
                            int (&begin)[SegmentsPerLane], int (&end)[SegmentsPerLane], scratch& found) const {
    static_assert(SegmentsPerLane * warp_lanes == tile_segments &&
                  SegmentsPerLane == 4);  // a lane holds four neighbouring ends: 16 bytes
    const int lane = arch::lane_id();
    int own[SegmentsPerLane] = {};  // 0: the segment is empty, and ends where the previous one ends
    arch::store_shared<sizeof(own)>(&found.ends[SegmentsPerLane * lane], own);
    __syncwarp();
    const bool all_known = find_ends(segment, cursor, limits, found);
    __syncwarp();
    arch::load_shared<sizeof(own)>(&found.ends[SegmentsPerLane * lane], own);
    WARPFOLD_UNROLL
    for (int k = 1; k < SegmentsPerLane; ++k) own[k] = greatest_of(own[k - 1], own[k]);
    const unsigned lanes_before = __ballot_sync(full_warp, own[SegmentsPerLane - 1] > 0) & ((1u << lane) - 1);
    const int nearest =
        __shfl_sync(full_warp, own[SegmentsPerLane - 1], warp_lanes - 1 - __clz(static_cast<int>(lanes_before)));
    const int before = lanes_before == 0 ? 0 : nearest;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) own[k] = greatest_of(before, own[k]);
    arch::store_shared<sizeof(own)>(&found.ends[SegmentsPerLane * lane], own);
    __syncwarp();
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) {
      const int number = k * warp_lanes + lane;
      begin[k] = number == 0 ? 0 : found.ends[number - 1], end[k] = found.ends[number];
    }
    __syncwarp();  // the ends have been read
    return all_known;
  }
  __device__ void require_in_order(const char* function, std::int64_t item, std::int64_t) const {
    owner(item);
    segment::owner_ids<Ids>::require_in_order(function, item, items);
  }

 private:
  using id_type = std::iter_value_t<Ids>;
  using id_source = thread::pointer_source<id_type, lane_ids>;
  static constexpr int row_items = lane_ids * warp_lanes;
  static constexpr std::int64_t near_items = warp_lanes * warp_lanes;
  static constexpr std::int64_t far = std::int64_t{1} << 30;  ///< more items than any tile has

  /// Whether the item exists, and belongs to `segment` or an earlier one.
  __device__ bool is_before_end(std::int64_t segment, std::int64_t item) const {
    return item < items && owner(item) <= segment;
  }
  /// The end of `segment`, which is at `from` or later, and probably near. All lanes of a warp call this and what
  /// follows.
  __device__ std::int64_t end_of(std::int64_t segment, std::int64_t from) const {
    const std::int64_t probe = from + warp_lanes * (arch::lane_id() + 1) - 1;
    const int passed = __popc(__ballot_sync(full_warp, is_before_end(segment, probe)));
    const std::int64_t reached = from + warp_lanes * passed;
    return passed < warp_lanes ? end_within(segment, reached, reached + warp_lanes) : far_end(segment, reached);
  }
  /// The same if the end is probably far: strides that grow, then a search.
  __device__ std::int64_t far_end(std::int64_t segment, std::int64_t from) const {
    std::int64_t stride = warp_lanes * near_items;
    for (; is_before_end(segment, from + stride - 1); stride *= warp_lanes) from += stride;
    return end_within(segment, from, from + stride);
  }
  /// The same if the end is at `to` or before.
  __device__ std::int64_t end_within(std::int64_t segment, std::int64_t from, std::int64_t to) const {
    return warp::partition_point(from, least_of(to, items), [&](std::int64_t i) { return owner(i) <= segment; });
  }

  /// The state of a warp that reads the owners of a tile's items. It begins at a vector's boundary, up to three items
  /// before the cursor.
  struct walk {
    std::int64_t segment;  ///< the first one of the tile
    id_source ids;         ///< from the boundary on. The items below are counted from the cursor on
    int boundary;          ///< the first item of `ids`: not positive
    int first, existing;   ///< the items that exist and that `ids` has are [first, existing)
    int seen;              ///< items before this one have been read
    int last =
        tile_segments;  ///< the number of the last item's segment; tile_segments for all segments outside the tile
    int begin = 0;      ///< where that segment begins
  };
  __device__ walk walk_from(std::int64_t segment, std::int64_t cursor) const {
    const id_source all{ids, items};
    const int boundary = -(all.misaligned_bytes(cursor) / int{sizeof(id_type)});
    const int existing = static_cast<int>(least_of(items - cursor, far));
    return {segment, all.from(cursor + boundary), boundary, cursor + boundary >= 0 ? boundary : 0, existing, boundary};
  }

  /// Stores where the tile's segments that have items end, counted from the cursor. Stops once the limits are exceeded;
  /// the segment that is then unfinished gets the items that have been read. Returns whether the end of the tile has
  /// been seen.
  __device__ bool find_ends(std::int64_t segment, std::int64_t cursor, const tile_limits& limits,
                            scratch& found) const {
    walk at = walk_from(segment, cursor);
    const int range_items = static_cast<int>(least_of(greatest_of(limits.begin - cursor, std::int64_t{0}), far));
    const int max_seen = least_of(range_items + limits.items - 1, limits.together);
    int longest = 0;  // items of a segment that may exceed the limit
    const auto goes_on = [&] {
      return at.last < tile_segments && at.seen <= max_seen && greatest_of(longest, at.seen - at.begin) <= limits.items;
    };
    look_on<1>(at, found);  // enough for tiny segments
    while (goes_on()) {
      const int open = at.last, begin = at.begin;
      look_on<2>(at, found);
      if (at.seen - begin > limits.items) {  // else the segment that has just ended is short
        __syncwarp();
        longest = warp::shuffle(found.ends[open], 0) - begin;  // < 0 if it has not ended yet
        __syncwarp();
      }
    }
    if (arch::lane_id() == 0 && at.last < tile_segments) found.ends[at.last] = at.seen;
    return at.last == tile_segments;
  }

  /// Reads the owners of the next `Rows` * 128 items, and stores which segments end before one of them.
  template <int Rows> __device__ void look_on(walk& at, scratch& found) const {
    const int first = at.seen + lane_ids * arch::lane_id();  // the lane's first item
    int own[Rows][lane_ids];
    if (at.first <= at.seen && at.seen + Rows * row_items <= at.existing) {
      typename id_source::chunk rows[Rows];
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) at.ids.load(rows[row], first - at.boundary + row * row_items);
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
      for (int k = 0; k < lane_ids; ++k) own[row][k] = number(at.segment, rows[row].item(k));
    } else {
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
      for (int k = 0; k < lane_ids; ++k) {
        const int item = first + row * row_items + k;
        own[row][k] =
            at.first <= item && item < at.existing ? number(at.segment, at.ids.at(item - at.boundary)) : tile_segments;
      }
    }
    int latest = 0, before = at.last;  // where a segment begins; in lane 0, the segment of the previous row's last item
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const int rotated = __shfl_sync(full_warp, own[row][lane_ids - 1], arch::lane_id() - 1);
      int left = arch::lane_id() == 0 ? before : rotated;
      WARPFOLD_UNROLL
      for (int k = 0; k < lane_ids; ++k) {
        if (own[row][k] != left) found.ends[left] = latest = first + row * row_items + k;
        left = own[row][k];
      }
      before = rotated;
    }
    at.begin = greatest_of(at.begin, warp::all_reduce(latest, maximum{}));
    at.last = __shfl_sync(full_warp, own[Rows - 1][lane_ids - 1], warp_lanes - 1);
    at.seen += Rows * row_items;
  }

  /// The number of an owner within the tile that begins with `segment`; tile_segments for owners outside the tile.
  __device__ static int number(std::int64_t segment, const id_type& id) {
    using apart_type = std::conditional_t<sizeof(id_type) <= 4, unsigned, std::uint64_t>;
    const apart_type apart = static_cast<apart_type>(static_cast<std::int64_t>(id)) - static_cast<apart_type>(segment);
    return static_cast<int>(apart < apart_type{tile_segments} ? apart : apart_type{tile_segments});
  }
};

template <class Ids> auto described(const segment::owner_ids<Ids>& owners, std::int64_t count) {
  return owned_segments<Ids>{owners, count};
}
template <class Ids, class N>
auto described(const segment::counted_items<segment::owner_ids<Ids>, N>& owners, std::int64_t count) {
  return segment::counted_items<owned_segments<Ids>, N>{{owners, count}, owners.number};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
