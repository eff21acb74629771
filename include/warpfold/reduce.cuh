// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sequence to one value: reduce, transform_reduce, and the forms that wait for the value.
//
// | function               | inputs, any of                                      | output   | then                    |
// |------------------------|-----------------------------------------------------|----------|-------------------------|
// | reduce                 | in; first, count                                    | out      | [op] [options]          |
// | reduce_value           | in; first, count                                    | returned | [op] [options]          |
// | transform_reduce       | in; first, count; left, right; left, right, count   | out      | op, transform [options] |
// | transform_reduce_value | in; first, count; left, right; left, right, count   | returned | op, transform [options] |
//
// - `in`, and `left` and `right` without a count: contiguous ranges of device memory (device_range), as std::span,
//   cuda::std::span and thrust::device_vector are.
// - `first`, `left`, `right` with a count: iterators (item_iterator). What stands for a pointer is read as a range is;
//   anything else is indexed by device code, item by item, with 64 bits.
// - `out`: a device pointer, an iterator that device code can assign through, or a range, whose first item is written
//   (device_output). It is written when the stream gets there. fp8 and narrower get the nearest such number (see
//   GUARANTEES.md).
// - `op`: an associative operator (operators.hpp); the sum without it. `options`: reduce_options, {.stream = s} say.
//
// All functions of this header
// - fold strictly left to right with an operator that need only be associative, by the canonical tree
//   (canonical_tree.hpp): the same input gives the same bits on every run, grid and GPU, and in the emulator;
// - enqueue one kernel on options.stream, never wait (but the _value forms), and can be captured into a graph. On sm_90
//   it is launched while the kernel before it in the stream ends, and waits for that before it touches memory;
// - read each item once, at full rate from any alignment; scratch does not depend on the count;
// - join options.init once, on the left; an empty input gives init, else the operator's identity: +0 for a sum;
// - accumulate in accumulator_t<Op, T>, T being the item type, or what the transform returns; a _value form returns
//   that type. A sum or product into a wider type does not compile: accumulate_in says which type is meant;
// - may write `out` into the input: all items have been read by then. `out` must not lie in the workspace;
// - throw std::invalid_argument, before anything is enqueued, for a negative count, a null pointer with items, an
//   output without items, an empty input without init and identity, a workspace that is too small or misaligned, a
//   negative max_blocks, inputs of different lengths and host memory where device
//   memory is meant; cuda_error for what CUDA reports.
#pragma once
#include <warpfold/host/checked_source.cuh>
#include <warpfold/host/output_checks.cuh>
#include <warpfold/host/refused_reductions.hpp>
#include <warpfold/host/wait_for_value.cuh>
#include <warpfold/item_count.hpp>
#include <warpfold/reduce/dispatch.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

