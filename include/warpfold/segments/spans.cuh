// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms of segments as kernels read them; callers pass them as segments.hpp says. A form has
//
//   count            the number of segments; owner_ids does not know it
//   span(segment)    the items of a segment; owner_ids does not know them
//   index            integers that hold every begin and end, that of the last segment, too
//   span_after(segment, end)  span(segment), where the segment before it is known to end at `end`
//   has_gaps         whether items between segments may belong to none
//   is_fixed_length  whether all segments have the same number of items
//   entries()        the number of entries to check; 0 if none can be wrong
//   require_in_order(function, entry, items)  stops the kernel, in builds with WARPFOLD_CHECKS, unless the entry and
//                    the next one fit. Any thread calls it. `function` is named by the message
//
// If all entries are right, segments are in order, do not overlap, and lie within the items. Features derive from these
// forms and add how their warps read them: segmented/segments.cuh, segmented_scan/segments.cuh.
#pragma once
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <warpfold/arch/precondition.cuh>
#include <warpfold/config.hpp>

/// The room `segments/`; that name is a concept's.
namespace warpfold::segment {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Items [begin, end).
template <class Index> struct span_of {
  Index begin, end;

  __device__ bool within(std::int64_t items) const { return 0 <= begin && begin <= end && end <= items; }
};

using segment_span = span_of<std::int64_t>;

/// The cheapest type for item numbers that holds every value of a `T` that can occur.
template <class T>
using index_of = std::conditional_t<sizeof(T) < 4 || (sizeof(T) == 4 && std::is_signed_v<T>), int, std::int64_t>;

/// In builds with WARPFOLD_CHECKS, stops the kernel unless `span`, that of `segment`, lies within the items. Whoever
/// reads a span calls it before any item is read.
template <class Index>
__device__ void require_within(const char* function, std::int64_t segment, const span_of<Index>& span,
                               std::int64_t items) {
  arch::require(span.within(items),
                "%s: segment %lld has the items [%lld, %lld) of %lld; segments must be in order, must not overlap, and "
                "must lie within the input",
                function, segment, span.begin, span.end, items);
}

/// The same, and unless the next of the listed `spans` begins where `segment` ends, or later.
template <class Spans>
__device__ void require_span_in_order(const char* function, const Spans& spans, std::int64_t segment,
                                      std::int64_t items) {
  const auto own = spans.span(segment);
  const std::int64_t next = segment + 1 < spans.count ? spans.span(segment + 1).begin : items;
  arch::require(own.within(items) && own.end <= next,
                "%s: segment %lld has the items [%lld, %lld) of %lld, the next one begins at %lld; segments must be in "
                "order, must not overlap, and must lie within the input",
                function, segment, own.begin, own.end, items, next);
}

/// In builds with WARPFOLD_CHECKS, the threads of the grid together check every entry against the next one. Another
/// warp may read an entry before it is checked here, so spans are also checked where they are read.
template <class Segments>
__device__ void require_order([[maybe_unused]] const char* function, [[maybe_unused]] const Segments& segments,
                              [[maybe_unused]] std::int64_t items) {
#if WARPFOLD_CHECKS
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < segments.entries(); i += threads)
    segments.require_in_order(function, i, items);
#endif
}

/// Segment s has the items [begins[s], ends[s]).
template <class Begins, class Ends> struct bounds_spans {
  static constexpr bool has_gaps = true, is_fixed_length = false;
  using index = std::common_type_t<index_of<std::iter_value_t<Begins>>, index_of<std::iter_value_t<Ends>>>;
  Begins begins;
  Ends ends;
  std::int64_t count;

  __device__ span_of<index> span(std::int64_t segment) const {
    return {static_cast<index>(begins[static_cast<std::iter_difference_t<Begins>>(segment)]),
            static_cast<index>(ends[static_cast<std::iter_difference_t<Ends>>(segment)])};
  }
  /// The same, where it is known at which item the segment before it ends.
  __device__ span_of<index> span_after(std::int64_t segment, index) const { return span(segment); }
  __device__ std::int64_t entries() const { return count; }
  __device__ void require_in_order(const char* function, std::int64_t segment, std::int64_t items) const {
    require_span_in_order(function, *this, segment, items);
  }
};

/// Segment s has the items [offsets[s], offsets[s + 1]).
template <class Offsets> struct offset_spans {
  static constexpr bool has_gaps = false, is_fixed_length = false;
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
  __device__ std::int64_t entries() const { return count; }
  __device__ void require_in_order(const char* function, std::int64_t segment, std::int64_t items) const {
    require_span_in_order(function, *this, segment, items);
  }
};

/// Segment s has the items [s * length, (s + 1) * length).
struct fixed_length_spans {
  static constexpr bool has_gaps = false, is_fixed_length = true;
  using index = std::int64_t;
  std::int64_t length;
  std::int64_t count;

  __device__ segment_span span(std::int64_t segment) const { return {segment * length, (segment + 1) * length}; }
  /// The number of segments that begin before item `position`.
  __device__ std::int64_t begun_before(std::int64_t position) const {
    return least_of((position + length - 1) / length, count);
  }
  __device__ std::int64_t entries() const { return 0; }
  __device__ void require_in_order(const char*, std::int64_t, std::int64_t) const {}
};

/// Item i belongs to segment ids[i]. Ids ascend; segments whose ids are left out are empty.
template <class Ids> struct owner_ids {
  static constexpr bool has_gaps = false, is_fixed_length = false;
  Ids ids;
  std::int64_t items;

  __device__ std::int64_t entries() const { return items; }
  __device__ void require_in_order(const char* function, std::int64_t item, std::int64_t) const {
    [[maybe_unused]] const std::int64_t own = ids[item], next = item + 1 < items ? ids[item + 1] : own;
    arch::require(own <= next,
                  "%s: item %lld has the owner %lld, the next one %lld; segments must be in order: owners must ascend",
                  function, item, own, next);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segment
