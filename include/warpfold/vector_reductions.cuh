// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everyday results of vectors, each in one read: dot, asum, amax, norm2, mean, minmax, logsumexp.
//
// | function                              | inputs                                         | output             |
// |---------------------------------------|------------------------------------------------|--------------------|
// | asum, amax, norm2, mean, minmax,      | in; or first, count                            | out                |
// | logsumexp                             |                                                |                    |
// | dot                                   | left, right; or left, right, count             | out                |
// | asum_value, ..., dot_value            | the same                                       | returned           |
//
// Each call may end with reduce_options. The functions call reduce and transform_reduce, whose inputs, outputs, order,
// determinism, cost and errors they share, with an operator of vector_operators.hpp or log_sum_exp_operator.hpp, which
// says what is computed and how exactly. Of segments, axes and runs:
//
//   segmented_reduce(in, offsets, out, wf::euclidean_norm{});       arithmetic_mean, minimum_maximum, log_sum_exp
//   transform_segmented_reduce(in, offsets, out, wf::plus{}, wf::magnitude{});           asum; amax with maximum
//   reduce_axes(in, out, wf::axes{0}, wf::euclidean_norm{});       a norm per column; also reduce_rows, reduce_columns
//   reduce_by_key(keys, values, out_keys, out_values, out_count, wf::arithmetic_mean{});
//
// half, bfloat16 and fp8 are computed as float, integers below 32 bits as int, their norms, means and logsumexp as
// double. .init is an accumulator of the operator: for asum, amax and dot a number.
#pragma once
#include <warpfold/host/keyed_items.hpp>
#include <warpfold/host/refused_calls.hpp>
#include <warpfold/item_count.hpp>
#include <warpfold/log_sum_exp_operator.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/vector_operators.hpp>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The options of a call that reduces what `Transform` makes of the items of `Ins`, each a range or an iterator.
template <class Op, class Transform, class... Ins>
using options_for = reduce_options<transformed_accumulator_t<Op, Transform, items_argument_t<Ins>...>>;

/// A function of both forms of input: it reduces by `Op` what `Transform` makes of the items. As an object, it is found
/// by its name alone, never by the arguments' namespaces.
template <class Op, class Transform = thread::no_transform> struct named_reduction : refused_reductions {
  using refused_reductions::operator();
  const char* name;

  /// Of the items of `in`.
  template <device_range In, class Out>
  void operator()(const In& in, Out&& out, const options_for<Op, Transform, In>& options = {}) const {
    reduce_range<automatic>(name, in, out, Op{}, Transform{}, options);
  }
  /// Of `count` items from `first` on.
  template <item_iterator It, class Out>
  void operator()(It first, const count_argument<It>& count, Out&& out,
                  const options_for<Op, Transform, It>& options = {}) const {
    reduce_items<automatic>(name, "first", first, count.from(first), out, Op{}, Transform{}, options);
  }
};

