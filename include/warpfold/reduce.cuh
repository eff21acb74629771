// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sequence to one value: reduce, transform_reduce, and the forms that wait for the value.
//
// All functions of this header
// - fold strictly left to right with an operator that need only be associative, by the canonical tree
//   (canonical_tree.hpp): the same input gives the same bits on every run, grid and GPU, and in the emulator;
// - enqueue one kernel on options.stream, never wait (but the _value forms), and can be captured into a graph;
// - read each item once, at full rate from any alignment; scratch does not depend on the count;
// - join options.init once, on the left; an empty input gives init, else the operator's identity;
// - accumulate in accumulator_t<Op, T>, T being the item type, or what the transform returns;
// - may write `out` into the input: all items have been read by then. `out` must not lie in the workspace;
// - throw std::invalid_argument, before anything is enqueued, for a negative count, a null pointer with items, an empty
//   input without init and identity, a workspace that is too small or misaligned, a negative max_blocks, inputs of
//   different lengths and, in builds with WARPFOLD_CHECKS, host memory where device memory is meant; cuda_error for what CUDA reports.
#pragma once
#include <warpfold/host/leaves.cuh>
#include <warpfold/host/wait_for_value.cuh>
#include <warpfold/reduce/dispatch.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

namespace detail {
// What the public functions share. `function` and `argument` are the names that the caller knows.
inline namespace WARPFOLD_HIDDEN_V1 {
template <class S, class It, class Out, class Op, class Transform, class A>
void reduce_items(const char* function, const char* argument, It first, std::int64_t count, Out out, Op op,
                  Transform transform, const reduce_options<A>& options) {
  host::check_count(function, count);
  if (count > 0) host::check_pointer(function, argument, first);
  host::check_pointer(function, "out", out);
  host::reduce_with<S>::enqueue(function, make_leaves<A>(make_source(first, count), transform), out, op, options);
}

template <class S, class In, class Out, class Op, class Transform, class A>
void reduce_range(const char* function, const In& in, Out out, Op op, Transform transform,
                  const reduce_options<A>& options) {
  reduce_items<S>(function, "in", to_pointer(in.data()), static_cast<std::int64_t>(in.size()), out, op, transform,
                  options);
}

template <class S, class Left, class Right, class Out, class Op, class Transform, class A>
void reduce_ranges(const char* function, const Left& left, const Right& right, Out out, Op op, Transform transform,
                   const reduce_options<A>& options) {
  if (left.size() != right.size())
    reject(function, "left has " + std::to_string(left.size()) + " items, right has " + std::to_string(right.size()));
  if (left.size() > 0) {
    host::check_pointer(function, "left", left.data());
    host::check_pointer(function, "right", right.data());
  }
  host::check_pointer(function, "out", out);
  host::reduce_with<S>::enqueue(function, make_leaves<A>(make_zip(left, right), transform), out, op, options);
}
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

// No default argument and no default template argument for Op below: `{...}` would otherwise bind to it.

/// *out = init op first[0] op … op first[count - 1]. `first`: a pointer to (or contiguous iterator over) device memory,
/// which takes the vector path, or any trivially copyable object that device code can index with 64 bits.
/// `out`: a device pointer or output iterator; written when the stream gets there.
template <reduction_strategy S = automatic, item_iterator It, class Out, operator_argument Op,
          class A = accumulator_t<Op, std::iter_value_t<It>>>
  requires device_output<Out, A>
void reduce(It first, std::int64_t count, Out out, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_items<S>("reduce", "first", first, count, out, op, thread::no_transform{}, options);
}

/// The sum.
template <reduction_strategy S = automatic, item_iterator It, class Out,
          class A = accumulator_t<plus, std::iter_value_t<It>>>
  requires device_output<Out, A>
void reduce(It first, std::int64_t count, Out out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  reduce<S>(first, count, out, plus{}, options);
}

/// As above over a range.
template <reduction_strategy S = automatic, device_range In, class Out, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
  requires device_output<Out, A>
void reduce(const In& in, Out out, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_range<S>("reduce", in, out, op, thread::no_transform{}, options);
}

/// The sum of a range.
template <reduction_strategy S = automatic, device_range In, class Out, class A = accumulator_t<plus, item_t<const In>>>
  requires device_output<Out, A>
void reduce(const In& in, Out out, const std::type_identity_t<reduce_options<A>>& options = {}) {
  reduce<S>(in, out, plus{}, options);
}

/// *out = init op transform(in[0]) op transform(in[1]) …. The accumulator follows what `transform` returns; of an
/// extended __device__ lambda without a declared return type it follows the item.
template <reduction_strategy S = automatic, device_range In, class Out, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const In>>>
  requires device_output<Out, A>
void transform_reduce(const In& in, Out out, Op op, Transform transform,
                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_range<S>("transform_reduce", in, out, op, transform, options);
}

/// *out = init op transform(left[0], right[0]) op …: with plus and multiplies, the dot product.
template <reduction_strategy S = automatic, device_range Left, device_range Right, class Out, operator_argument Op,
          class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const Left>, item_t<const Right>>>
  requires device_output<Out, A>
void transform_reduce(const Left& left, const Right& right, Out out, Op op, Transform transform,
                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_ranges<S>("transform_reduce", left, right, out, op, transform, options);
}

/// reduce, waiting for the stream and returning the value. Cannot be captured.
template <reduction_strategy S = automatic, device_range In, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
[[nodiscard]] A reduce_value(const In& in, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  return host::wait_for_value<A>("reduce_value", options.stream, [&](A* out) {
    detail::reduce_range<S>("reduce_value", in, out, op, thread::no_transform{}, options);
  });
}

/// The sum, waiting for it.
template <reduction_strategy S = automatic, device_range In, class A = accumulator_t<plus, item_t<const In>>>
[[nodiscard]] A reduce_value(const In& in, const std::type_identity_t<reduce_options<A>>& options = {}) {
  return reduce_value<S>(in, plus{}, options);
}

/// transform_reduce, waiting for the stream and returning the value. Cannot be captured.
template <reduction_strategy S = automatic, device_range In, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const In>>>
  requires(!device_range<Op>)
[[nodiscard]] A transform_reduce_value(const In& in, Op op, Transform transform,
                                       const std::type_identity_t<reduce_options<A>>& options = {}) {
  return host::wait_for_value<A>("transform_reduce_value", options.stream, [&](A* out) {
    detail::reduce_range<S>("transform_reduce_value", in, out, op, transform, options);
  });
}

/// The two-input form.
template <reduction_strategy S = automatic, device_range Left, device_range Right, operator_argument Op,
          class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const Left>, item_t<const Right>>>
[[nodiscard]] A transform_reduce_value(const Left& left, const Right& right, Op op, Transform transform,
                                       const std::type_identity_t<reduce_options<A>>& options = {}) {
  return host::wait_for_value<A>("transform_reduce_value", options.stream, [&](A* out) {
    detail::reduce_ranges<S>("transform_reduce_value", left, right, out, op, transform, options);
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
