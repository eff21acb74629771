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
//                                `segment` begins, if needs_cursor; by one warp, which has a `scratch` in shared memory.
//                                Where are_equal, there is none: those that are short have a kernel of their own
//   entries()                    that a caller could have got wrong, and
//   in_order(entry, items)       whether that one is right beside the next, for debug builds; by one thread
// and promises that segments are in order, do not overlap, and lie within the items, if all entries are right.
#pragma once
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/grid/segment_ranges.cuh>
#include <warpfold/operators.hpp>
#include <warpfold/warp/reduce.cuh>
#include <warpfold/warp/scan.cuh>
#include <warpfold/warp/search.cuh>

namespace warpfold::grid {
inline namespace v1 WARPFOLD_HIDDEN {

/// Where a warp starts.
struct segment_start {
  std::int64_t segment;   ///< the first one that begins in the warp's range
  std::int64_t cursor;    ///< the item at which it begins, where that is known
  segment_span before;    ///< items of the one before it, where that takes a search
};

/// Which segments a step can want: those that begin before item `begin`, up to one that has more than so many items.
struct step_limits {
  std::int64_t begin;
  int items;
};

/// The type in which item numbers are cheapest that a `T` holds.
template <class T> using index_of =
    std::conditional_t<sizeof(T) < 4 || (sizeof(T) == 4 && std::is_signed_v<T>), int, std::int64_t>;

/// Anything that tells the span of each segment by itself.
template <class Spans> struct listed_segments : Spans {
  static constexpr bool are_equal = false;
  static constexpr bool needs_cursor = false;
  using index = typename Spans::index;
  using step_index = index;
  struct scratch {};

  __device__ segment_start start(std::int64_t position, const segment_ranges& ranges, std::int64_t items) const {
    const std::int64_t first = warp::interpolation_search(
        this->count, ranges.position(this->count, items), position,
        [&](std::int64_t segment) { return ranges.position(segment, this->span(segment).begin); });
    return {first, 0, {0, 0}};
  }
  __device__ span_of<index> before(const segment_start& start) const {
    return start.segment > 0 ? this->span(start.segment - 1) : span_of<index>{0, 0};
  }
  __device__ span_of<index> one(std::int64_t segment, std::int64_t) const {
    return segment < this->count ? this->span(segment) : span_of<index>{0, 0};
  }
  __device__ span_of<index> following(std::int64_t segment, index end, int) const {
    return segment < this->count ? this->span_after(segment, end) : span_of<index>{0, 0};
  }
  __device__ static constexpr std::int64_t base(std::int64_t, std::int64_t) { return 0; }
  template <int Packets>
  __device__ void next(std::int64_t segment, std::int64_t, const step_limits&, index (&begin)[Packets], index (&end)[Packets],
                       scratch&) const {
    const std::int64_t first = segment + arch::lane_id();
    const auto read = [&](auto exists) {
      WARPFOLD_UNROLL
      for (int k = 0; k < Packets; ++k) {
        const std::int64_t own = first + k * warp_lanes;
        const span_of<index> items = exists(own) ? this->span(own) : span_of<index>{0, 0};
        begin[k] = items.begin, end[k] = items.end;
      }
    };
    if (segment + Packets * warp_lanes <= this->count) read([](std::int64_t) { return true; });
    else read([&](std::int64_t own) { return own < this->count; });
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
struct fixed_segments {
  static constexpr bool are_equal = true;
  static constexpr bool needs_cursor = false;
  using index = std::int64_t;
  struct scratch {};
  std::int64_t length;
  std::int64_t count;

  __device__ segment_span span(std::int64_t segment) const { return {segment * length, (segment + 1) * length}; }
  __device__ segment_start start(std::int64_t position, const segment_ranges& ranges, std::int64_t) const {
    const std::int64_t apart = ranges.position(1, length), first = least_of((position + apart - 1) / apart, count);
    return {first, 0, {0, 0}};
  }
  __device__ segment_span before(const segment_start& start) const {
    return start.segment > 0 ? span(start.segment - 1) : segment_span{0, 0};
  }
  __device__ segment_span one(std::int64_t segment, std::int64_t) const {
    return segment < count ? span(segment) : segment_span{0, 0};
  }
  __device__ segment_span following(std::int64_t segment, std::int64_t, int) const { return one(segment, 0); }
  __device__ std::int64_t entries() const { return 0; }
  __device__ bool in_order(std::int64_t, std::int64_t) const { return true; }
};

/// Item i belongs to segment ids[i]; ids ascend. Segments between two ids are empty.
template <class Ids> struct owned_segments {
  static constexpr bool are_equal = false;
  static constexpr bool needs_cursor = true;
  using index = std::int64_t;
  using step_index = int;
  static constexpr int step_segments = tuning::step_packets * warp_lanes;
  struct alignas(16) scratch { int ends[step_segments]; };  ///< of a step's segments, from the cursor on

  Ids ids;
  std::int64_t items;
  std::int64_t count;

  __device__ std::int64_t owner(std::int64_t item) const {
    return static_cast<std::int64_t>(ids[static_cast<std::iter_difference_t<Ids>>(item)]);
  }

  __device__ segment_start start(std::int64_t position, const segment_ranges& ranges, std::int64_t) const {
    const std::int64_t item = warp::interpolation_search(items, ranges.position(count, items), position,
                                                         [&](std::int64_t i) { return ranges.position(owner(i), i); });
    const std::int64_t left = item > 0 ? owner(item - 1) : -1, right = item < items ? owner(item) : count;
    if (left == right) {  // within a segment
      const std::int64_t end = end_of(left, item);
      return {left + 1, end, {warp::partition_point(0, item, [&](std::int64_t i) { return owner(i) < left; }), end}};
    }
    const std::int64_t reached = position <= item ? 0 : (position - item + ranges.weight - 1) / ranges.weight;
    return {least_of(greatest_of(left + 1, reached), count), item, {0, 0}};
  }
  __device__ static segment_span before(const segment_start& start) { return start.before; }
  __device__ span_of<index> one(std::int64_t segment, std::int64_t cursor) const { return {cursor, end_of(segment, cursor)}; }
  /// Where most are short, one trip to memory shows it.
  __device__ span_of<index> following(std::int64_t segment, std::int64_t end, int few) const {
    const bool is_long = is_before_end(segment, end + few), is_longer = is_before_end(segment, end + least_stride - 1);
    if (!is_long) return {end, end};
    return {end, is_longer ? end_of(segment, end + least_stride, least_stride * warp_lanes) : end_within(segment, end, end + least_stride)};
  }
  __device__ static std::int64_t base(std::int64_t, std::int64_t cursor) { return cursor; }
  /// Reads the ids from the cursor on, side by side: a segment ends where another id begins, or where the one before it does.
  template <int Packets>
  __device__ void next(std::int64_t segment, std::int64_t cursor, const step_limits& limits, int (&begin)[Packets], int (&end)[Packets],
                       scratch& found) const {
    static_assert(Packets * warp_lanes == step_segments && Packets == 4);  // a lane has four neighbours' ends, 16 bytes
    const int lane = arch::lane_id();
    int own[Packets] = {};
    arch::store_shared<sizeof(own)>(&found.ends[Packets * lane], own);
    __syncwarp();
    find_ends(segment, cursor, limits, found);
    __syncwarp();
    arch::load_shared<sizeof(own)>(&found.ends[Packets * lane], own);
    WARPFOLD_UNROLL
    for (int k = 1; k < Packets; ++k) own[k] = greatest_of(own[k - 1], own[k]);
    const int through = __shfl_up_sync(full_warp, warp::max_through(own[Packets - 1]), 1), before = lane == 0 ? 0 : through;
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k) own[k] = greatest_of(before, own[k]);
    arch::store_shared<sizeof(own)>(&found.ends[Packets * lane], own);
    __syncwarp();
    WARPFOLD_UNROLL
    for (int k = 0; k < Packets; ++k) {
      const int number = k * warp_lanes + lane;
      begin[k] = number == 0 ? 0 : found.ends[number - 1], end[k] = found.ends[number];
    }
    __syncwarp();  // the ends have been read
  }
  __device__ std::int64_t entries() const { return items; }
  __device__ bool in_order(std::int64_t item, std::int64_t) const {
    return 0 <= owner(item) && owner(item) <= (item + 1 < items ? owner(item + 1) : count - 1);
  }

 private:
  static constexpr std::int64_t least_stride = warp_lanes * warp_lanes;

  /// The first item after `segment`, at `from` or later: strides that grow, then a search. All lanes of a warp call it.
  __device__ std::int64_t end_of(std::int64_t segment, std::int64_t from, std::int64_t stride = least_stride) const {
    for (; is_before_end(segment, from + stride - 1); stride *= warp_lanes) from += stride;
    return end_within(segment, from, from + stride);
  }
  /// The same, if it is at `to` or before.
  __device__ std::int64_t end_within(std::int64_t segment, std::int64_t from, std::int64_t to) const {
    return warp::partition_point(from, least_of(to, items), [&](std::int64_t i) { return owner(i) <= segment; });
  }
  /// Whether the item exists, and is not past `segment`.
  __device__ bool is_before_end(std::int64_t segment, std::int64_t item) const { return item < items && owner(item) <= segment; }

  /// Tells where those of a step's segments end that have items, from the cursor on. Stops once it knows of all that can be
  /// wanted, and gives one that is not, and may go on, the items that it has seen.
  __device__ void find_ends(std::int64_t segment, std::int64_t cursor, const step_limits& limits, scratch& found) const {
    ends_search search{segment, cursor, 1, number(segment, cursor), 0, 0};
    const auto goes_on = [&] {
      return search.last < step_segments && search.longest <= limits.items && search.seen - search.begin <= limits.items &&
             cursor + search.seen < limits.begin + limits.items;
    };
    if (goes_on()) search.begin = 1 + look_on<4>(search, found);  // tiny segments need no more
    while (goes_on()) {
      const int open = search.last, seen = search.seen, latest = look_on<8>(search, found);
      if (search.seen - search.begin > limits.items) {  // else what has ended now is short
        __syncwarp();
        search.longest = warp::shuffle(found.ends[open], 0) - search.begin;  // < 0 if it has not ended yet
        __syncwarp();
      }
      if (latest >= 0) search.begin = seen + latest;
    }
    if (arch::lane_id() == 0 && search.last < step_segments) found.ends[search.last] = search.seen;
  }

  struct ends_search {
    std::int64_t segment, cursor;
    int seen;     ///< items, from the cursor on
    int last;     ///< the number of the last one's segment
    int begin;    ///< where the last one's segment begins, counted as `seen`
    int longest;  ///< items of a segment that may be longer than a step's are
  };

  /// Looks at the next `Rows` times 32 items. Returns which of them is the last one that begins a segment, or -1.
  template <int Rows> __device__ int look_on(ends_search& search, scratch& found) const {
    const int lane = arch::lane_id();
    const std::int64_t first = search.cursor + search.seen;
    int own[Rows];
    if (first + Rows * warp_lanes <= items) {
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) own[row] = existing_number(search.segment, first + row * warp_lanes + lane);
    } else {
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) own[row] = number(search.segment, first + row * warp_lanes + lane);
    }
    int latest = -1, before = search.last;  // before: in lane 0, the last one of the row before
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const int rotated = __shfl_sync(full_warp, own[row], lane - 1), left = lane == 0 ? before : rotated;
      if (own[row] != left) latest = row * warp_lanes + lane;
      if (own[row] != left && left < step_segments) found.ends[left] = search.seen + row * warp_lanes + lane;
      before = rotated;
    }
    search.last = __shfl_sync(full_warp, own[Rows - 1], warp_lanes - 1);
    search.seen += Rows * warp_lanes;
    return warp::all_reduce(latest, maximum{});
  }

  /// The number of an item's segment, from `segment` on; step_segments stands for all that are no concern of the step.
  __device__ int number(std::int64_t segment, std::int64_t item) const {
    return item < items ? existing_number(segment, item) : step_segments;
  }
  __device__ int existing_number(std::int64_t segment, std::int64_t item) const {
    if constexpr (sizeof(std::iter_value_t<Ids>) <= 4) {
      const unsigned apart = static_cast<unsigned>(owner(item)) - static_cast<unsigned>(segment);
      return static_cast<int>(apart < step_segments ? apart : step_segments);
    } else {
      const auto apart = static_cast<std::uint64_t>(owner(item) - segment);
      return static_cast<int>(apart < step_segments ? apart : step_segments);
    }
  }
};

}  // namespace v1
}  // namespace warpfold::grid
