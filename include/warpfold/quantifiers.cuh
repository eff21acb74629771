// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be said of a predicate and the items of a sequence: any_of, all_of, none_of, count_if.
//
// | function                                    | inputs              | output            | then                  |
// |---------------------------------------------|---------------------|-------------------|-----------------------|
// | any_of, all_of, none_of, count_if           | in; or first, count | out               | predicate [options]   |
// | any_of_value, ..., count_if_value           | in; or first, count | returned          | predicate [options]   |
//
// `in`, `first` and `out` are those of reduce. `predicate` is a function object that returns what converts to bool; it
// is asked in any order, of any items, and must not depend on that. `options`: call_options.
// - any_of: whether it holds for at least one item; all_of: for every item; none_of: for none. The result is written
//   as a bool; it depends on the items alone. Of nothing: false, true, true.
//   They stop early: an item that decides stops the search within the loads in flight, a few MiB after its place in the
//   input at most. Else each item is read once. One kernel, which never waits; scratch does not depend on the count.
// - count_if: the number of items for which it holds, a std::int64_t: transform_reduce over wf::indicator{predicate},
//   whose promises it keeps. An output that cannot hold such a number does not compile. Of segments:
//   transform_segmented_reduce(in, offsets, out, wf::accumulate_in<std::int64_t>(wf::plus{}),
//                              wf::indicator{predicate});
//   so with reduce_axes, transform_reduce_by_key and the scans. (Without wf::indicator, what the predicate returns is
//   added.)
// - Errors: those of reduce.
#pragma once
#include <limits>
#include <warpfold/call_options.hpp>
#include <warpfold/quantifiers/dispatch.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/vector_operators.hpp>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class It, class Out, class Predicate>
void quantify(const char* function, const char* argument, const It& first, std::int64_t count, bool wanted,
              bool if_found, Out&& out, Predicate predicate, const call_options& options) {
  if constexpr (check_transform<logical_or, Predicate, bool, iterator_item_t<It>>() &&
                check_written<bool, output_iterator_t<Out>>()) {
    const auto from = to_kernel_iterator(first);
    host::check_count(function, count);
    if (count > 0) host::check_pointer(function, argument, from);
    quantifiers::enqueue(function, make_leaves<bool>(logical_or{}, make_source(from, count), predicate), wanted,
                         if_found, checked_output(function, out), options);
  }
}

using counting = decltype(accumulate_in<std::int64_t>(plus{}));

