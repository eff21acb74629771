// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed of vectors every day, each in one read: dot, asum, amax, norm2, mean, minmax, logsumexp.
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
//   reduce_axes(in, out, wf::axes{0}, wf::euclidean_norm{});       a norm a column; reduce_rows and reduce_columns too
//   reduce_by_key(keys, values, out_keys, out_values, out_count, wf::arithmetic_mean{});
//
// half, bfloat16 and fp8 are computed as float, integers below 32 bits as int, their norms, means and logsumexp as
// double. .init is an accumulator of the operator: for asum, amax and dot a number.
#pragma once
#include <warpfold/log_sum_exp_operator.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/vector_operators.hpp>

namespace warpfold {
inline namespace WARPFOLD_HIDDEN_V1 {

/// *out = |in[0]| + |in[1]| + ..., as BLAS. Of nothing 0.
template <device_range In, class Out, class A = detail::transformed_accumulator_t<plus, magnitude, item_t<const In>>>
  requires any_device_output<Out>
void asum(const In& in, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_range<automatic>("asum", in, out, plus{}, magnitude{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Out,
          class A = detail::transformed_accumulator_t<plus, magnitude, iterator_item_t<It>>>
  requires any_device_output<Out>
void asum(It first, std::int64_t count, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_items<automatic>("asum", "first", first, count, out, plus{}, magnitude{}, options);
}
/// asum, waiting for the stream and returning the value.
template <device_range In, class A = detail::transformed_accumulator_t<plus, magnitude, item_t<const In>>>
[[nodiscard]] lowered_t<plus, A> asum_value(const In& in, const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(in, plus{}, magnitude{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class A = detail::transformed_accumulator_t<plus, magnitude, iterator_item_t<It>>>
[[nodiscard]] lowered_t<plus, A> asum_value(It first, std::int64_t count,
                                            const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(first, count, plus{}, magnitude{}, options);
}

/// *out = the largest |in[i]|; NaN propagates. Of nothing the least number. (Where it lies: transform_reduce with
/// arg_maximum and magnitude.)
template <device_range In, class Out, class A = detail::transformed_accumulator_t<maximum, magnitude, item_t<const In>>>
  requires any_device_output<Out>
void amax(const In& in, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_range<automatic>("amax", in, out, maximum{}, magnitude{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Out,
          class A = detail::transformed_accumulator_t<maximum, magnitude, iterator_item_t<It>>>
  requires any_device_output<Out>
void amax(It first, std::int64_t count, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_items<automatic>("amax", "first", first, count, out, maximum{}, magnitude{}, options);
}
/// amax, waiting for the stream and returning the value.
template <device_range In, class A = detail::transformed_accumulator_t<maximum, magnitude, item_t<const In>>>
[[nodiscard]] lowered_t<maximum, A> amax_value(const In& in,
                                               const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(in, maximum{}, magnitude{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class A = detail::transformed_accumulator_t<maximum, magnitude, iterator_item_t<It>>>
[[nodiscard]] lowered_t<maximum, A> amax_value(It first, std::int64_t count,
                                               const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(first, count, maximum{}, magnitude{}, options);
}

/// *out = the Euclidean norm, without overflow or underflow: of floats of 1e20, say. Of nothing 0.
template <device_range In, class Out, class A = accumulator_t<euclidean_norm, item_t<const In>>>
  requires any_device_output<Out>
void norm2(const In& in, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_range<automatic>("norm2", in, out, euclidean_norm{}, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Out, class A = accumulator_t<euclidean_norm, iterator_item_t<It>>>
  requires any_device_output<Out>
void norm2(It first, std::int64_t count, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_items<automatic>("norm2", "first", first, count, out, euclidean_norm{}, thread::no_transform{},
                                  options);
}
/// norm2, waiting for the stream and returning the value.
template <device_range In, class A = accumulator_t<euclidean_norm, item_t<const In>>>
[[nodiscard]] lowered_t<euclidean_norm, A> norm2_value(const In& in,
                                                       const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(in, euclidean_norm{}, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class A = accumulator_t<euclidean_norm, iterator_item_t<It>>>
[[nodiscard]] lowered_t<euclidean_norm, A> norm2_value(It first, std::int64_t count,
                                                       const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(first, count, euclidean_norm{}, thread::no_transform{}, options);
}

/// *out = the arithmetic mean. Of nothing NaN.
template <device_range In, class Out, class A = accumulator_t<arithmetic_mean, item_t<const In>>>
  requires any_device_output<Out>
void mean(const In& in, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_range<automatic>("mean", in, out, arithmetic_mean{}, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Out, class A = accumulator_t<arithmetic_mean, iterator_item_t<It>>>
  requires any_device_output<Out>
void mean(It first, std::int64_t count, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_items<automatic>("mean", "first", first, count, out, arithmetic_mean{}, thread::no_transform{},
                                  options);
}
/// mean, waiting for the stream and returning the value.
template <device_range In, class A = accumulator_t<arithmetic_mean, item_t<const In>>>
[[nodiscard]] lowered_t<arithmetic_mean, A> mean_value(const In& in,
                                                       const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(in, arithmetic_mean{}, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class A = accumulator_t<arithmetic_mean, iterator_item_t<It>>>
[[nodiscard]] lowered_t<arithmetic_mean, A> mean_value(It first, std::int64_t count,
                                                       const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(first, count, arithmetic_mean{}, thread::no_transform{}, options);
}

/// *out = the smallest and the largest item, as extrema<V>; NaN propagates into both.
template <device_range In, class Out, class A = accumulator_t<minimum_maximum, item_t<const In>>>
  requires any_device_output<Out>
void minmax(const In& in, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_range<automatic>("minmax", in, out, minimum_maximum{}, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Out, class A = accumulator_t<minimum_maximum, iterator_item_t<It>>>
  requires any_device_output<Out>
void minmax(It first, std::int64_t count, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_items<automatic>("minmax", "first", first, count, out, minimum_maximum{}, thread::no_transform{},
                                  options);
}
/// minmax, waiting for the stream and returning the value.
template <device_range In, class A = accumulator_t<minimum_maximum, item_t<const In>>>
[[nodiscard]] lowered_t<minimum_maximum, A> minmax_value(const In& in,
                                                         const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(in, minimum_maximum{}, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class A = accumulator_t<minimum_maximum, iterator_item_t<It>>>
[[nodiscard]] lowered_t<minimum_maximum, A> minmax_value(It first, std::int64_t count,
                                                         const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(first, count, minimum_maximum{}, thread::no_transform{}, options);
}

/// *out = log(exp(in[0]) + exp(in[1]) + ...), without overflow. Of nothing -inf.
template <device_range In, class Out, class A = accumulator_t<log_sum_exp, item_t<const In>>>
  requires any_device_output<Out>
void logsumexp(const In& in, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_range<automatic>("logsumexp", in, out, log_sum_exp{}, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class Out, class A = accumulator_t<log_sum_exp, iterator_item_t<It>>>
  requires any_device_output<Out>
void logsumexp(It first, std::int64_t count, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_items<automatic>("logsumexp", "first", first, count, out, log_sum_exp{}, thread::no_transform{},
                                  options);
}
/// logsumexp, waiting for the stream and returning the value.
template <device_range In, class A = accumulator_t<log_sum_exp, item_t<const In>>>
[[nodiscard]] lowered_t<log_sum_exp, A> logsumexp_value(const In& in,
                                                        const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(in, log_sum_exp{}, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, class A = accumulator_t<log_sum_exp, iterator_item_t<It>>>
[[nodiscard]] lowered_t<log_sum_exp, A> logsumexp_value(It first, std::int64_t count,
                                                        const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(first, count, log_sum_exp{}, thread::no_transform{}, options);
}

/// *out = left[0] right[0] + left[1] right[1] + ...: products are rounded, and of half exact in float. Of nothing 0.
template <device_range Left, device_range Right, class Out,
          class A = detail::transformed_accumulator_t<plus, product, item_t<const Left>, item_t<const Right>>>
  requires any_device_output<Out>
void dot(const Left& left, const Right& right, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_ranges<automatic>("dot", left, right, out, plus{}, product{}, options);
}
/// The same of `count` pairs.
template <item_iterator Left, item_iterator Right, class Out,
          class A = detail::transformed_accumulator_t<plus, product, iterator_item_t<Left>, iterator_item_t<Right>>>
  requires any_device_output<Out>
void dot(Left left, Right right, std::int64_t count, Out&& out,
         const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_pairs<automatic>("dot", left, right, count, out, plus{}, product{}, options);
}
/// dot, waiting for the stream and returning the value.
template <device_range Left, device_range Right,
          class A = detail::transformed_accumulator_t<plus, product, item_t<const Left>, item_t<const Right>>>
[[nodiscard]] A dot_value(const Left& left, const Right& right,
                          const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(left, right, plus{}, product{}, options);
}
/// The same of `count` pairs.
template <item_iterator Left, item_iterator Right,
          class A = detail::transformed_accumulator_t<plus, product, iterator_item_t<Left>, iterator_item_t<Right>>>
[[nodiscard]] A dot_value(Left left, Right right, std::int64_t count,
                          const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::transform_reduce_value(left, right, count, plus{}, product{}, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
