// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays along any of their axes: reduce_axes, transform_reduce_axes, and the short forms reduce_rows, reduce_columns.
//
//   wf::reduce_axes(in, out, wf::axes{0, 2});                  // out[j] = the sum of in[i][j][k] over i and k
//   wf::reduce_axes(in, out, wf::keep_axes{1}, wf::maximum{}); // the same axes, named by what the output keeps
//   wf::reduce_rows(matrix, out);                              // out[r] = the sum of row r
//   wf::reduce_columns(matrix, out);                           // out[c] = the sum of column c
//
// | function              | arguments                                                                     |
// |-----------------------|-------------------------------------------------------------------------------|
// | reduce_axes           | in, out, axes or keep_axes, [op] [options]                                    |
// | transform_reduce_axes | in, out, axes or keep_axes, op, transform, [options]                          |
// | reduce_rows           | in of two dimensions, out with one item a row, [op] [options]                 |
// | reduce_columns        | in of two dimensions, out with one item a column, [op] [options]              |
//
// - `in`: up to 8 dimensions of device memory, of an mdspan's shape (array_view): std::mdspan, cuda::std::mdspan, those
//   of Kokkos and RAFT, or strided. Any strides: padded, transposed, sliced, negative, zero.
// - `out`: the same, with the kept axes in the order of `in`; or with all axes of `in`, the reduced ones of extent 1.
//   Any strides by which no two results share a place. reduce_rows and reduce_columns also take a contiguous range.
// - `op`: an associative operator (operators.hpp); the sum without it. `options`: segmented_options, {.stream = s} say.
//
// All functions of this header
// - fold the items of an output in row-major order of the reduced axes, in which the order of the input's axes counts,
//   not that of memory, with an operator that need only be associative. Each output has the bits of reduce over these
//   items: the canonical tree, whatever the strides, the kernel, the grid and the GPU;
// - enqueue one kernel on options.stream, never wait, and can be captured. Nothing is transposed in memory, and scratch
//   does not depend on the shape;
// - read each item once, if adjacent items lie together along some axis;
// - join options.init to each output on its left, once. Where a reduced axis has extent 0, each output is
//   options.empty, else init, else the operator's identity; one of these must exist then;
// - accumulate in accumulator_t<Op, T>, T being the item type, or what the transform returns, and convert each result
//   to the items of `out`. A sum or product into a wider type does not compile: accumulate_in says which type is meant;
// - throw std::invalid_argument, before anything is enqueued, for axes that do not exist or are named twice, extents
//   that do not match, null pointers with items, outputs that overlap themselves, the memory between the first and the
//   last item of the input, init or empty, an empty reduction without any value, a workspace that is too small or
//   misaligned, a negative max_blocks and, in builds with WARPFOLD_CHECKS, host memory where device memory is meant;
//   cuda_error for what CUDA reports.
#pragma once
#include <warpfold/axes/dispatch.cuh>
#include <warpfold/axes/strided.hpp>
#include <warpfold/host/leaves.cuh>
#include <warpfold/segmented/dispatch.cuh>
#include <warpfold/segmented/indexed_output.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Throws unless the memory from the first to the last result is apart from that of the input, and init and empty from
/// it. Neither array is empty.
template <class T, class Out, class A>
void check_results_apart(const char* function, const T* in, const axis_reduction::array_axes& in_axes, Out* out,
                         const axis_reduction::array_axes& out_axes, const segmented_options<A>& options) {
  const auto read = axis_reduction::range_of(in_axes), written = axis_reduction::range_of(out_axes);
  const Out* const first = out + written.first;
  const std::int64_t count = written.last - written.first + 1;
  host::check_apart(function, "in", in + read.first, read.last - read.first + 1, "out", first, count);
  host::check_initial_apart(function, "init", options.init, "out", first, count);
  host::check_initial_apart(function, "empty", options.empty, "out", first, count);
}

