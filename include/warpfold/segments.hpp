// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms in which callers describe segments to segmented_reduce and to the segmented scans.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <warpfold/item_count.hpp>
#include <warpfold/options.hpp>

namespace warpfold {

/// Segments of `items` items each, one after another.
struct fixed_length {
  std::int64_t items;  ///< in each segment
};

/// A range of integers of any kind.
template <class E>
concept integer_range = device_range<E> && std::integral<item_t<const E>>;
/// An iterator over integers of any kind.
template <class E>
concept integer_iterator = item_iterator<E> && std::integral<iterator_item_t<E>>;

/// Segment s has the items [begins[s], ends[s]). Ranges or iterators of integers. Segments need not touch.
template <class Begins, class Ends> struct bounds {
  static_assert((integer_range<Begins> || integer_iterator<Begins>)&&(integer_range<Ends> || integer_iterator<Ends>),
                "warpfold: bounds are ranges or iterators of integers");
  static_assert(detail::kernel_argument<Begins> && detail::kernel_argument<Ends>,
                "warpfold: bounds are kept by value: pass spans, not containers");
  Begins begins;  ///< number of the first item of each segment
  Ends ends;      ///< number behind the last item of each
};
template <class Begins, class Ends> bounds(Begins, Ends) -> bounds<Begins, Ends>;

namespace detail {
/// An iterator in place of a range of owners: refused, where the length of the input might not be theirs.
template <item_iterator It> struct owners_without_size : std::span<const iterator_item_t<It>> {
  constexpr owners_without_size(It) {
    static_assert(!item_iterator<It>,
                  "warpfold: owners are a range, as long as the input: wf::owners{std::span(ids, count)}");
  }
};
}  // namespace detail

/// Item i belongs to segment ids[i]. A range of as many ascending integers as there are items, each in [0, out.size()).
/// Segments whose ids are left out are empty.
/// A container stays the caller's: owners keep a span of it.
template <device_range Ids> struct owners {
  static_assert(detail::kernel_argument<Ids>,
                "warpfold: owners are kept by value: leave out <...>, and they keep a span");
  Ids ids;  ///< the segment of each item

  constexpr owners(const Ids& range) : ids(range) {}
  template <device_range Container>
    requires(!std::is_same_v<Container, Ids>)
  constexpr owners(const Container& of) : ids(to_pointer(of.data()), static_cast<std::size_t>(of.size())) {}
};
template <item_iterator It> owners(It) -> owners<detail::owners_without_size<It>>;
template <device_range Ids>
  requires detail::kernel_argument<Ids> owners(const Ids&)
->owners<Ids>;
template <device_range Container>
  requires(!detail::kernel_argument<Container>)
owners(const Container&)
->owners<std::span<const item_t<const Container>>>;

template <class S> inline constexpr bool is_segments = false;  ///< fixed_length, bounds, owners, first_segments, …
template <> inline constexpr bool is_segments<fixed_length> = true;
template <class B, class E> inline constexpr bool is_segments<bounds<B, E>> = true;
template <class R> inline constexpr bool is_segments<owners<R>> = true;

/// The forms of segments: fixed_length, bounds, owners, or offsets. Offsets are a range or an iterator of integers, one
/// more than there are segments: segment s has the items [offsets[s], offsets[s + 1]). Or the first ones of one of
/// these forms.
template <class S>
concept segments = is_segments<S> || integer_range<S> || integer_iterator<S>;

/// The first segments of `all`, as many as `count` says when the kernel runs (device_count.cuh):
///
///   wf::segmented_reduce(in, wf::first_segments{offsets, wf::device_count(count, most)}, out);
///
/// `all` is bounds, fixed_length or offsets, and describes at least `most` segments; what it says of those behind the
/// last one is not read. They have no results: `out` keeps what it holds there. If it is a range, it must have room for
/// `most`, and it must be apart from the count. exact_plus does not take such segments.
template <segments Segments, class Count> struct first_segments {
  static_assert(is_device_count<Count>, "warpfold: first_segments are counted by a device_count");
  static_assert(
      !requires(const Segments& s) { s.ids; },
      "warpfold: owners do not describe segments by number: first_segments are of offsets, bounds or "
      "a fixed_length");
  static_assert(detail::kernel_argument<Segments>,
                "warpfold: first_segments are kept by value: pass spans, not containers");
  Segments all;  ///< at least as many as there may be
  Count count;   ///< a device_count
};
template <class Segments, class Count> first_segments(Segments, Count) -> first_segments<Segments, Count>;
template <class S, class C> inline constexpr bool is_segments<first_segments<S, C>> = true;

/// The owners of the first items, as many as `number` says when the kernel runs (device_count.cuh):
///
///   wf::segmented_reduce(in, wf::first_items{wf::owners{ids}, wf::device_count(count, most)}, out);
///
/// There are as many owners as items, and `most` of both at least. Those behind the first ones are not used: segments
/// have the other items, if any, and scans keep what `out` holds there. `out` must be apart from the count. exact_plus
/// does not take such owners.
template <device_range Ids, class Count> struct first_items {
  static_assert(is_device_count<Count>, "warpfold: first_items are counted by a device_count");
  Ids ids;       ///< the segment of each item, as of owners
  Count number;  ///< a device_count

  constexpr first_items(const owners<Ids>& all, const Count& count) : ids(all.ids), number(count) {}
};
template <class R, class C> inline constexpr bool is_segments<first_items<R, C>> = true;

}  // namespace warpfold
