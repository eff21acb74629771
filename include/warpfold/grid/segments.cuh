// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where segments begin and end. A description of segments has
//
//   count                        of segments
//   start(position, ranges)      the first segment that begins at `position` or later, and the one before it, of which
//                                units may still begin there; by one warp
//   one(segment, cursor)         the items of that segment, the same in all lanes; by one warp
//   next(segment, cursor, begin, end)  the items of the segments that follow: of number 32 k + lane, if that exists, those of
//                                [begin[k], end[k]); `cursor` is where `segment` begins, if needs_cursor; by one warp
//   entries()                    that a caller could have got wrong, and
//   in_order(entry, items)       whether that one is right beside the next, for debug builds; by one thread
//
// and promises that segments are in order, do not overlap, and lie within the items, if all entries are right.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/grid/segment_ranges.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::grid {
inline namespace v1 WARPFOLD_HIDDEN {

/// Where a warp starts.
struct segment_start {
  std::int64_t segment;   ///< the first one that begins in the warp's range
  std::int64_t cursor;    ///< the item at which it begins, where that is known
  segment_span before;    ///< items of the one before it
};

/// The type in which item numbers are cheapest that a `T` holds.
template <class T> using index_of =
    std::conditional_t<sizeof(T) < 4 || (sizeof(T) == 4 && std::is_signed_v<T>), int, std::int64_t>;

/// Anything that tells the span of each segment by itself.
template <class Spans> struct listed_segments : Spans {
  static constexpr bool needs_cursor = false;
  using index = typename Spans::index;

  __device__ segment_start start(std::int64_t position, const segment_ranges& ranges) const {
    const std::int64_t first = partition_point(0, this->count, [&](std::int64_t segment) {
      return ranges.position(segment, this->span(segment).begin) < position;
    });
    const span_of<index> before = first > 0 ? this->span(first - 1) : span_of<index>{0, 0};
    return {first, 0, {before.begin, before.end}};
  }
  __device__ span_of<index> one(std::int64_t segment, std::int64_t) const {
    return warp::shuffle(this->span(segment), 0);  // from one lane, so that the compiler sees that it is the same
  }
  template <int Packets>
  __device__ void next(std::int64_t segment, std::int64_t, index (&begin)[Packets], index (&end)[Packets]) const {
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k) {
      const std::int64_t own = segment + k * warp_lanes + arch::lane_id();
      const span_of<index> items = own < this->count ? this->span(own) : span_of<index>{0, 0};
      begin[k] = items.begin, end[k] = items.end;
    }
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
};

/// Segment s has the items [s * length, (s + 1) * length).
struct fixed_spans {
  using index = std::int64_t;
  std::int64_t length;
  std::int64_t count;

  __device__ segment_span span(std::int64_t segment) const { return {segment * length, (segment + 1) * length}; }
};

/// Item i belongs to segment ids[i]; ids ascend. Segments between two ids are empty.
template <class Ids> struct owned_segments {
  static constexpr bool needs_cursor = true;
  using index = std::int64_t;
  Ids ids;
  std::int64_t items;
  std::int64_t count;

  __device__ std::int64_t owner(std::int64_t item) const {
    return static_cast<std::int64_t>(ids[static_cast<std::iter_difference_t<Ids>>(item)]);
  }

  __device__ segment_start start(std::int64_t position, const segment_ranges& ranges) const {
    const std::int64_t item = partition_point(
        0, items, [&](std::int64_t i) { return ranges.position(owner(i), i) < position; });
    const std::int64_t left = item > 0 ? owner(item - 1) : -1, right = item < items ? owner(item) : count;
    if (left == right) {  // within a segment
      const std::int64_t end = end_of(left, item);
      return {left + 1, end, {partition_point(0, item, [&](std::int64_t i) { return owner(i) < left; }), end}};
    }
    const std::int64_t reached = position <= item ? 0 : (position - item + ranges.weight - 1) / ranges.weight;
    return {least_of(greatest_of(left + 1, reached), count), item, {0, 0}};
  }
  __device__ span_of<index> one(std::int64_t segment, std::int64_t cursor) const { return {cursor, end_of(segment, cursor)}; }
  /// Each lane looks for the ends of its own segments; a segment begins where the one before it ends.
  template <int Packets>
  __device__ void next(std::int64_t segment, std::int64_t cursor, index (&begin)[Packets], index (&end)[Packets]) const {
    std::int64_t own[Packets];
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k) own[k] = least_of(segment + k * warp_lanes + arch::lane_id(), count - 1);
    find_ends(own, cursor, end);
    std::int64_t before = cursor;
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k) {
      const std::int64_t left = shuffle_from_left(end[k]);
      begin[k] = arch::lane_id() == 0 ? before : left;
      before = warp::shuffle(end[k], warp_lanes - 1);
    }
  }
  __device__ std::int64_t entries() const { return items; }
  __device__ bool in_order(std::int64_t item, std::int64_t) const {
    return 0 <= owner(item) && owner(item) <= (item + 1 < items ? owner(item + 1) : count - 1);
  }

 private:
  /// The first item after `segment`, at `from` or later: strides that grow, then a search. All lanes of a warp call it.
  __device__ std::int64_t end_of(std::int64_t segment, std::int64_t from) const {
    std::int64_t stride = warp_lanes * warp_lanes;
    for (; from + stride < items && owner(from + stride - 1) <= segment; stride *= warp_lanes) from += stride;
    return partition_point(from, least_of(from + stride, items), [&](std::int64_t i) { return owner(i) <= segment; });
  }

  /// The first items after each lane's own `segments`, at `from` or later: steps that double, then halves, for all of them at
  /// once, whose loads are on the way together.
  template <int Count>
  __device__ void find_ends(const std::int64_t (&segments)[Count], std::int64_t from, std::int64_t (&ends)[Count]) const {
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) ends[k] = from;
    if (from >= items) return;
    const auto step_on = [&](std::int64_t step) {
      bool any = false, on[Count];
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) {
        const std::int64_t last = ends[k] + step - 1;
        on[k] = owner(last < items ? last : items - 1) <= segments[k] && last < items;
      }
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) ends[k] += on[k] ? step : 0, any = any || on[k];
      return any;
    };
    std::int64_t step = 1;
    while (__any_sync(full_warp, step_on(step))) step *= 2;
    for (; step >= 1; step /= 2) step_on(step);
  }
  __device__ static std::int64_t shuffle_from_left(std::int64_t value) {
    return static_cast<std::int64_t>(__shfl_up_sync(full_warp, static_cast<unsigned long long>(value), 1));
  }
};

}  // namespace v1
}  // namespace warpfold::grid