template <class Lift, class Op, class Transform> Lift make_lift(const Op& op, const Transform& transform) {
  if constexpr (std::is_same_v<Lift, Transform>) return transform;
  else return {op, transform};
}

/// The leaves of contiguous rows. An operator that takes numbers of items gets those within the row.
template <class A, class Op, class Source, class Transform>
auto row_leaves(const Op& op, const Source& source, std::int64_t length, const Transform& transform) {
  if constexpr (thread::lifts_source_indexed<Op, Transform, Source>) {
    using lift = axis_reduction::row_lift<thread::lifted<Op, Transform>>;
    return thread::leaves<thread::indexed_source<Source>, lift, A>{{source, 0},
                                                                   lift{{op, transform}, length, source.items}};
  } else return make_leaves<A>(op, source, transform);
}

/// The reduction of the axes `reduced` of `in` into `out`, whose types have been checked.
template <class T, class Out, class Op, class Transform, class A>
void reduce_checked_axes(const char* function, const T* in, const axis_reduction::array_axes& in_axes, unsigned reduced,
                         Out* out, const axis_reduction::array_axes& out_axes, Op op, Transform transform,
                         const segmented_options<A>& options) {
  const std::int64_t items = axis_reduction::checked_items(function, "in", in_axes),
                     outputs = axis_reduction::checked_items(function, "out", out_axes);
  const auto kept = axis_reduction::kept_strides(function, in_axes, reduced, out_axes);
  if (items > 0) host::check_pointer(function, "in", in);
  if (outputs > 0) {
    host::check_pointer(function, "out", out);
    axis_reduction::check_apart_from_itself(function, out_axes);
  }
  if (items > 0) check_results_apart(function, in, in_axes, out, out_axes, options);
  else if (outputs > 0) {
    const axis_reduction::item_range written = axis_reduction::range_of(out_axes);
    const std::int64_t written_items = written.last - written.first + 1;
    host::check_initial_apart(function, "init", options.init, "out", out + written.first, written_items);
    host::check_initial_apart(function, "empty", options.empty, "out", out + written.first, written_items);
  }
  const axis_reduction::shape shape = axis_reduction::shape_of(in_axes, reduced, kept);
  const T* const first = in + shape.in_first;
  const auto to = lower_into<A>(op, out + shape.out_first);
  if (axis_reduction::has_adjacent_rows(shape))
    return host::segmented_reduce_with<automatic>::enqueue(
        function, segmented::fixed_length_segments{shape.reduced_items, shape.outputs},
        row_leaves<A>(op, make_source(first, items), shape.reduced_items, transform), segmented::to_indexed(to), op,
        options);
  using source = thread::pointer_source<T>;
  constexpr bool lifts = thread::lifts_source<Op, Transform, source>;
  constexpr bool takes_index = thread::lifts_source_indexed<Op, Transform, source>;
  using lift = std::conditional_t<lifts, thread::lifted<Op, Transform>, Transform>;
  const auto readable = items > 0 ? axis_reduction::range_of(in_axes) : axis_reduction::item_range{};
  const axis_reduction::array_leaves<T, lift, A, takes_index> leaves{
      first, make_lift<lift>(op, transform), {readable.first - shape.in_first, readable.last - shape.in_first}};
  axis_reduction::enqueue(function, shape, leaves, op, to, options);
}

template <class In, class Out, class Op, class Transform, class A>
void reduce_view_axes(const char* function, const In& in, const axes& named, bool are_kept, const Out& out, Op op,
                      Transform transform, const segmented_options<A>& options) {
  static_assert(rank_of<In> <= max_axes && rank_of<Out> <= max_axes, "warpfold: an array has at most 8 dimensions");
  check_operator<Op, A>();
  if constexpr (is_valid_operator<Op, A>) {  // else the errors that follow would bury the reason
    using to = decltype(to_pointer(out.data_handle()));
    if constexpr (check_transform<Op, Transform, A, view_item_t<In>>() && check_output<Op, A, to>()) {
      const auto in_axes = axis_reduction::axes_of(in);
      const unsigned mask = axis_reduction::axis_mask(function, named, in_axes.rank), all = (1u << in_axes.rank) - 1;
      const view_item_t<In>* const first = to_pointer(in.data_handle());
      reduce_checked_axes(function, first, in_axes, are_kept ? all & ~mask : mask, to_pointer(out.data_handle()),
                          axis_reduction::axes_of(out), op, transform, options);
    }
  }
}

