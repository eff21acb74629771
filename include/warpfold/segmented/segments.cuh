// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of segments: where each begins and ends. A description has
//
//   count            the number of segments
//   is_fixed_length  whether all have the same number of items
//   needs_cursor     whether a warp must know at which item a segment begins (the cursor) to find where it ends
//   find_first(position, partition, items)  the first segment that begins at `position` or later
//   previous(start)  the span of the segment before that one; some of its units may begin at `position` or later
//   span_at(segment, cursor)  the span of the segment, empty if it does not exist
//   next_span(segment, end, few)  the same, if the segment before it ends at item `end`. For a segment of at most `few`
//                    items the returned end may be too small
//   read_tile(segment, cursor, limits, begin, end, scratch)  the spans of a tile from `segment` on: segment 32 k + lane
//                    has [begin[k], end[k]), counted from item tile_base(segment, cursor). Returns whether all spans
//                    are known. If not, the first one that ends past the limits may have more items, and later ones
//                    have none. `scratch` lies in shared memory. Descriptions of one length have no tiles
//   entries()        the number of entries that the caller may have got wrong
//   require_in_order(entry, items)  stops the kernel, in builds with WARPFOLD_CHECKS, unless the entry and the next one
//                                   fit
//
// All lanes of a warp call each member, but for require_in_order, which any thread calls. If all entries are right,
// segments are in order, do not overlap, and lie within the items. owned_segments.cuh describes segments by the owners
// of items.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/segmented/load_balance_partition.cuh>
#include <warpfold/warp/search.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Where a warp starts.
struct segment_start {
  std::int64_t segment;   ///< the first one that begins in the warp's range
  std::int64_t cursor;    ///< the item at which it begins, if needs_cursor
  segment_span previous;  ///< the span of the segment before it, if needs_cursor
};

/// A tile ends before a segment that begins at item `begin` or later, before one that has more than `items` items, and
/// before the one with which its segments have more than `together` items.
struct tile_limits {
  std::int64_t begin;
  int items;
  int together = 0x7FFFFFFF;
};

/// Segments whose spans are read one by one: `Spans` is bounds_spans or offset_spans.
template <class Spans> struct listed_segments : Spans {
  static constexpr bool is_fixed_length = false;
  static constexpr bool needs_cursor = false;
  using index = typename Spans::index;
  using tile_index = index;
  struct scratch {};

  __device__ segment_start find_first(std::int64_t position, const load_balance_partition& partition,
                                      std::int64_t items) const {
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
  __device__ void require_in_order(std::int64_t segment, std::int64_t items) const {
    const span_of<index> own = this->span(segment);
    const std::int64_t next = segment + 1 < this->count ? this->span(segment + 1).begin : items;
    arch::require(
        own.within(items) && own.end <= next,
        "segmented_reduce: segment %lld has the items [%lld, %lld) of %lld, the next one begins at %lld; segments "
        "must be in order, must not overlap, and must lie within the input",
        segment, own.begin, own.end, items, next);
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
  __device__ segment_start find_first(std::int64_t position, const load_balance_partition& partition,
                                      std::int64_t) const {
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
  __device__ void require_in_order(std::int64_t, std::int64_t) const {}
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
