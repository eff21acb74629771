// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments to a value each: segmented_reduce and transform_segmented_reduce.
//
// Both functions
// - fold each segment strictly left to right with an operator that need only be associative, by the canonical tree
//   (canonical_tree.hpp) counted from the segment's first item: a segment has the bits of reduce over it alone, wherever
//   it lies and whatever lies around it, on every run, grid and GPU, and in the emulator;
// - enqueue one kernel on options.stream, never wait, and can be captured; the host need not know any length;
// - share items and segments evenly among the warps of the grid: one giant segment, any number of empty ones, or a mixture;
// - join options.init to each segment on its left, once; an empty segment gives options.empty, else init, else the
//   operator's identity;
// - accumulate in accumulator_t<Op, T>, T being the item type, or what the transform returns;
// - need `out` apart from all inputs. Scratch does not depend on the number of items or segments;
// - throw std::invalid_argument, before anything is enqueued, for ranges whose sizes do not match, null pointers, an output
//   within an input, an operator without identity where neither init nor empty is given, a workspace that is too small or
//   misaligned and, in builds with WARPFOLD_CHECKS, host memory where device memory is meant; cuda_error for what CUDA reports.
//
// This holds for the default strategy, automatic. Named ones, the sources' segmented algorithms for owners, are in
// strategies.cuh, and keep order, not bits across GPUs: segmented_reduce<strategy<…>>(in, owners{ids}, out, op).
//
// Segments must be in order, must not overlap, and must lie within the input. Kernels compiled with WARPFOLD_CHECKS look whether
// they do, and stop with a message; otherwise the behaviour is undefined.
#pragma once
#include <warpfold/host/leaves.cuh>
#include <warpfold/segmented/dispatch.cuh>
#include <warpfold/segmented/owned_segments.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

/// Segments of `items` items each, one after another.
struct fixed_length {
  std::int64_t items;
};

/// Segment s has the items [begins[s], ends[s]): ranges of integers. Segments need not touch.
template <device_range Begins, device_range Ends> struct bounds {
  static_assert(std::is_trivially_copyable_v<Begins> && std::is_trivially_copyable_v<Ends>,
                "warpfold: bounds are kept by value: pass spans, not containers");
  Begins begins;
  Ends ends;
};
template <class Begins, class Ends> bounds(Begins, Ends) -> bounds<Begins, Ends>;

/// Item i belongs to segment ids[i]: a range of integers that ascend, as many as items. Ids that are left out are those of
/// empty segments. Each lies in [0, out.size()).
template <device_range Ids> struct owners {
  static_assert(std::is_trivially_copyable_v<Ids>, "warpfold: owners are kept by value: pass a span, not a container");
  Ids ids;
};
template <class Ids> owners(Ids) -> owners<Ids>;

template <class S> inline constexpr bool is_segments = false;
template <> inline constexpr bool is_segments<fixed_length> = true;
template <class B, class E> inline constexpr bool is_segments<bounds<B, E>> = true;
template <class R> inline constexpr bool is_segments<owners<R>> = true;

/// What tells segments apart: fixed_length, bounds, owners, or offsets: a range of out.size() + 1 integers, or an iterator
/// over as many, such that segment s has the items [offsets[s], offsets[s + 1]).
template <class S>
concept segments = is_segments<S> ||(device_range<S>&& std::integral<item_t<const S>>) ||
                   (!device_range<S> && item_iterator<S> && std::integral<std::iter_value_t<S>>);

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

inline void check_size(const char* function, const char* argument, std::size_t size, std::int64_t expected,
                       const char* of) {
  if (static_cast<std::int64_t>(size) != expected)
    reject(function, std::string(argument) + " has " + std::to_string(size) + " entries, not " +
                         std::to_string(expected) + ", " + of);
}

template <class R> auto checked_data(const char* function, const char* argument, const R& range) {
  if (range.size() > 0) host::check_pointer(function, argument, range.data());
  return to_pointer(range.data());
}

/// Whether `out` and the `count` entries from `first` on have a byte in common.
template <class T, class Out> bool overlap(const T* first, std::int64_t count, const Out& out) {
  const auto in = reinterpret_cast<std::uintptr_t>(first),
             to = reinterpret_cast<std::uintptr_t>(to_pointer(out.data()));
  return count > 0 && out.size() > 0 && to < in + static_cast<std::uintptr_t>(count) * sizeof(T) &&
         in < to + out.size() * sizeof(item_t<const Out>);
}

/// Segments are written while others are still read: `out` must not lie in the `count` entries from `first` on.
template <class It, class Out>
void check_apart(const char* function, [[maybe_unused]] const char* argument, [[maybe_unused]] const It& first,
                 [[maybe_unused]] std::int64_t count, [[maybe_unused]] const Out& out) {
  if constexpr (std::contiguous_iterator<It>) {
    if (overlap(to_pointer(first), count, out)) reject(function, std::string("out lies within ") + argument);
  }
}

/// Data of a range of what tells segments apart, which has `expected` entries.
template <class R, class Out>
auto checked_entries(const char* function, const char* argument, const R& range, std::int64_t expected, const char* of,
                     const Out& out) {
  check_size(function, argument, range.size(), expected, of);
  const auto data = checked_data(function, argument, range);
  check_apart(function, argument, data, expected, out);
  return data;
}

