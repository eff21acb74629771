// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where segments begin and end. A description of segments has
//
//   count                        of segments
//   are_equal                    whether all have the same number of items
//   start(position, ranges, items)  the first segment that begins at `position` or later; by one warp
//   before(start)                the items of the segment before it, of which units may still begin there; by one warp
//   one(segment, cursor)         the items of that segment, none if it does not exist; by one warp
//   following(segment, end, few)  the same, where the one before it is known to end with item `end`; of one that has `few` items
//                                at most, the end may be any up to that
//   next(segment, cursor, limits, begin, end, scratch)  the items of the segments that follow: of number 32 k + lane, if that
//                                exists, those of [begin[k], end[k]) from item base(segment, cursor) on; `cursor` is where
//                                `segment` begins, if needs_cursor. Returns whether all are known that exist: else one that
//                                ends past the limits may have more items than told, and those after it have none. By one
//                                warp, which has a `scratch` in shared memory.
//                                Where are_equal, there is none: those that are short have a kernel of their own
//   entries()                    that a caller could have got wrong, and
//   in_order(entry, items)       whether that one is right beside the next, for debug builds; by one thread
// and promises that segments are in order, do not overlap, and lie within the items, if all entries are right. Segments told by
// the owners of items: owned_segments.cuh.
#pragma once
#include <warpfold/segmented/load_balance_partition.cuh>
#include <warpfold/warp/search.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Where a warp starts.
struct segment_start {
  std::int64_t segment;  ///< the first one that begins in the warp's range
  std::int64_t cursor;   ///< the item at which it begins, where that is known
  segment_span previous;   ///< items of the one before it, where that takes a search
};

/// Which segments a step can want: those that begin before item `begin`, up to one that has more than `items` items, and until they
/// have more than `together`.
struct tile_limits {
  std::int64_t begin;
  int items;
  int together = 0x7FFFFFFF;
};

/// The type in which item numbers are cheapest that a `T` holds.
template <class T>
using index_of = std::conditional_t<sizeof(T) < 4 || (sizeof(T) == 4 && std::is_signed_v<T>), int, std::int64_t>;

/// Anything that tells the span of each segment by itself.
template <class Spans> struct listed_segments : Spans {
  static constexpr bool is_fixed_length = false;
  static constexpr bool needs_cursor = false;
  using index = typename Spans::index;
  using tile_index = index;
  struct scratch {};

  __device__ segment_start find_first(std::int64_t position, const load_balance_partition& partition, std::int64_t items) const {
    const std::int64_t first = warp::interpolation_search(
        this->count, partition.position(this->count, items), position,
        [&](std::int64_t segment) { return partition.position(segment, this->span(segment).begin); });
    return {first, 0, {0, 0}};
  }
  __device__ span_of<index> previous(const segment_start& start) const {
    return start.segment > 0 ? this->span(start.segment - 1) : span_of<index>{0, 0};
  }
  __device__ span_of<index> span_at(std::int64_t segment, std::int64_t) const {
    return segment < this->count ? this->span(segment) : span_of<index>{0, 0};
  }
  __device__ span_of<index> next_span(std::int64_t segment, index end, int) const {
    return segment < this->count ? this->span_after(segment, end) : span_of<index>{0, 0};
  }
  __device__ static constexpr std::int64_t tile_base(std::int64_t, std::int64_t) { return 0; }
  template <int SegmentsPerLane>
  __device__ bool read_tile(std::int64_t segment, std::int64_t, const tile_limits&, index (&begin)[SegmentsPerLane],
                       index (&end)[SegmentsPerLane], scratch&) const {
    const std::int64_t first = segment + arch::lane_id();
    const auto read = [&](auto exists) {
      WARPFOLD_UNROLL
      for (int k = 0; k < SegmentsPerLane; ++k) {
        const std::int64_t own = first + k * warp_lanes;
        const span_of<index> items = exists(own) ? this->span(own) : span_of<index>{0, 0};
        begin[k] = items.begin, end[k] = items.end;
      }
    };
    if (segment + SegmentsPerLane * warp_lanes <= this->count) read([](std::int64_t) { return true; });
    else read([&](std::int64_t own) { return own < this->count; });
    return true;
  }
  __device__ std::int64_t entries() const { return this->count; }
  __device__ bool in_order(std::int64_t segment, std::int64_t items) const {
    const span_of<index> own = this->span(segment);
    const std::int64_t next = segment + 1 < this->count ? this->span(segment + 1).begin : items;
    return 0 <= own.begin && own.begin <= own.end && own.end <= next;
  }
};

/// Segment s has the items [begins[s], ends[s]).
template <class Begins, class Ends> struct bounds_spans {
  using index = std::common_type_t<index_of<std::iter_value_t<Begins>>, index_of<std::iter_value_t<Ends>>>;
  Begins begins;
  Ends ends;
  std::int64_t count;

  __device__ span_of<index> span(std::int64_t segment) const {
    return {static_cast<index>(begins[static_cast<std::iter_difference_t<Begins>>(segment)]),
            static_cast<index>(ends[static_cast<std::iter_difference_t<Ends>>(segment)])};
  }
  __device__ span_of<index> span_after(std::int64_t segment, index) const { return span(segment); }
};

/// Segment s has the items [offsets[s], offsets[s + 1]).
template <class Offsets> struct offset_spans {
  using index = index_of<std::iter_value_t<Offsets>>;
  Offsets offsets;
  std::int64_t count;

  __device__ span_of<index> span(std::int64_t segment) const {
    const auto s = static_cast<std::iter_difference_t<Offsets>>(segment);
    return {static_cast<index>(offsets[s]), static_cast<index>(offsets[s + 1])};
  }
  __device__ span_of<index> span_after(std::int64_t segment, index end) const {
    return {end, static_cast<index>(offsets[static_cast<std::iter_difference_t<Offsets>>(segment + 1)])};
  }
};

/// Segment s has the items [s * length, (s + 1) * length).
struct fixed_length_segments {
  static constexpr bool is_fixed_length = true;
  static constexpr bool needs_cursor = false;
  using index = std::int64_t;
  struct scratch {};
  std::int64_t length;
  std::int64_t count;

  __device__ segment_span span(std::int64_t segment) const { return {segment * length, (segment + 1) * length}; }
  __device__ segment_start find_first(std::int64_t position, const load_balance_partition& partition, std::int64_t) const {
    const std::int64_t apart = partition.position(1, length), first = least_of((position + apart - 1) / apart, count);
    return {first, 0, {0, 0}};
  }
  __device__ segment_span previous(const segment_start& start) const {
    return start.segment > 0 ? span(start.segment - 1) : segment_span{0, 0};
  }
  __device__ segment_span span_at(std::int64_t segment, std::int64_t) const {
    return segment < count ? span(segment) : segment_span{0, 0};
  }
  __device__ segment_span next_span(std::int64_t segment, std::int64_t, int) const { return span_at(segment, 0); }
  __device__ std::int64_t entries() const { return 0; }
  __device__ bool in_order(std::int64_t, std::int64_t) const { return true; }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
