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

/// Whether an item has the answer `Wanted`: then the result is `IfFound`, else the other one.
template <bool Wanted, bool IfFound> struct whether {
  using type = bool;

  template <class It, class Out, class Predicate>
  static void enqueue(const char* function, const char* argument, const It& first, std::int64_t count, Out&& out,
                      Predicate predicate, const call_options& options) {
    if constexpr (check_transform<logical_or, Predicate, bool, iterator_item_t<It>>() &&
                  check_written<bool, output_iterator_t<Out>>()) {
      const auto from = to_kernel_iterator(first);
      host_side::check_count(function, count);
      if (count > 0) host_side::check_pointer(function, argument, from);
      quantifiers::enqueue(function, make_leaves<bool>(logical_or{}, make_source(from, count), predicate), Wanted,
                           IfFound, checked_output(function, out), options);
    }
  }
};

/// How many items have the answer true.
struct how_many {
  using type = std::int64_t;

  template <class It, class Out, class Predicate>
  static void enqueue(const char* function, const char* argument, const It& first, std::int64_t count, Out&& out,
                      Predicate predicate, const call_options& options) {
    using number = typename promoted<written_t<output_iterator_t<Out>>>::type;
    constexpr bool holds_counts = !std::is_arithmetic_v<number> || std::numeric_limits<number>::digits >= 53;
    static_assert(holds_counts, "warpfold: out cannot hold a count of items, which is a std::int64_t");
    if constexpr (holds_counts && check_transform<logical_or, Predicate, bool, iterator_item_t<It>>())
      reduce_items<automatic>(function, argument, first, count, out, accumulate_in<std::int64_t>(plus{}),
                              indicator{predicate},
                              reduce_options<std::int64_t>{options.stream, {}, options.workspace, options.max_blocks});
  }
};

/// A function of both forms of input. As an object, it is found by its name alone, never by the arguments' namespaces.
template <class Answer> struct predicate_function {
  const char* name;

  /// Of the items of `in`.
  template <device_range In, class Out, class Predicate>
    requires any_device_output<Out>
  void operator()(const In& in, Out&& out, Predicate predicate, const call_options& options = {}) const {
    Answer::enqueue(name, "in", in.data(), static_cast<std::int64_t>(in.size()), out, predicate, options);
  }
  /// Of `count` items from `first` on.
  template <item_iterator It, class Out, class Predicate>
    requires any_device_output<Out>
  void operator()(It first, std::int64_t count, Out&& out, Predicate predicate,
                  const call_options& options = {}) const {
    Answer::enqueue(name, "first", first, count, out, predicate, options);
  }
};

/// The same, waiting for the stream and returning the answer. Cannot be captured.
template <class Answer> struct predicate_value_function {
  using type = typename Answer::type;
  const char* name;

  /// Of the items of `in`.
  template <device_range In, class Predicate>
  [[nodiscard]] type operator()(const In& in, Predicate predicate, const call_options& options = {}) const {
    return host_side::wait_for_value<type>(name, options.stream, [&](type* out) {
      Answer::enqueue(name, "in", in.data(), static_cast<std::int64_t>(in.size()), out, predicate, options);
    });
  }
  /// Of `count` items from `first` on.
  template <item_iterator It, class Predicate>
  [[nodiscard]] type operator()(It first, std::int64_t count, Predicate predicate,
                                const call_options& options = {}) const {
    return host_side::wait_for_value<type>(name, options.stream, [&](type* out) {
      Answer::enqueue(name, "first", first, count, out, predicate, options);
    });
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// *out = whether `predicate` holds for at least one item.
inline constexpr detail::predicate_function<detail::whether<true, true>> any_of{"any_of"};
inline constexpr detail::predicate_value_function<detail::whether<true, true>> any_of_value{"any_of_value"};

/// *out = whether `predicate` holds for every item.
inline constexpr detail::predicate_function<detail::whether<false, false>> all_of{"all_of"};
inline constexpr detail::predicate_value_function<detail::whether<false, false>> all_of_value{"all_of_value"};

/// *out = whether `predicate` holds for no item.
inline constexpr detail::predicate_function<detail::whether<true, false>> none_of{"none_of"};
inline constexpr detail::predicate_value_function<detail::whether<true, false>> none_of_value{"none_of_value"};

/// *out = the number of items for which `predicate` holds.
inline constexpr detail::predicate_function<detail::how_many> count_if{"count_if"};
inline constexpr detail::predicate_value_function<detail::how_many> count_if_value{"count_if_value"};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
