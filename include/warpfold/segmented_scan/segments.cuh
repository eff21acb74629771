// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp of a segmented scan reads segments. A segment is cut at multiples of 2^log_unit items, counted from its
// own first item, into pieces: units and a tail. Tiles handle the pieces that begin in them. Each form of
// segments/spans.cuh becomes a description, which adds
//
//   cut_at(position, log_unit, items)  the pieces around `position`: see piece_cut
//   mark_begins(before, base, end, log_unit, items, marks)  marks, relative to `base`, the segments that begin from
//              cut `before` on and before item `end`: at least one does. Returns the cut at `end`
//   goes_on_until(cut, end, items)  whether the segment of a cut has all items up to `end`
//
// All lanes of a warp call each member.
#pragma once
#include <limits>
#include <warpfold/arch/vector_load.cuh>
#include <warpfold/segmented_scan/policy.hpp>
#include <warpfold/segmented_scan/run_marks.cuh>
#include <warpfold/segments/counted.cuh>
#include <warpfold/warp/search.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The pieces around a position: those of the last segment that begins before it, and the next ones.
struct piece_cut {
  std::int64_t segment_begin;
  std::int64_t unit;   ///< where its first unit from the position on would begin
  std::int64_t end;    ///< the end of its items, or of its last unit that begins before the position
  std::int64_t next;   ///< the first item, from the position on, at which a piece can begin
  bool continues;      ///< whether the segment has items at `unit`: then this is where the next piece begins
  std::int64_t count;  ///< the number of segments that begin before the position, if they are listed

  /// Units of the segment that lie before item `begin`, one of its units.
  __device__ int units_before(std::int64_t begin, int log_unit) const {
    return static_cast<int>((begin - segment_begin) >> log_unit);
  }
};

/// The first multiple of a unit from `position` on, counted from `begin`, which lies before it.
__device__ inline std::int64_t unit_from(std::int64_t begin, std::int64_t position, int log_unit) {
  return begin + ((((position - begin - 1) >> log_unit) + 1) << log_unit);
}

