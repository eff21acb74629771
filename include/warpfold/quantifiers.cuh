// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a predicate holds for the items of a sequence: any_of, all_of, none_of, count_if, count.
//
// | function                                    | inputs              | output            | then                  |
// |---------------------------------------------|---------------------|-------------------|-----------------------|
// | any_of, all_of, none_of, count_if           | in; or first, count | out               | predicate [options]   |
// | any_of_value, ..., count_if_value           | in; or first, count | returned          | predicate [options]   |
// | count                                       | in; or first, count | out               | value [options]       |
// | count_value                                 | in; or first, count | returned          | value [options]       |
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
// - count: the number of items that are equal to `value`, as count_if.
// - Errors: those of reduce.
#pragma once
#include <limits>
#include <warpfold/call_options.hpp>
#include <warpfold/host/refused_calls.hpp>
#include <warpfold/item_count.hpp>
#include <warpfold/quantifiers/dispatch.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/vector_operators.hpp>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class T> struct equals_value;
template <class Predicate> inline constexpr bool is_equals_value = false;
template <class T> inline constexpr bool is_equals_value<equals_value<T>> = true;

/// Checks a predicate of items of type `T`.
template <class Predicate, class T> consteval bool check_predicate() {
  constexpr bool is_passed = is_passed_by_bytes<Predicate> && !is_host_pointer<Predicate>;
  static_assert(
      is_passed,
      "warpfold: the predicate must be a trivially copyable function object or lambda: it is passed to the GPU "
      "by its bytes, and a function pointer is the host's");
  static_assert(!is_device_lambda<Predicate>,
                "warpfold: declare what the predicate returns, as in [] __device__(float x) -> bool { ... }");
  constexpr bool decides = [] {
    if constexpr (std::is_invocable_v<callable_t<Predicate>, const T&>)
      return std::is_constructible_v<bool, std::invoke_result_t<callable_t<Predicate>, const T&>>;
    else return false;
  }();
  static_assert(decides || !is_equals_value<Predicate>,
                "warpfold: count needs a value that == compares with the items; a predicate goes to count_if");
  static_assert(decides || is_device_lambda<Predicate> || is_equals_value<Predicate>,
                "warpfold: the predicate must be callable as bool predicate(item) const");
  return is_passed && decides && !is_device_lambda<Predicate> && check_callable_on_device<Predicate>();
}