/// Whether the predicate and an output of count_if are of the right types.
template <class Predicate, class T, class Out> consteval bool check_counting() {
  using written = written_t<output_iterator_t<Out>>;
  constexpr bool holds_counts = !std::is_arithmetic_v<written> || std::numeric_limits<written>::digits >= 53;
  static_assert(holds_counts, "warpfold: out cannot hold a count of items, which is a std::int64_t");
  return check_transform<logical_or, Predicate, bool, T>() && holds_counts;
}
inline reduce_options<std::int64_t> counting_options(const call_options& options) {
  return {options.stream, {}, options.workspace, options.max_blocks};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// *out = whether `predicate` holds for at least one item of `in`.
template <device_range In, class Out, class Predicate>
  requires any_device_output<Out>
void any_of(const In& in, Out&& out, Predicate predicate, const call_options& options = {}) {
  detail::quantify("any_of", "in", in.data(), static_cast<std::int64_t>(in.size()), true, true, out, predicate,
                   options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Out, class Predicate>
  requires any_device_output<Out>
void any_of(It first, std::int64_t count, Out&& out, Predicate predicate, const call_options& options = {}) {
  detail::quantify("any_of", "first", first, count, true, true, out, predicate, options);
}
/// any_of, waiting for the stream and returning the answer.
template <device_range In, class Predicate>
[[nodiscard]] bool any_of_value(const In& in, Predicate predicate, const call_options& options = {}) {
  return host::wait_for_value<bool>("any_of_value", options.stream, [&](bool* out) {
    detail::quantify("any_of_value", "in", in.data(), static_cast<std::int64_t>(in.size()), true, true, out, predicate,
                     options);
  });
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Predicate>
[[nodiscard]] bool any_of_value(It first, std::int64_t count, Predicate predicate, const call_options& options = {}) {
  return host::wait_for_value<bool>("any_of_value", options.stream, [&](bool* out) {
    detail::quantify("any_of_value", "first", first, count, true, true, out, predicate, options);
  });
}

/// *out = whether `predicate` holds for every item of `in`.
template <device_range In, class Out, class Predicate>
  requires any_device_output<Out>
void all_of(const In& in, Out&& out, Predicate predicate, const call_options& options = {}) {
  detail::quantify("all_of", "in", in.data(), static_cast<std::int64_t>(in.size()), false, false, out, predicate,
                   options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Out, class Predicate>
  requires any_device_output<Out>
void all_of(It first, std::int64_t count, Out&& out, Predicate predicate, const call_options& options = {}) {
  detail::quantify("all_of", "first", first, count, false, false, out, predicate, options);
}
/// all_of, waiting for the stream and returning the answer.
template <device_range In, class Predicate>
[[nodiscard]] bool all_of_value(const In& in, Predicate predicate, const call_options& options = {}) {
  return host::wait_for_value<bool>("all_of_value", options.stream, [&](bool* out) {
    detail::quantify("all_of_value", "in", in.data(), static_cast<std::int64_t>(in.size()), false, false, out,
                     predicate, options);
  });
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Predicate>
[[nodiscard]] bool all_of_value(It first, std::int64_t count, Predicate predicate, const call_options& options = {}) {
  return host::wait_for_value<bool>("all_of_value", options.stream, [&](bool* out) {
    detail::quantify("all_of_value", "first", first, count, false, false, out, predicate, options);
  });
}

/// *out = whether `predicate` holds for no item of `in`.
template <device_range In, class Out, class Predicate>
  requires any_device_output<Out>
void none_of(const In& in, Out&& out, Predicate predicate, const call_options& options = {}) {
  detail::quantify("none_of", "in", in.data(), static_cast<std::int64_t>(in.size()), true, false, out, predicate,
                   options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Out, class Predicate>
  requires any_device_output<Out>
void none_of(It first, std::int64_t count, Out&& out, Predicate predicate, const call_options& options = {}) {
  detail::quantify("none_of", "first", first, count, true, false, out, predicate, options);
}
/// none_of, waiting for the stream and returning the answer.
template <device_range In, class Predicate>
[[nodiscard]] bool none_of_value(const In& in, Predicate predicate, const call_options& options = {}) {
  return host::wait_for_value<bool>("none_of_value", options.stream, [&](bool* out) {
    detail::quantify("none_of_value", "in", in.data(), static_cast<std::int64_t>(in.size()), true, false, out,
                     predicate, options);
  });
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Predicate>
[[nodiscard]] bool none_of_value(It first, std::int64_t count, Predicate predicate, const call_options& options = {}) {
  return host::wait_for_value<bool>("none_of_value", options.stream, [&](bool* out) {
    detail::quantify("none_of_value", "first", first, count, true, false, out, predicate, options);
  });
}

/// *out = the number of items of `in` for which `predicate` holds.
template <device_range In, class Out, class Predicate>
  requires any_device_output<Out>
void count_if(const In& in, Out&& out, Predicate predicate, const call_options& options = {}) {
  if constexpr (detail::check_counting<Predicate, item_t<const In>, Out>())
    detail::reduce_range<automatic>("count_if", in, out, detail::counting{}, indicator{predicate},
                                    detail::counting_options(options));
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Out, class Predicate>
  requires any_device_output<Out>
void count_if(It first, std::int64_t count, Out&& out, Predicate predicate, const call_options& options = {}) {
  if constexpr (detail::check_counting<Predicate, iterator_item_t<It>, Out>())
    detail::reduce_items<automatic>("count_if", "first", first, count, out, detail::counting{}, indicator{predicate},
                                    detail::counting_options(options));
}
/// count_if, waiting for the stream and returning the number.
template <device_range In, class Predicate>
[[nodiscard]] std::int64_t count_if_value(const In& in, Predicate predicate, const call_options& options = {}) {
  return host::wait_for_value<std::int64_t>("count_if_value", options.stream, [&](std::int64_t* out) {
    if constexpr (detail::check_counting<Predicate, item_t<const In>, std::int64_t*>())
      detail::reduce_range<automatic>("count_if_value", in, out, detail::counting{}, indicator{predicate},
                                      detail::counting_options(options));
  });
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Predicate>
[[nodiscard]] std::int64_t count_if_value(It first, std::int64_t count, Predicate predicate,
                                          const call_options& options = {}) {
  return host::wait_for_value<std::int64_t>("count_if_value", options.stream, [&](std::int64_t* out) {
    if constexpr (detail::check_counting<Predicate, iterator_item_t<It>, std::int64_t*>())
      detail::reduce_items<automatic>("count_if_value", "first", first, count, out, detail::counting{},
                                      indicator{predicate}, detail::counting_options(options));
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