/// Segments whose spans are listed, or known: `Spans` is bounds_spans, offset_spans or fixed_length_spans.
template <class Spans, int MostWalked = most_walked_segments> struct listed_segments : Spans {
  static constexpr std::int64_t last_index = std::numeric_limits<typename Spans::index>::max();
  using Spans::count, Spans::has_gaps, Spans::span;

  __device__ piece_cut cut_at(std::int64_t position, int log_unit, std::int64_t items) const {
    std::int64_t begun = 0;
    if constexpr (Spans::is_fixed_length) begun = this->begun_before(position);
    else if (position > 0)
      begun = warp::scattered_search(count, items, position, [&](std::int64_t segment) { return span(segment).begin; });
    return cut_after(begun, position, log_unit, items);
  }

  template <class Marks>
  __device__ piece_cut mark_begins(const piece_cut& before, std::int64_t base, std::int64_t end, int log_unit,
                                   std::int64_t items, Marks& marks) const {
    if (arch::lane_id() == 0) {
      if (!has_gaps || before.continues) marks.mark_begin(static_cast<int>(before.next - base));
      else marks.mark_end(before.next - base);  // unless a segment with items begins here
      if (before.continues) marks.mark_end(span_within(before.count - 1, items).end - base);
    }
    constexpr int most = 8 * warp_lanes;
    std::int64_t segment = before.count;
    int marked = mark_segments<1>(segment, base, before.next, end, items, marks);
    segment += marked;
    if (marked == warp_lanes) prefetch_spans(segment);
    for (bool goes_on = marked == warp_lanes; goes_on; goes_on = marked == most) {
      if (segment - before.count >= MostWalked) {
        segment = mark_by_item(segment, base, end, items, marks);
        break;
      }
      marked = mark_segments<most / warp_lanes>(segment, base, before.next, end, items, marks);
      segment += marked;
    }
    __syncwarp();
    return cut_after(segment, end, log_unit, items);
  }

  __device__ bool goes_on_until(const piece_cut& cut, std::int64_t end, std::int64_t items) const {
    return end <= span_within(cut.count - 1, items).end;
  }

 private:
  __device__ segment::segment_span span_within(std::int64_t segment, std::int64_t items) const {
    const auto own = span(segment);
    segment::require_within("segmented_scan", segment, own, items);
    return {own.begin, own.end};
  }
  __device__ std::int64_t begin_of(std::int64_t segment) const { return span(segment).begin; }

  /// The cut at `position`, before which `begun` segments begin.
  __device__ piece_cut cut_after(std::int64_t begun, std::int64_t position, int log_unit, std::int64_t items) const {
    piece_cut cut{0, 0, 0, 0, false, begun};
    if (begun > 0) {
      const auto last = span_within(begun - 1, items);
      cut.segment_begin = last.begin;
      cut.unit = unit_from(last.begin, position, log_unit);
      cut.continues = cut.unit < last.end;
      cut.end = least_of(cut.unit, last.end);
    }
    cut.next = cut.continues ? cut.unit : begun < count ? begin_of(begun) : items;
    return cut;
  }

  /// Brings the spans of the next segments, as many as a tile has items at most, into the L2 cache. All lanes call it.
  __device__ void prefetch_spans([[maybe_unused]] std::int64_t segment) const {
    if constexpr (requires { this->offsets[0]; }) {
      if constexpr (std::is_pointer_v<decltype(this->offsets)>) {
        constexpr int line_entries = 128 / int{sizeof(*this->offsets)};
        arch::prefetch_into_l2(this->offsets + least_of(segment + arch::lane_id() * line_entries, count));
      }
    }
  }

  /// Marks `Steps` segments of each lane, if they begin before `end`. Returns how many do.
  template <int Steps, class Marks>
  __device__ int mark_segments(std::int64_t segment, std::int64_t base, std::int64_t first, std::int64_t end,
                               std::int64_t items, Marks& marks) const {
    using entry = typename Spans::index;
    const int existing = static_cast<int>(least_of(count - segment, std::int64_t{Steps * warp_lanes}));
    if (existing <= 0) return 0;
    const auto stop = static_cast<entry>(least_of(end, last_index));
    decltype(span(segment)) own[Steps];
    WARPFOLD_UNROLL
    for (int step = 0; step < Steps; ++step)
      own[step] = span(segment + least_of(step * warp_lanes + arch::lane_id(), existing - 1));
    int begun = 0;
    WARPFOLD_UNROLL
    for (int step = 0; step < Steps; ++step) {
      const auto [own_begin, own_end] = own[step];
      const int number = step * warp_lanes + arch::lane_id();
      const bool begins = number < existing && own_begin < stop;
      if (begins) {
        span_within(segment + number, items);
        arch::require(own_begin >= first, "segmented_scan: segment %lld begins at item %lld, before an earlier one",
                      segment + number, static_cast<std::int64_t>(own_begin));
        // Where segments leave no gaps, an empty one begins where another one does, or behind all items.
        if (!has_gaps || own_begin < own_end) marks.mark_begin(static_cast<int>(own_begin - base));
        marks.mark_end(own_end - base);
      }
      begun += __popc(__ballot_sync(full_warp, begins));
    }
    return begun;
  }

  /// Marks the segments that begin or end between the begin of segment `from` - 1 and item `end`. Returns how many
  /// segments begin before `end`. Its cost does not depend on the number of empty segments.
  template <class Marks>
  __device__ std::int64_t mark_by_item(std::int64_t from, std::int64_t base, std::int64_t end, std::int64_t items,
                                       Marks& marks) const {
    const std::int64_t begun =
        warp::partition_point(from, count, [&](std::int64_t segment) { return begin_of(segment) < end; });
    for (std::int64_t item = begin_of(from - 1) + arch::lane_id(); item < end; item += warp_lanes) {
      std::int64_t low = from, high = begun;  // the first segment that begins after the item is one of [low, high]
      while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (begin_of(middle) <= item) low = middle + 1;
        else high = middle;
      }
      const auto last = span_within(low - 1, items);
      if (last.begin == item && item < last.end) marks.mark_begin(static_cast<int>(item - base));
      if (last.end == item) marks.mark_end(item - base);
    }
    return begun;
  }
};

/// The description of a form of segments.
template <class Spans> auto described(const Spans& spans) { return listed_segments<Spans>{spans}; }
template <class Spans, class N> auto described(const segment::counted<Spans, N>& spans) {
  return segment::counted<listed_segments<Spans>, N>{{static_cast<const Spans&>(spans)}, spans.number};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
