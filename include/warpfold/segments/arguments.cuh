// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks segments as callers pass them (segments.hpp), and turns them into the forms that kernels read (spans.cuh).
#pragma once
#include <string>
#include <warpfold/host/output_checks.cuh>
#include <warpfold/segments.hpp>
#include <warpfold/segments/spans.cuh>

namespace warpfold::segment {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The number of segments that a description tells by itself.
inline std::int64_t count_of(const char* function, fixed_length length, std::int64_t items) {
  if (length.items <= 0)
    reject(function, {"fixed_length is ", length.items,
                      "; it must be positive if out has no size that tells the number of segments"});
  return items / length.items;
}
template <class B, class E> std::int64_t count_of(const char*, const bounds<B, E>& segments, std::int64_t) {
  static_assert(device_range<B> || device_range<E>,
                "warpfold: bounds of two iterators do not tell the number of segments: pass one of them, or the out of "
                "segmented_reduce, as a range");
  if constexpr (device_range<B>) return static_cast<std::int64_t>(segments.begins.size());
  else if constexpr (device_range<E>) return static_cast<std::int64_t>(segments.ends.size());
  else return 0;
}
template <class S> std::int64_t count_of(const char* function, const S& offsets, std::int64_t) {
  static_assert(device_range<S> || is_segments<S>,
                "warpfold: offsets as an iterator do not tell the number of segments: pass them, or the out of "
                "segmented_reduce, as a range");
  static_assert(device_range<S> || !is_segments<S>,
                "warpfold: owners do not tell the number of segments: pass out as a range");
  if constexpr (device_range<S>) {
    if (offsets.size() == 0) reject(function, "offsets has 0 entries, not one more than there are segments");
    return static_cast<std::int64_t>(offsets.size()) - 1;
  } else return 0;
}

template <class Size>
void check_size(const char* function, const char* argument, Size size, std::int64_t expected, const char* of) {
  if (static_cast<std::int64_t>(size) != expected)
    reject(function, {argument, " has ", size, " entries, not ", expected, ", ", of});
}

/// The entries of a range or an iterator, as kernels read them. There must be `expected` ones, for the reason `of`.
template <class E, class Out>
auto checked_entries(const char* function, const char* argument, const E& entries, std::int64_t expected,
                     const char* of, const output<Out>& out) {
  const auto checked = [&](const auto& first) {
    if (expected > 0) host_side::check_pointer(function, argument, first);
    host_side::check_outputs_apart_from(function, argument, first, expected, "out", out, out.size);
    return first;
  };
  if constexpr (device_range<E>) {
    check_size(function, argument, entries.size(), expected, of);
    return checked(to_pointer(entries.data()));
  } else return checked(to_kernel_iterator(entries));
}

/// `count` segments of `items` items, as kernels read them. They must be apart from `out`. `teller` names the argument
/// that tells their number.
template <class Out>
auto checked_spans(const char* function, fixed_length length, std::int64_t items, std::int64_t count, const char*,
                   const output<Out>&) {
  if (length.items < 0) reject(function, {"fixed_length is ", length.items, "; it must not be negative"});
  if (count > 0 ? items / count != length.items || items % count != 0 : items != 0)
    reject(function, {"in has ", items, " items; out has ", count, " segments of ", length.items});
  return fixed_length_spans{length.items, count};
}
template <class B, class E, class Out>
auto checked_spans(const char* function, const bounds<B, E>& segments, std::int64_t, std::int64_t count,
                   const char* teller, const output<Out>& out) {
  const std::string reason = std::string("as ") + teller + " has";
  const auto begins = checked_entries(function, "begins", segments.begins, count, reason.c_str(), out);
  const auto ends = checked_entries(function, "ends", segments.ends, count, reason.c_str(), out);
  return bounds_spans<std::remove_const_t<decltype(begins)>, std::remove_const_t<decltype(ends)>>{begins, ends, count};
}
template <class R, class Out>
auto checked_spans(const char* function, const owners<R>& segments, std::int64_t items, std::int64_t, const char*,
                   const output<Out>& out) {
  const auto ids = checked_entries(function, "ids", segments.ids, items, "as there are items", out);
  return owner_ids<std::remove_const_t<decltype(ids)>>{ids, items};
}
template <class S, class Out>
  requires(!is_segments<S>)
auto checked_spans(const char* function, const S& offsets, std::int64_t, std::int64_t count, const char*,
                   const output<Out>& out) {
  const auto entries = checked_entries(function, "offsets", offsets, count + 1, "one more than out has", out);
  return offset_spans<std::remove_const_t<decltype(entries)>>{entries, count};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segment