template <class Out> auto make_segments(const char* function, fixed_length length, std::int64_t items, const Out& out) {
  const auto count = static_cast<std::int64_t>(out.size());
  if (length.items < 0)
    reject(function, "fixed_length is " + std::to_string(length.items) + "; it must not be negative");
  if (count > 0 ? items / count != length.items || items % count != 0 : items != 0)
    reject(function, "in has " + std::to_string(items) + " items; out has " + std::to_string(count) + " segments of " +
                         std::to_string(length.items));
  return segmented::fixed_length_segments{length.items, count};
}

template <class B, class E, class Out>
auto make_segments(const char* function, const bounds<B, E>& segments, std::int64_t, const Out& out) {
  const auto count = static_cast<std::int64_t>(out.size());
  const auto begins = checked_entries(function, "begins", segments.begins, count, "as out has", out);
  const auto ends = checked_entries(function, "ends", segments.ends, count, "as out has", out);
  using spans = segmented::bounds_spans<std::remove_const_t<decltype(begins)>, std::remove_const_t<decltype(ends)>>;
  return segmented::listed_segments<spans>{{begins, ends, count}};
}

template <class R, class Out>
auto make_segments(const char* function, const owners<R>& segments, std::int64_t items, const Out& out) {
  const auto ids = checked_entries(function, "ids", segments.ids, items, "as there are items", out);
  if (out.size() == 0 && items > 0) reject(function, "out is empty, but there are " + std::to_string(items) + " items");
  return segmented::owned_segments<std::remove_const_t<decltype(ids)>>{ids, items,
                                                                       static_cast<std::int64_t>(out.size())};
}

template <class S, class Out>
  requires(!is_segments<S>)
auto make_segments(const char* function, const S& offsets, std::int64_t, const Out& out) {
  const auto count = static_cast<std::int64_t>(out.size());
  if constexpr (device_range<S>) {
    const auto data = checked_entries(function, "offsets", offsets, count + 1, "one more than out has", out);
    return segmented::listed_segments<segmented::offset_spans<std::remove_const_t<decltype(data)>>>{{data, count}};
  } else {
    host::check_pointer(function, "offsets", offsets);
    check_apart(function, "offsets", offsets, count + 1, out);
    return segmented::listed_segments<segmented::offset_spans<S>>{{offsets, count}};
  }
}

/// A value that is read while segments are written must not lie within `out`.
template <class A, class Out>
void check_value_apart(const char* function, const char* argument, const initial<A>& value, const Out& out) {
  if (value.pointer() != nullptr && overlap(value.pointer(), 1, out))
    reject(function, std::string(argument) + " lies within out");
}

template <class Strategy, class It, class S, class Out, class Op, class Transform, class A>
void reduce_segments(const char* function, const char* argument, It first, std::int64_t items, const S& segments,
                     const Out& out, Op op, Transform transform, const segmented_options<A>& options) {
  host::check_count(function, items);
  if (items > 0) host::check_pointer(function, argument, first);
  const auto to = checked_data(function, "out", out);
  check_apart(function, argument, first, items, out);
  check_value_apart(function, "init", options.init, out);
  check_value_apart(function, "empty", options.empty, out);
  const auto described = make_segments(function, segments, items, out);
  host::segmented_reduce_with<Strategy>::enqueue(function, described,
                                                 make_leaves<A>(make_source(first, items), transform), to, op, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// out[s] = init op the items of segment s, from `count` items at `first`: a pointer to device memory, or any trivially
/// copyable object that device code can index with 64 bits.
template <reduction_strategy S = automatic, item_iterator It, segments Segments, device_range Out, operator_argument Op,
          class A = accumulator_t<Op, std::iter_value_t<It>>>
  requires std::assignable_from < item_t<Out>
&, A > void segmented_reduce(It first, std::int64_t count, const Segments& segments, const Out& out, Op op,
                             const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_segments<S>("segmented_reduce", "first", first, count, segments, out, op, thread::no_transform{},
                             options);
}

/// out[s] = init op the items of segment s.
template <reduction_strategy S = automatic, device_range In, segments Segments, device_range Out, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
void segmented_reduce(const In& in, const Segments& segments, const Out& out, Op op,
                      const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_segments<S>("segmented_reduce", "in", to_pointer(in.data()), static_cast<std::int64_t>(in.size()),
                             segments, out, op, thread::no_transform{}, options);
}

/// The sum of each segment.
template <reduction_strategy S = automatic, device_range In, segments Segments, device_range Out,
          class A = accumulator_t<plus, item_t<const In>>>
void segmented_reduce(const In& in, const Segments& segments, const Out& out,
                      const std::type_identity_t<segmented_options<A>>& options = {}) {
  segmented_reduce<S>(in, segments, out, plus{}, options);
}

/// out[s] = init op transform(item) op … over the items of segment s. The accumulator follows what `transform` returns; of
/// an extended __device__ lambda without a declared return type it follows the item.
template <reduction_strategy S = automatic, device_range In, segments Segments, device_range Out, operator_argument Op,
          class Transform, class A = detail::transformed_accumulator_t<Op, Transform, item_t<const In>>>
void transform_segmented_reduce(const In& in, const Segments& segments, const Out& out, Op op, Transform transform,
                                const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_segments<S>("transform_segmented_reduce", "in", to_pointer(in.data()),
                             static_cast<std::int64_t>(in.size()), segments, out, op, transform, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
