// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// argmin, argmax and arg_minmax in an order of the caller's, less(a, b); arg_reduce.cuh documents them, and includes
// this. The operators, for segments, keys and axes, are in arg_by_operators.hpp.
#pragma once
#include <warpfold/arg_by_operators.hpp>
#include <warpfold/host/refused_calls.hpp>
#include <warpfold/item_count.hpp>
#include <warpfold/reduce.cuh>

namespace warpfold {

namespace detail {
/// The options of a call that finds extrema of `T` in an order of the caller's.
template <template <class> class Result, class T> using arg_by_options = reduce_options<Result<T>>;
template <class T> using value_result = indexed_value<T>;
template <class T> using extrema_result = indexed_extrema<T>;

/// Checks an order of items of type `T`.
template <class Less, class T> consteval bool check_order() {
  constexpr bool is_order = compares<Less, T> && !is_host_pointer<Less> && is_passed_by_bytes<Less>;
  static_assert(is_order,
                "warpfold: the order must be a trivially copyable function object or lambda, callable as bool "
                "less(item, item) const");
  return is_order;
}
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// argmin (arg_reduce.cuh) in the order less(a, b).
template <ties T = ties::first, device_range In, class Out, operator_argument Less>
void argmin(const In& in, Out&& out, Less less,
            const detail::arg_by_options<detail::value_result, item_t<const In>>& options = {}) {
  if constexpr (detail::check_order<Less, item_t<const In>>())
    detail::reduce_range<automatic>("argmin", in, out, arg_minimum_by<T>(less), thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, item_iterator It, class Out, operator_argument Less>
void argmin(It first, const count_argument<It>& count, Out&& out, Less less,
            const detail::arg_by_options<detail::value_result, iterator_item_t<It>>& options = {}) {
  if constexpr (detail::check_order<Less, iterator_item_t<It>>())
    detail::reduce_items<automatic>("argmin", "first", first, count.from(first), out, arg_minimum_by<T>(less),
                                    thread::no_transform{}, options);
}
/// argmin in the order `less`, waiting for the stream and returning the result.
template <ties T = ties::first, device_range In, operator_argument Less>
[[nodiscard]] auto argmin_value(const In& in, Less less,
                                const detail::arg_by_options<detail::value_result, item_t<const In>>& options = {}) {
  if constexpr (detail::check_order<Less, item_t<const In>>())
    return detail::value_of_range<automatic>("argmin_value", in, arg_minimum_by<T>(less), options);
  else return detail::any_value();
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, item_iterator It, operator_argument Less>
[[nodiscard]] auto argmin_value(It first, const count_argument<It>& count, Less less,
                                const detail::arg_by_options<detail::value_result, iterator_item_t<It>>& options = {}) {
  if constexpr (detail::check_order<Less, iterator_item_t<It>>())
    return detail::value_of_items<automatic>("argmin_value", "first", first, count.from(first), arg_minimum_by<T>(less),
                                             options);
  else return detail::any_value();
}

/// argmax (arg_reduce.cuh) in the order less(a, b).
template <ties T = ties::first, device_range In, class Out, operator_argument Less>
void argmax(const In& in, Out&& out, Less less,
            const detail::arg_by_options<detail::value_result, item_t<const In>>& options = {}) {
  if constexpr (detail::check_order<Less, item_t<const In>>())
    detail::reduce_range<automatic>("argmax", in, out, arg_maximum_by<T>(less), thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, item_iterator It, class Out, operator_argument Less>
void argmax(It first, const count_argument<It>& count, Out&& out, Less less,
            const detail::arg_by_options<detail::value_result, iterator_item_t<It>>& options = {}) {
  if constexpr (detail::check_order<Less, iterator_item_t<It>>())
    detail::reduce_items<automatic>("argmax", "first", first, count.from(first), out, arg_maximum_by<T>(less),
                                    thread::no_transform{}, options);
}
/// argmax in the order `less`, waiting for the stream and returning the result.
template <ties T = ties::first, device_range In, operator_argument Less>
[[nodiscard]] auto argmax_value(const In& in, Less less,
                                const detail::arg_by_options<detail::value_result, item_t<const In>>& options = {}) {
  if constexpr (detail::check_order<Less, item_t<const In>>())
    return detail::value_of_range<automatic>("argmax_value", in, arg_maximum_by<T>(less), options);
  else return detail::any_value();
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, item_iterator It, operator_argument Less>
[[nodiscard]] auto argmax_value(It first, const count_argument<It>& count, Less less,
                                const detail::arg_by_options<detail::value_result, iterator_item_t<It>>& options = {}) {
  if constexpr (detail::check_order<Less, iterator_item_t<It>>())
    return detail::value_of_items<automatic>("argmax_value", "first", first, count.from(first), arg_maximum_by<T>(less),
                                             options);
  else return detail::any_value();
}

/// arg_minmax (arg_reduce.cuh) in the order less(a, b).
template <ties T = ties::first, device_range In, class Out, operator_argument Less>
void arg_minmax(const In& in, Out&& out, Less less,
                const detail::arg_by_options<detail::extrema_result, item_t<const In>>& options = {}) {
  if constexpr (detail::check_order<Less, item_t<const In>>())
    detail::reduce_range<automatic>("arg_minmax", in, out, arg_extrema_by<T>(less), thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, item_iterator It, class Out, operator_argument Less>
void arg_minmax(It first, const count_argument<It>& count, Out&& out, Less less,
                const detail::arg_by_options<detail::extrema_result, iterator_item_t<It>>& options = {}) {
  if constexpr (detail::check_order<Less, iterator_item_t<It>>())
    detail::reduce_items<automatic>("arg_minmax", "first", first, count.from(first), out, arg_extrema_by<T>(less),
                                    thread::no_transform{}, options);
}
/// arg_minmax in the order `less`, waiting for the stream and returning the result.
template <ties T = ties::first, device_range In, operator_argument Less>
[[nodiscard]] auto arg_minmax_value(
    const In& in, Less less, const detail::arg_by_options<detail::extrema_result, item_t<const In>>& options = {}) {
  if constexpr (detail::check_order<Less, item_t<const In>>())
    return detail::value_of_range<automatic>("arg_minmax_value", in, arg_extrema_by<T>(less), options);
  else return detail::any_value();
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, item_iterator It, operator_argument Less>
[[nodiscard]] auto arg_minmax_value(
    It first, const count_argument<It>& count, Less less,
    const detail::arg_by_options<detail::extrema_result, iterator_item_t<It>>& options = {}) {
  if constexpr (detail::check_order<Less, iterator_item_t<It>>())
    return detail::value_of_items<automatic>("arg_minmax_value", "first", first, count.from(first),
                                             arg_extrema_by<T>(less), options);
  else return detail::any_value();
}

// ---- what is refused (host/refused_calls.hpp) ----

template <ties T = ties::first, nans N = nans::propagate, item_iterator It, class Out>
void argmin(It, Out&&, const detail::any_options& = {}) {
  detail::refuse_missing_count<It>();
}
template <ties T = ties::first, nans N = nans::propagate, item_iterator It>
detail::any_value argmin_value(It, const detail::any_options& = {}) {
  return detail::refuse_missing_count<It>();
}

template <ties T = ties::first, nans N = nans::propagate, item_iterator It, class Out>
void argmax(It, Out&&, const detail::any_options& = {}) {
  detail::refuse_missing_count<It>();
}
template <ties T = ties::first, nans N = nans::propagate, item_iterator It>
detail::any_value argmax_value(It, const detail::any_options& = {}) {
  return detail::refuse_missing_count<It>();
}

template <ties T = ties::first, nans N = nans::propagate, item_iterator It, class Out>
void arg_minmax(It, Out&&, const detail::any_options& = {}) {
  detail::refuse_missing_count<It>();
}
template <ties T = ties::first, nans N = nans::propagate, item_iterator It>
detail::any_value arg_minmax_value(It, const detail::any_options& = {}) {
  return detail::refuse_missing_count<It>();
}

template <ties T = ties::first, nans N = nans::propagate, class Call = void>
void argmin(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
            detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
            detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <ties T = ties::first, nans N = nans::propagate, class Call = void>
detail::any_value argmin_value(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                               detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                               detail::any_argument = {}, detail::any_argument = {}) {
  return detail::refuse_arguments<Call>();
}
template <ties T = ties::first, nans N = nans::propagate, class Call = void>
void argmax(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
            detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
            detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <ties T = ties::first, nans N = nans::propagate, class Call = void>
detail::any_value argmax_value(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                               detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                               detail::any_argument = {}, detail::any_argument = {}) {
  return detail::refuse_arguments<Call>();
}
template <ties T = ties::first, nans N = nans::propagate, class Call = void>
void arg_minmax(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <ties T = ties::first, nans N = nans::propagate, class Call = void>
detail::any_value arg_minmax_value(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                                   detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                                   detail::any_argument = {}, detail::any_argument = {}) {
  return detail::refuse_arguments<Call>();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