/// Whether an item has the answer `Wanted`: then the result is `IfFound`, else the other one.
template <bool Wanted, bool IfFound> struct whether {
  using type = bool;

  template <class It, class Out, class Predicate>
  static void enqueue(const char* function, const char* argument, const It& first, std::int64_t count, Out&& out,
                      Predicate predicate, const call_options& options) {
    if constexpr (check_predicate<Predicate, iterator_item_t<It>>() && check_written<bool, output_iterator_t<Out>>()) {
      const auto source = checked_source(function, argument, first, count);
      quantifiers::enqueue(function, make_leaves<bool>(logical_or{}, source, predicate), Wanted, IfFound,
                           checked_output(function, out), options);
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
    if constexpr (holds_counts && check_predicate<Predicate, iterator_item_t<It>>())
      reduce_items<automatic>(function, argument, first, count, out, accumulate_in<std::int64_t>(plus{}),
                              indicator{predicate},
                              reduce_options<std::int64_t>{options.stream, {}, options.workspace, options.max_blocks});
  }
};

/// Whether an item is equal to `value`.
template <class T> struct equals_value {
  T value;

  template <class Item>
    requires requires(const Item& item, const T& of) { static_cast<bool>(item == of); }
  __host__ __device__ constexpr bool operator()(const Item& item) const {
    if constexpr (is_integer<Item> && is_integer<T>) {
      using common = std::common_type_t<Item, T>;  // of two signs it is unsigned, or the wider one
      return is_negative(item) == is_negative(value) && static_cast<common>(item) == static_cast<common>(value);
    } else if constexpr (std::is_arithmetic_v<Item> && std::is_arithmetic_v<T>) {
      using common = std::common_type_t<Item, T>;
      return static_cast<common>(item) == static_cast<common>(value);
    } else return static_cast<bool>(item == value);
  }
};
template <class T> equals_value(T) -> equals_value<T>;  // of an array: a pointer

/// A function of both forms of input. As an object, it is found by its name alone, never by the arguments' namespaces.
template <class Answer> struct predicate_function : refused_predicates {
  using refused_predicates::operator();
  const char* name;

  /// Of the items of `in`.
  template <device_range In, class Out, class Predicate>
  void operator()(const In& in, Out&& out, Predicate predicate, const call_options& options = {}) const {
    Answer::enqueue(name, "in", in.data(), static_cast<std::int64_t>(in.size()), out, predicate, options);
  }
  /// Of `count` items from `first` on.
  template <item_iterator It, class Out, class Predicate>
  void operator()(It first, const count_argument<It>& count, Out&& out, Predicate predicate,
                  const call_options& options = {}) const {
    Answer::enqueue(name, "first", first, count.from(first), out, predicate, options);
  }
};

/// The same, waiting for the stream and returning the answer. Cannot be captured.
template <class Answer> struct predicate_value_function : refused_predicate_values {
  using refused_predicate_values::operator();
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
  [[nodiscard]] type operator()(It first, const count_argument<It>& count, Predicate predicate,
                                const call_options& options = {}) const {
    return host_side::wait_for_value<type>(name, options.stream, [&](type* out) {
      Answer::enqueue(name, "first", first, count.from(first), out, predicate, options);
    });
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// *out = whether `predicate` holds for at least one item.
inline constexpr detail::predicate_function<detail::whether<true, true>> any_of{{}, "any_of"};
/// any_of, waiting for the stream and returning the answer.
inline constexpr detail::predicate_value_function<detail::whether<true, true>> any_of_value{{}, "any_of_value"};

/// *out = whether `predicate` holds for every item.
inline constexpr detail::predicate_function<detail::whether<false, false>> all_of{{}, "all_of"};
/// all_of, waiting for the stream and returning the answer.
inline constexpr detail::predicate_value_function<detail::whether<false, false>> all_of_value{{}, "all_of_value"};

/// *out = whether `predicate` holds for no item.
inline constexpr detail::predicate_function<detail::whether<true, false>> none_of{{}, "none_of"};
/// none_of, waiting for the stream and returning the answer.
inline constexpr detail::predicate_value_function<detail::whether<true, false>> none_of_value{{}, "none_of_value"};

/// *out = the number of items for which `predicate` holds.
inline constexpr detail::predicate_function<detail::how_many> count_if{{}, "count_if"};
/// count_if, waiting for the stream and returning the number.
inline constexpr detail::predicate_value_function<detail::how_many> count_if_value{{}, "count_if_value"};

// Functions, since objects of this name would be hidden by parameters that count.

/// *out = the number of items that are equal to `value`: of integers by value, whatever their types, else by ==.
template <device_range In, class Out, class T>
void count(const In& in, Out&& out, const T& value, const call_options& options = {}) {
  detail::how_many::enqueue("count", "in", in.data(), static_cast<std::int64_t>(in.size()), out,
                            detail::equals_value{value}, options);
}
/// The same of `items` items from `first` on.
template <item_iterator It, class Out, class T>
void count(It first, const count_argument<It>& items, Out&& out, const T& value, const call_options& options = {}) {
  detail::how_many::enqueue("count", "first", first, items.from(first), out, detail::equals_value{value}, options);
}
/// count, waiting for the stream and returning the number. Cannot be captured.
template <device_range In, class T>
[[nodiscard]] std::int64_t count_value(const In& in, const T& value, const call_options& options = {}) {
  return detail::predicate_value_function<detail::how_many>{{}, "count_value"}(in, detail::equals_value{value},
                                                                               options);
}
/// The same of `items` items from `first` on.
template <item_iterator It, class T>
[[nodiscard]] std::int64_t count_value(It first, const count_argument<It>& items, const T& value,
                                       const call_options& options = {}) {
  return detail::predicate_value_function<detail::how_many>{{}, "count_value"}(first, items,
                                                                               detail::equals_value{value}, options);
}

// ---- what is refused (host/refused_calls.hpp) ----

template <item_iterator It, class Out, class T>
  requires detail::no_count<It, Out>
void count(It, Out&&, const T&, const detail::any_options& = {}) { detail::refuse_missing_count<It>(); }
template <item_iterator It, class T> detail::any_value count_value(It, const T&, const detail::any_options& = {}) {
  return detail::refuse_missing_count<It>();
}

template <class Call = void>
void count(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
           detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <class Call = void>
detail::any_value count_value(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                              detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                              detail::any_argument = {}, detail::any_argument = {}) {
  return detail::refuse_arguments<Call>();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