namespace detail {
// The public functions share these. `function` and `argument` are the names that the caller knows.
inline namespace WARPFOLD_HIDDEN_V1 {
template <class Out> auto checked_output(const char* function, Out&& out) {
  const auto to = to_output(out);
  host_side::for_each_output("out", to, [=](const char* name, const auto& first, std::int64_t size) {
    if (size == 0) reject(function, {name, " has no items"});
    host_side::check_pointer(function, name, first);
  });
  host_side::check_outputs_apart(function, "out", to, 1);
  return to.first;
}

template <class S, class It, class Out, class Op, class Transform, class A>
void reduce_items(const char* function, const char* argument, const It& first, std::int64_t count, Out&& out,
                  const Op& op, const Transform& transform, const reduce_options<A>& options) {
  if constexpr (check_types<Op, Transform, A, std::remove_cvref_t<output_iterator_t<Out>>, iterator_item_t<It>>()) {
    const auto source = checked_source(function, argument, first, count);
    host_side::reduce_with<S>::enqueue(function, make_leaves<A>(op, source, transform),
                                       lower_into<A>(op, checked_output(function, out)), op, options);
  }
}

template <class S, class In, class Out, class Op, class Transform, class A>
void reduce_range(const char* function, const In& in, Out&& out, const Op& op, const Transform& transform,
                  const reduce_options<A>& options) {
  reduce_items<S>(function, "in", in.data(), static_cast<std::int64_t>(in.size()), out, op, transform, options);
}

template <class S, class Out, class Op, class Transform, class A>
void reduce_pairs(const char* function, const auto& left, const auto& right, std::int64_t count, Out&& out,
                  const Op& op, const Transform& transform, const reduce_options<A>& options) {
  if constexpr (check_types<Op, Transform, A, std::remove_cvref_t<output_iterator_t<Out>>,
                            iterator_item_t<std::remove_cvref_t<decltype(left)>>,
                            iterator_item_t<std::remove_cvref_t<decltype(right)>>>()) {
    const auto source = checked_pairs(function, left, right, count);
    host_side::reduce_with<S>::enqueue(function, make_leaves<A>(op, source, transform),
                                       lower_into<A>(op, checked_output(function, out)), op, options);
  }
}

/// The same, waiting for the value.
template <class S, class It, class Op, class A>
lowered_t<Op, A> value_of_items(const char* function, const char* argument, const It& first, std::int64_t count,
                                const Op& op, const reduce_options<A>& options) {
  return host_side::wait_for_value<lowered_t<Op, A>>(function, options.stream, [&](lowered_t<Op, A>* out) {
    reduce_items<S>(function, argument, first, count, out, op, thread::no_transform{}, options);
  });
}
template <class S, class In, class Op, class A>
lowered_t<Op, A> value_of_range(const char* function, const In& in, const Op& op, const reduce_options<A>& options) {
  return value_of_items<S>(function, "in", in.data(), static_cast<std::int64_t>(in.size()), op, options);
}

template <class S, class Out, class Op, class Transform, class A>
void reduce_ranges(const char* function, const auto& left, const auto& right, Out&& out, const Op& op,
                   const Transform& transform, const reduce_options<A>& options) {
  const auto count = static_cast<std::int64_t>(left.size());
  host_side::check_equal_counts(function, count, static_cast<std::int64_t>(right.size()));
  reduce_pairs<S>(function, left.data(), right.data(), count, out, op, transform, options);
}
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

// No default argument and no default template argument for Op below: `{...}` would otherwise bind to it.

/// *out = init op first[0] op … op first[count - 1].
template <reduction_strategy S = automatic, item_iterator It, class Out, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<It>>>
void reduce(It first, const count_argument<It>& count, Out&& out, Op op,
            const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_items<S>("reduce", "first", first, count.from(first), out, op, thread::no_transform{}, options);
}

/// The sum: reduce with plus.
template <reduction_strategy S = automatic, item_iterator It, class Out,
          class A = accumulator_t<plus, iterator_item_t<It>>>
void reduce(It first, const count_argument<It>& count, Out&& out,
            const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce<S>(first, count, out, plus{}, options);
}

/// *out = init op in[0] op … op in[in.size() - 1].
template <reduction_strategy S = automatic, device_range In, class Out, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
void reduce(const In& in, Out&& out, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_range<S>("reduce", in, out, op, thread::no_transform{}, options);
}

/// The sum of a range: reduce with plus.
template <reduction_strategy S = automatic, device_range In, class Out, class A = accumulator_t<plus, item_t<const In>>>
void reduce(const In& in, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce<S>(in, out, plus{}, options);
}

/// *out = init op transform(in[0]) op transform(in[1]) …. The accumulator follows what `transform` returns.
template <reduction_strategy S = automatic, device_range In, class Out, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const In>>>
void transform_reduce(const In& in, Out&& out, Op op, Transform transform,
                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_range<S>("transform_reduce", in, out, op, transform, options);
}

/// The same of `count` items from `first` on.
template <reduction_strategy S = automatic, item_iterator It, class Out, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<It>>>
void transform_reduce(It first, const count_argument<It>& count, Out&& out, Op op, Transform transform,
                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_items<S>("transform_reduce", "first", first, count.from(first), out, op, transform, options);
}

/// *out = init op transform(left[0], right[0]) op …: with plus and multiplies, the dot product.
template <reduction_strategy S = automatic, device_range Left, device_range Right, operator_argument Op,
          class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const Left>, item_t<const Right>>>
void transform_reduce(const Left& left, const Right& right, auto&& out, Op op, Transform transform,
                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_ranges<S>("transform_reduce", left, right, out, op, transform, options);
}

/// The same of `count` pairs. If either iterator is no pointer, both are read item by item.
template <reduction_strategy S = automatic, item_iterator Left, item_iterator Right, operator_argument Op,
          class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<Left>, iterator_item_t<Right>>>
void transform_reduce(Left left, Right right, std::int64_t count, auto&& out, Op op, Transform transform,
                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_pairs<S>("transform_reduce", left, right, count, out, op, transform, options);
}

/// reduce, waiting for the stream and returning the value. Cannot be captured.
template <reduction_strategy S = automatic, device_range In, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
[[nodiscard]] lowered_t<Op, A> reduce_value(const In& in, Op op,
                                            const std::type_identity_t<reduce_options<A>>& options = {}) {
  return detail::value_of_range<S>("reduce_value", in, op, options);
}

/// The same of `count` items from `first` on.
template <reduction_strategy S = automatic, item_iterator It, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<It>>>
[[nodiscard]] lowered_t<Op, A> reduce_value(It first, const count_argument<It>& count, Op op,
                                            const std::type_identity_t<reduce_options<A>>& options = {}) {
  return detail::value_of_items<S>("reduce_value", "first", first, count.from(first), op, options);
}

/// The sum: reduce_value with plus.
template <reduction_strategy S = automatic, device_range In, class A = accumulator_t<plus, item_t<const In>>>
[[nodiscard]] A reduce_value(const In& in, const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::reduce_value<S>(in, plus{}, options);
}

/// The sum of `count` items: reduce_value with plus.
template <reduction_strategy S = automatic, item_iterator It, class A = accumulator_t<plus, iterator_item_t<It>>>
[[nodiscard]] A reduce_value(It first, const count_argument<It>& count,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::reduce_value<S>(first, count, plus{}, options);
}

/// transform_reduce, waiting for the stream and returning the value. Cannot be captured.
template <reduction_strategy S = automatic, device_range In, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const In>>>
  requires(!device_range<Op>)
[[nodiscard]] lowered_t<Op, A> transform_reduce_value(const In& in, Op op, Transform transform,
                                                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  return host_side::wait_for_value<lowered_t<Op, A>>(
      "transform_reduce_value", options.stream, [&](lowered_t<Op, A>* out) {
        detail::reduce_range<S>("transform_reduce_value", in, out, op, transform, options);
      });
}

/// The same of `count` items from `first` on.
template <reduction_strategy S = automatic, item_iterator It, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<It>>>
[[nodiscard]] lowered_t<Op, A> transform_reduce_value(It first, const count_argument<It>& count, Op op,
                                                      Transform transform,
                                                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  return host_side::wait_for_value<lowered_t<Op, A>>(
      "transform_reduce_value", options.stream, [&](lowered_t<Op, A>* out) {
        detail::reduce_items<S>("transform_reduce_value", "first", first, count.from(first), out, op, transform,
                                options);
      });
}

/// The form of two ranges.
template <reduction_strategy S = automatic, device_range Left, device_range Right, operator_argument Op,
          class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const Left>, item_t<const Right>>>
[[nodiscard]] lowered_t<Op, A> transform_reduce_value(const Left& left, const Right& right, Op op, Transform transform,
                                                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  return host_side::wait_for_value<lowered_t<Op, A>>(
      "transform_reduce_value", options.stream, [&](lowered_t<Op, A>* out) {
        detail::reduce_ranges<S>("transform_reduce_value", left, right, out, op, transform, options);
      });
}

/// The form of `count` pairs.
template <reduction_strategy S = automatic, item_iterator Left, item_iterator Right, operator_argument Op,
          class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<Left>, iterator_item_t<Right>>>
[[nodiscard]] lowered_t<Op, A> transform_reduce_value(Left left, Right right, std::int64_t count, Op op,
                                                      Transform transform,
                                                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  return host_side::wait_for_value<lowered_t<Op, A>>(
      "transform_reduce_value", options.stream, [&](lowered_t<Op, A>* out) {
        detail::reduce_pairs<S>("transform_reduce_value", left, right, count, out, op, transform, options);
      });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
