// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One value for each segment: segmented_reduce and transform_segmented_reduce.
//
// | function                   | input                | segments                | output | then                    |
// |----------------------------|----------------------|-------------------------|--------|-------------------------|
// | segmented_reduce           | in; or first, count  | any form below          | out    | [op] [options]          |
// | transform_segmented_reduce | in; or first, count  | any form below          | out    | op, transform [options] |
//
// - `in`: a contiguous range of device memory (device_range). `first`: an iterator (item_iterator). An iterator that
//   stands for a pointer is read as a range is; any other is indexed by device code, item by item, with 64 bits.
// - `out`: a range with one item for each segment, or a device pointer or an iterator (device_outputs), which is
//   written by out[s] = value. A pointer or an iterator has no size, so the segments must tell their number:
//
//   | segments                       | `out` is a range | `out` has no size              | the number of segments     |
//   |--------------------------------|------------------|--------------------------------|----------------------------|
//   | offsets as a range             | yes              | yes                            | one less than the offsets  |
//   | offsets as an iterator         | yes              | does not compile               |                            |
//   | bounds, one or both are ranges | yes              | yes                            | the size of the range      |
//   | bounds of two iterators        | yes              | does not compile               |                            |
//   | fixed_length                   | yes              | yes, if the length is positive | items / length             |
//   | owners                         | yes              | does not compile               |                            |
//   | first_segments of one of these | yes              | yes                            | the device's count         |
//   | first_items of owners          | yes              | does not compile               |                            |
//
// - `op`: an associative operator (operators.hpp); the sum without it. `options`: segmented_options, as {.stream = s},
//   say.
//
// Both functions
// - fold each segment strictly left to right with an operator that need only be associative, by the canonical tree
//   (canonical_tree.hpp) counted from the segment's first item: a segment has the bits of reduce over it alone,
//   wherever it lies and whatever lies around it, on every run, grid and GPU, and in the emulator;
// - enqueue one kernel on options.stream, never wait, and can be captured; the host need not know any length;
// - divide items and segments evenly among the warps of the grid, whatever the lengths: one giant segment, any number
//   of empty ones, or a mixture;
// - join options.init to each segment on its left, once. An empty segment gives options.empty, else init, else the
//   operator's identity; one of these must exist unless no segment can be empty, as with a positive fixed_length;
// - accumulate in accumulator_t<Op, T>, T being the item type, or what the transform returns;
// - need `out` apart from all inputs, init and empty. Scratch does not depend on the number of items or segments;
// - throw std::invalid_argument, before anything is enqueued, for ranges whose sizes do not match, null pointers, `out`
//   within an input, init or empty within `out`, an operator without identity if neither init nor empty is given, a
//   workspace that is too small or misaligned and host memory where device memory is
//   meant; cuda_error for what CUDA reports.
//
// This holds for the default strategy, automatic. strategies.cuh has named ones, the sources' segmented algorithms for
// owners. They keep the order, not the bits across GPUs: segmented_reduce<strategy<...>>(in, owners{ids}, out, op).
//
// Segments must be in order, must not overlap, and must lie within the input. Kernels in builds with WARPFOLD_CHECKS
// check this, and stop with a message before they read or write out of bounds; otherwise the behaviour is undefined.
#pragma once
#include <warpfold/host/fold_uncounted.cuh>
#include <warpfold/host/leaves.cuh>
#include <warpfold/host/output_checks.cuh>
#include <warpfold/host/refused_calls.hpp>
#include <warpfold/item_count.hpp>
#include <warpfold/segmented/dispatch.cuh>
#include <warpfold/segmented/indexed_output.cuh>
#include <warpfold/segmented/owned_segments.cuh>
#include <warpfold/segments.hpp>
#include <warpfold/segments/arguments.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Strategy, class It, class Out, class Op, class Transform, class A>
void reduce_segments(const char* function, const char* argument, const It& first, std::int64_t items,
                     const auto& segments, Out&& out, const Op& op, const Transform& transform,
                     const segmented_options<A>& options) {
  check_operator<Op, A>();
  if constexpr (is_valid_operator<Op, A>) {  // else the errors that follow would bury the reason
    if constexpr (check_transform<Op, Transform, A, iterator_item_t<It>>() &&
                  check_output<Op, A, std::remove_cvref_t<output_iterator_t<Out>>>()) {
      const auto from = to_kernel_iterator(first);
      host_side::check_count(function, items);
      if (items > 0) host_side::check_pointer(function, argument, from);
      auto to = to_output(out);
      host_side::check_equal_sizes(function, "out", to);
      segment::settle_size<is_sized_output<Out>>(function, segments, items, to);
      if (to.size > 0) host_side::check_output_pointers(function, "out", to);
      host_side::check_outputs_apart(function, "out", to, to.size);
      host_side::check_outputs_apart_from(function, argument, from, items, "out", to, to.size);
      host_side::check_outputs_apart_from(function, "init", options.init, "out", to, to.size);
      host_side::check_outputs_apart_from(function, "empty", options.empty, "out", to, to.size);
      const auto spans =
          segment::checked_spans(function, segments, items, to.size, is_sized_output<Out> ? "out" : "begins", to);
      if constexpr (requires { spans.ids; })
        if (to.size == 0 && items > 0) reject(function, {"out is empty, but there are ", items, " items"});
      const auto described = segmented::described(spans, to.size);
      const auto source = make_source(from, items);
      const auto enqueue = [&]<class B>(const auto& any_op, const auto& lowered,
                                        const segmented_options<B>& any_options) {
        host_side::segmented_reduce_with<Strategy>::enqueue(function, described,
                                                            make_leaves<B>(any_op, source, transform),
                                                            segmented::to_indexed(lowered), any_op, any_options);
      };
      using source_type = std::remove_const_t<decltype(source)>;
      if constexpr (std::is_same_v<Strategy, automatic> && host_side::folds_uncounted<Op, Transform, source_type, A>)
        host_side::fold_uncounted<Transform, source_type>(function, op, to.first, 0, options, enqueue);
      else enqueue(op, lower_segments_into<A>(op, to.first, described), options);
    }
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

// No default argument for Op below: `{...}` would otherwise bind to it.

/// out[s] = init op the items of segment s, of the `count` items from `first` on.
template <reduction_strategy S = automatic, item_iterator It, segments Segments, class Out, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<It>>>
void segmented_reduce(It first, const count_argument<It>& count, const Segments& segments, Out&& out, Op op,
                      const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_segments<S>("segmented_reduce", "first", first, count.from(first), segments, out, op,
                             thread::no_transform{}, options);
}

/// The sum of each segment: segmented_reduce with plus.
template <reduction_strategy S = automatic, item_iterator It, segments Segments, class Out,
          class A = accumulator_t<plus, iterator_item_t<It>>>
void segmented_reduce(It first, const count_argument<It>& count, const Segments& segments, Out&& out,
                      const std::type_identity_t<segmented_options<A>>& options = {}) {
  warpfold::segmented_reduce<S>(first, count, segments, out, plus{}, options);
}

/// out[s] = init op the items of segment s, of the items of `in`.
template <reduction_strategy S = automatic, device_range In, segments Segments, class Out, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
void segmented_reduce(const In& in, const Segments& segments, Out&& out, Op op,
                      const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_segments<S>("segmented_reduce", "in", in.data(), static_cast<std::int64_t>(in.size()), segments, out,
                             op, thread::no_transform{}, options);
}

/// The sum of each segment of a range: segmented_reduce with plus.
template <reduction_strategy S = automatic, device_range In, segments Segments, class Out,
          class A = accumulator_t<plus, item_t<const In>>>
void segmented_reduce(const In& in, const Segments& segments, Out&& out,
                      const std::type_identity_t<segmented_options<A>>& options = {}) {
  warpfold::segmented_reduce<S>(in, segments, out, plus{}, options);
}

/// out[s] = init op transform(item) op ... over the items of segment s. The accumulator follows what `transform`
/// returns.
template <reduction_strategy S = automatic, device_range In, segments Segments, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const In>>>
void transform_segmented_reduce(const In& in, const Segments& segments, auto&& out, Op op, Transform transform,
                                const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_segments<S>("transform_segmented_reduce", "in", in.data(), static_cast<std::int64_t>(in.size()),
                             segments, out, op, transform, options);
}

/// The same of the `count` items from `first` on.
template <reduction_strategy S = automatic, item_iterator It, segments Segments, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<It>>>
void transform_segmented_reduce(It first, const count_argument<It>& count, const Segments& segments, auto&& out, Op op,
                                Transform transform, const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_segments<S>("transform_segmented_reduce", "first", first, count.from(first), segments, out, op,
                             transform, options);
}

// ---- what is refused (host/refused_calls.hpp) ----

template <reduction_strategy S = automatic, item_iterator It, segments Segments, class Out>
  requires detail::no_count<It, Segments>
void segmented_reduce(It, const Segments&, Out&&, const detail::any_options& = {}) {
  detail::refuse_missing_count<It>();
}
template <reduction_strategy S = automatic, item_iterator It, segments Segments, class Out, class Op>
  requires detail::no_count<It, Segments>
void segmented_reduce(It, const Segments&, Out&&, Op, const detail::any_options& = {}) {
  detail::refuse_missing_count<It>();
}

template <reduction_strategy S = automatic, class Call = void>
void segmented_reduce(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <reduction_strategy S = automatic, class Call = void>
void transform_segmented_reduce(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                                detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                                detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
