// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks segments as callers pass them (segments.hpp), and turns them into the forms that kernels read (spans.cuh).
#pragma once
#include <string>
#include <warpfold/host/output_checks.cuh>
#include <warpfold/segments.hpp>
#include <warpfold/segments/counted.cuh>
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
/// As many as there may be.
template <class S, class C>
std::int64_t count_of(const char* function, const first_segments<S, C>& segments, std::int64_t) {
  return segments.count.checked(function).most;
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

/// Makes the size of `out` that of the results, at most: the number of segments that the description tells, unless
/// `out` tells it (`IsSized`).
template <bool IsSized, class S>
void settle_size(const char* function, const S& segments, std::int64_t items, auto& out) {
  if constexpr (requires { segments.count.checked(function); }) {
    const std::int64_t most = count_of(function, segments, items);
    if (IsSized && out.size < most)
      reject(function, {"out has room for ", out.size, " results, and there may be ", most, " segments"});
    out.size = most;
  } else if constexpr (!IsSized) out.size = count_of(function, segments, items);
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
template <class R, class C, class Out>
auto checked_spans(const char* function, const first_items<R, C>& first, std::int64_t items, std::int64_t count,
                   const char* teller, const output<Out>& out) {
  const auto number = first.number.checked(function);
  if (items < number.most) reject(function, {"in has ", items, " items, and the device_count may be ", number.most});
  host_side::check_outputs_apart_from(function, "device_count", number.pointer, 1, "out", out, out.size);
  const auto all = checked_spans(function, owners<R>{first.ids}, items, count, teller, out);
  return counted_items<std::remove_const_t<decltype(all)>, typename decltype(number)::integer>{all, number};
}
template <class S, class Out>
  requires(!is_segments<S>)
auto checked_spans(const char* function, const S& offsets, std::int64_t, std::int64_t count, const char*,
                   const output<Out>& out) {
  const auto entries = checked_entries(function, "offsets", offsets, count + 1, "one more than out has", out);
  return offset_spans<std::remove_const_t<decltype(entries)>>{entries, count};
}

/// Entries of a range as an iterator; there must be at least `expected`.
template <class E>
auto first_entries(const char* function, const char* argument, const E& entries, std::int64_t expected) {
  if constexpr (device_range<E>) {
    const auto size = static_cast<std::int64_t>(entries.size());
    if (size < expected)
      reject(function,
             {argument, " has ", size, " entries, fewer than the ", expected, " of as many segments as there may be"});
    return to_pointer(entries.data());
  } else return entries;
}
/// The first `count` segments of a description, as one that has no more.
inline fixed_length only_first(const char* function, fixed_length all, std::int64_t count, std::int64_t items) {
  if (all.items > 0 && count > items / all.items)
    reject(function, {"in has ", items, " items; there may be ", count, " segments of ", all.items});
  return all;
}
template <class B, class E>
auto only_first(const char* function, const bounds<B, E>& all, std::int64_t count, std::int64_t) {
  return bounds{first_entries(function, "begins", all.begins, count), first_entries(function, "ends", all.ends, count)};
}
template <class S>
  requires(!is_segments<S>)
auto only_first(const char* function, const S& offsets, std::int64_t count, std::int64_t) {
  return first_entries(function, "offsets", offsets, count + 1);
}
template <class S, class C, class Out>
auto checked_spans(const char* function, const first_segments<S, C>& segments, std::int64_t items, std::int64_t count,
                   const char* teller, const output<Out>& out) {
  const auto number = segments.count.checked(function);
  host_side::check_outputs_apart_from(function, "device_count", number.pointer, 1, "out", out, out.size);
  const auto first = only_first(function, segments.all, count, items);
  std::int64_t described_items = items;
  if constexpr (std::is_same_v<S, fixed_length>) described_items = count * segments.all.items;
  const auto spans = checked_spans(function, first, described_items, count, teller, out);
  return counted<std::remove_const_t<decltype(spans)>, typename decltype(number)::integer>{spans, number};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segment