/// An output of reduce_rows or reduce_columns as an array: a contiguous range has one dimension.
template <class Out> auto to_view(Out& out) {
  if constexpr (array_view<Out>) return out;
  else return strided(to_pointer(out.data()), {static_cast<std::int64_t>(out.size())});
}

}  // namespace WARPFOLD_HIDDEN_V1

template <class N>
concept names_axes = std::same_as<N, axes> || std::same_as<N, keep_axes>;
template <class Out>
concept vector_output = array_view<std::remove_reference_t<Out>> || device_range<std::remove_reference_t<Out>>;
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

// No default argument for Op below: `{...}` would otherwise bind to it.

/// Each item of `out` = init op the items of `in` that differ from it in the reduced axes only.
template <array_view In, array_view Out, detail::names_axes Axes, operator_argument Op,
          class A = accumulator_t<Op, view_item_t<In>>>
void reduce_axes(const In& in, const Out& out, const Axes& named, Op op,
                 const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_view_axes("reduce_axes", in, named, std::same_as<Axes, keep_axes>, out, op, thread::no_transform{},
                           options);
}

/// The sum over the reduced axes: reduce_axes with plus.
template <array_view In, array_view Out, detail::names_axes Axes, class A = accumulator_t<plus, view_item_t<In>>>
void reduce_axes(const In& in, const Out& out, const Axes& named,
                 const std::type_identity_t<segmented_options<A>>& options = {}) {
  reduce_axes(in, out, named, plus{}, options);
}

/// reduce_axes over what `transform` makes of each item. The accumulator follows what it returns.
template <array_view In, array_view Out, detail::names_axes Axes, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, view_item_t<In>>>
void transform_reduce_axes(const In& in, const Out& out, const Axes& named, Op op, Transform transform,
                           const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_view_axes("transform_reduce_axes", in, named, std::same_as<Axes, keep_axes>, out, op, transform,
                           options);
}

/// out[r] = init op in[r][0] op in[r][1] …
template <array_view In, detail::vector_output Out, operator_argument Op, class A = accumulator_t<Op, view_item_t<In>>>
  requires(detail::rank_of<In> == 2)
void reduce_rows(const In& in, Out&& out, Op op, const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_view_axes("reduce_rows", in, axes{1}, false, detail::to_view(out), op, thread::no_transform{},
                           options);
}
/// The sum of each row.
template <array_view In, detail::vector_output Out, class A = accumulator_t<plus, view_item_t<In>>>
  requires(detail::rank_of<In> == 2)
void reduce_rows(const In& in, Out&& out, const std::type_identity_t<segmented_options<A>>& options = {}) {
  reduce_rows(in, out, plus{}, options);
}

/// out[c] = init op in[0][c] op in[1][c] …
template <array_view In, detail::vector_output Out, operator_argument Op, class A = accumulator_t<Op, view_item_t<In>>>
  requires(detail::rank_of<In> == 2)
void reduce_columns(const In& in, Out&& out, Op op, const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_view_axes("reduce_columns", in, axes{0}, false, detail::to_view(out), op, thread::no_transform{},
                           options);
}
/// The sum of each column.
template <array_view In, detail::vector_output Out, class A = accumulator_t<plus, view_item_t<In>>>
  requires(detail::rank_of<In> == 2)
void reduce_columns(const In& in, Out&& out, const std::type_identity_t<segmented_options<A>>& options = {}) {
  reduce_columns(in, out, plus{}, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
