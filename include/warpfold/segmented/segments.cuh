// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp of segmented reduction reads segments. Each form of segments/spans.cuh becomes a description, which adds
//
//   needs_cursor     whether a warp must know at which item a segment begins (the cursor) to find where it ends
//   find_first(position, partition, items)  the first segment that begins at `position` or later
//   previous(start)  the span of the segment before that one; some of its units may begin at `position` or later
//   span_at(segment, cursor)  the span of the segment, empty if it does not exist
//   next_span(segment, end, few)  the same, if the segment before it ends at item `end`. For a segment of at most `few`
//                    items the returned end may be too small
//   read_tile(segment, cursor, limits, begin, end, scratch)  the spans of a tile from `segment` on: segment 32 k + lane
//                    has [begin[k], end[k]), counted from item tile_base(segment, cursor). Returns whether all spans
//                    are known. If not, the first one past the limits may be cut short, and those behind it look
//                    empty. `scratch` lies in shared memory. Descriptions of one length have no tiles
//   prefetch_tile(segment)  optional: brings what read_tile reads into the L2 cache
//
// All lanes of a warp call each member. owned_segments.cuh describes segments by the owners of items.
#pragma once
#include <warpfold/segmented/load_balance_partition.cuh>
#include <warpfold/segments/counted.cuh>
#include <warpfold/warp/prefetch.cuh>

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
  static constexpr bool needs_cursor = false;
  using index = typename Spans::index;
  using tile_index = index;
  struct scratch {};

  __device__ segment_start find_first(std::int64_t position, const load_balance_partition& partition,
                                      std::int64_t items) const {
    return {partition.first_segment(*this, position, items), 0, {0, 0}};
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
  /// Brings the spans of the tile from `segment` on into the L2 cache, where they are behind pointers.
  __device__ void prefetch_tile(std::int64_t segment) const {
    constexpr int most = tile_segments_per_lane * warp_lanes;
    const auto existing = static_cast<int>(least_of(greatest_of(this->count - segment, std::int64_t{0}), most));
    const auto prefetch = [&](const auto& values) {
      if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(values)>>)
        warp::prefetch<most>(values + segment, existing);
    };
    if constexpr (requires { this->offsets; }) prefetch(this->offsets);
    else prefetch(this->begins), prefetch(this->ends);
  }
};

/// Segments of one length, each of which begins `pitch` items, at least its length, after the one before.
struct fixed_length_segments : segment::fixed_length_spans {
  static constexpr bool needs_cursor = false, has_gaps = true;
  struct scratch {};
  std::int64_t pitch;

  __host__ __device__ std::int64_t begin(std::int64_t segment) const { return segment * pitch; }
  __device__ segment_span span(std::int64_t segment) const { return {begin(segment), begin(segment) + length}; }

  __device__ segment_start find_first(std::int64_t position, const load_balance_partition& partition,
                                      std::int64_t) const {
    const std::int64_t apart = partition.position(1, pitch), first = least_of((position + apart - 1) / apart, count);
    return {first, 0, {0, 0}};
  }
  __device__ segment_span previous(const segment_start& start) const {
    return start.segment > 0 ? span(start.segment - 1) : segment_span{0, 0};
  }
  __device__ segment_span span_at(std::int64_t segment, std::int64_t) const {
    return segment < count ? span(segment) : segment_span{0, 0};
  }
  __device__ segment_span next_span(std::int64_t segment, std::int64_t, int) const { return span_at(segment, 0); }
};

/// The description of a form of segments. Owners also need the number of segments.
template <class Spans> auto described(const Spans& spans, std::int64_t) { return listed_segments<Spans>{spans}; }
inline auto described(const segment::fixed_length_spans& spans, std::int64_t) {
  return fixed_length_segments{spans, spans.length};
}
template <class Spans, class N> auto described(const segment::counted<Spans, N>& spans, std::int64_t count) {
  const auto all = described(static_cast<const Spans&>(spans), count);
  return segment::counted<std::remove_const_t<decltype(all)>, N>{all, spans.number};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
