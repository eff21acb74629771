// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where segments begin and end, as kernels read it from what callers list.
#pragma once
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <warpfold/config.hpp>

namespace warpfold::grid {
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

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::grid