/// The same, waiting for the stream and returning the value. Cannot be captured.
template <class Op, class Transform = thread::no_transform> struct named_reduction_value : refused_values {
  using refused_values::operator();
  const char* name;

  /// Of the items of `in`.
  template <device_range In>
  [[nodiscard]] auto operator()(const In& in, const options_for<Op, Transform, In>& options = {}) const {
    return wait(options, [&](auto* out) { reduce_range<automatic>(name, in, out, Op{}, Transform{}, options); });
  }
  /// Of `count` items from `first` on.
  template <item_iterator It>
  [[nodiscard]] auto operator()(It first, const count_argument<It>& count,
                                const options_for<Op, Transform, It>& options = {}) const {
    return wait(options, [&](auto* out) {
      reduce_items<automatic>(name, "first", first, count.from(first), out, Op{}, Transform{}, options);
    });
  }

 private:
  template <class A, class Enqueue> auto wait(const reduce_options<A>& options, Enqueue enqueue) const {
    return host_side::wait_for_value<lowered_t<Op, A>>(name, options.stream, enqueue);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// *out = |in[0]| + |in[1]| + …; moduli of complex numbers, where BLAS adds |Re| + |Im|. Of nothing 0.
inline constexpr detail::named_reduction<plus, magnitude> asum{{}, "asum"};
/// asum, waiting for the stream and returning the value.
inline constexpr detail::named_reduction_value<plus, magnitude> asum_value{{}, "asum_value"};

/// *out = the largest |in[i]|; NaN propagates. Of nothing the least number. (Where it lies: transform_reduce with
/// arg_maximum and magnitude.)
inline constexpr detail::named_reduction<maximum, magnitude> amax{{}, "amax"};
/// amax, waiting for the stream and returning the value.
inline constexpr detail::named_reduction_value<maximum, magnitude> amax_value{{}, "amax_value"};

/// *out = the Euclidean norm, without overflow or underflow: of floats of 1e20, say. Of nothing 0.
inline constexpr detail::named_reduction<euclidean_norm> norm2{{}, "norm2"};
/// norm2, waiting for the stream and returning the value.
inline constexpr detail::named_reduction_value<euclidean_norm> norm2_value{{}, "norm2_value"};

/// *out = the arithmetic mean. Of nothing NaN.
inline constexpr detail::named_reduction<arithmetic_mean> mean{{}, "mean"};
/// mean, waiting for the stream and returning the value.
inline constexpr detail::named_reduction_value<arithmetic_mean> mean_value{{}, "mean_value"};

/// *out = the smallest and the largest item, as extrema<V>; NaN propagates into both.
inline constexpr detail::named_reduction<minimum_maximum> minmax{{}, "minmax"};
/// minmax, waiting for the stream and returning the values.
inline constexpr detail::named_reduction_value<minimum_maximum> minmax_value{{}, "minmax_value"};

/// *out = log(exp(in[0]) + exp(in[1]) + …), without overflow. Of nothing -inf.
inline constexpr detail::named_reduction<log_sum_exp> logsumexp{{}, "logsumexp"};
/// logsumexp, waiting for the stream and returning the value.
inline constexpr detail::named_reduction_value<log_sum_exp> logsumexp_value{{}, "logsumexp_value"};

/// *out = left[0] right[0] + left[1] right[1] + ...: products are rounded, and of half exact in float. Of nothing 0.
template <device_range Left, device_range Right, class Out>
void dot(const Left& left, const Right& right, Out&& out,
         const detail::options_for<plus, product, Left, Right>& options = {}) {
  detail::reduce_ranges<automatic>("dot", left, right, out, plus{}, product{}, options);
}
/// The same of `count` pairs.
template <item_iterator Left, item_iterator Right, class Out>
void dot(Left left, Right right, std::int64_t count, Out&& out,
         const detail::options_for<plus, product, Left, Right>& options = {}) {
  detail::reduce_pairs<automatic>("dot", left, right, count, out, plus{}, product{}, options);
}
/// dot, waiting for the stream and returning the value.
template <device_range Left, device_range Right>
[[nodiscard]] auto dot_value(const Left& left, const Right& right,
                             const detail::options_for<plus, product, Left, Right>& options = {}) {
  return host_side::wait_for_value<std::remove_cvref_t<decltype(options.init.value())>>(
      "dot_value", options.stream,
      [&](auto* out) { detail::reduce_ranges<automatic>("dot_value", left, right, out, plus{}, product{}, options); });
}
/// The same of `count` pairs.
template <item_iterator Left, item_iterator Right>
[[nodiscard]] auto dot_value(Left left, Right right, std::int64_t count,
                             const detail::options_for<plus, product, Left, Right>& options = {}) {
  return host_side::wait_for_value<std::remove_cvref_t<decltype(options.init.value())>>(
      "dot_value", options.stream, [&](auto* out) {
        detail::reduce_pairs<automatic>("dot_value", left, right, count, out, plus{}, product{}, options);
      });
}

// ---- what is refused (host/refused_calls.hpp) ----

template <item_iterator Left, item_iterator Right, class Out>
void dot(Left, Right, Out&&, const detail::any_options& = {}) {
  detail::refuse_two_inputs<Left>();
}
template <item_iterator Left, item_iterator Right, item_iterator Third, class Out>
void dot(Left, Right, Third, Out&&, const detail::any_options& = {}) {
  detail::refuse_two_inputs<Left>();
}
template <item_iterator Left, item_iterator Right>
detail::any_value dot_value(Left, Right, const detail::any_options& = {}) {
  return detail::refuse_two_inputs<Left>();
}
template <item_iterator Left, item_iterator Right, item_iterator Third>
detail::any_value dot_value(Left, Right, Third, const detail::any_options& = {}) {
  return detail::refuse_two_inputs<Left>();
}

template <class Call = void>
void dot(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
         detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <class Call = void>
detail::any_value dot_value(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                            detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                            detail::any_argument = {}, detail::any_argument = {}) {
  return detail::refuse_arguments<Call>();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
