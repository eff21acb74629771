// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments whose number the device knows, and owners of as many items as it knows. The host plans for as many as there
// may be; a kernel that is given them reads the number before anything else, and goes on with those that there are.
#pragma once
#include <warpfold/grid/device_items.cuh>
#include <warpfold/segments/spans.cuh>

namespace warpfold::segment {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The first `number` segments of `Segments`: a form of spans.cuh, or a feature's description, but not owners.
template <class Segments, class N> struct counted : Segments {
  grid::device_items<N> number;

  /// The segments that there are.
  __device__ Segments known() const {
    Segments segments = *this;
    segments.count = number.read();
    return segments;
  }
};

/// Owners of the first `number` items: owner_ids, or a feature's description of them.
template <class Owners, class N> struct counted_items : Owners {
  grid::device_items<N> number;

  /// The owners that there are.
  __device__ Owners known() const {
    Owners owners = *this;
    owners.items = number.read();
    return owners;
  }
};

template <class Segments> inline constexpr bool is_counted = false;
template <class Segments, class N> inline constexpr bool is_counted<counted<Segments, N>> = true;
template <class Owners, class N> inline constexpr bool is_counted<counted_items<Owners, N>> = true;

/// The segments that there are of any.
template <class Segments> __device__ const Segments& known(const Segments& segments) { return segments; }
template <class Segments, class N> __device__ Segments known(const counted<Segments, N>& segments) {
  return segments.known();
}

/// What a kernel that is given `Segments` goes on with.
template <class Segments> struct known_segments { using type = Segments; };
template <class Segments, class N> struct known_segments<counted<Segments, N>> { using type = Segments; };
template <class Owners, class N> struct known_segments<counted_items<Owners, N>> { using type = Owners; };

/// The number of items up to the end of the last one of the known `segments`, of `items`.
template <class Segments> __device__ std::int64_t items_of(const Segments& segments, std::int64_t items) {
  if (segments.count == 0) return 0;
  const std::int64_t end = segments.span(segments.count - 1).end;
  return least_of(greatest_of(end, std::int64_t{0}), items);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segment
