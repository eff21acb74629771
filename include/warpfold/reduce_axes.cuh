// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays along any of their axes: reduce_axes, transform_reduce_axes, and the short forms reduce_rows, reduce_columns.
//
//   wf::reduce_axes(in, out, wf::axes{0, 2});                  // out[j] = the sum of in[i][j][k] over i and k
//   wf::reduce_axes(in, out, wf::keep_axes{1}, wf::maximum{}); // the same axes, named by what the output keeps
//   wf::reduce_rows(matrix, out);                              // out[r] = the sum of row r
//   wf::reduce_columns(matrix, out);                           // out[c] = the sum of column c
//   wf::reduce_axes(in, wf::outputs(sums, most), wf::axes{0}, wf::fuse(wf::plus{}, wf::maximum{}));  // one read
//
// | function              | arguments                                                                     |
// |-----------------------|-------------------------------------------------------------------------------|
// | reduce_axes           | in, out, axes or keep_axes, [op] [options]                                    |
// | transform_reduce_axes | in, out, axes or keep_axes, op, transform, [options]                          |
// | reduce_rows           | in of two dimensions, out with one item per row, [op] [options]               |
// | reduce_columns        | in of two dimensions, out with one item per column, [op] [options]            |
//
// - `in`: up to 8 dimensions of device memory, of an mdspan's shape (array_view): std::mdspan, cuda::std::mdspan, those
//   of Kokkos and RAFT, or strided. Any strides: padded, transposed, sliced, negative, zero.
// - `out`: the same, with the kept axes in the order of `in`; or with all axes of `in`, the reduced ones of extent 1.
//   Any strides by which no two results share a place, also such that interlock. (Some that interlock in many axes are
//   refused, since more than 2^18 choices would have to be tried.) Or a contiguous range of as many items as there are
//   results, or an iterator to so many: they stand there in row-major order of the kept axes.
//   outputs(a, b, …) of arrays of the same extents and strides, or of ranges, takes the results of a fused operator
//   (fuse.hpp), one each; an array of fused<…> takes them side by side.
// - `op`: an associative operator (operators.hpp); the sum without it. `options`: segmented_options, for example
//   {.stream = s}.
//
// Everyday reductions along axes are operators:
//
// | what                          | `op`                                        | an item of `out`                |
// |-------------------------------|---------------------------------------------|---------------------------------|
// | mean, Euclidean norm          | arithmetic_mean{}, euclidean_norm{}         | float of float, else double     |
// | log(exp(x0) + exp(x1) + ...)  | log_sum_exp{}                               | the same                        |
// | sum, maximum of magnitudes    | with(magnitude{}, plus{}), ... maximum{}    | that of the items               |
// | smallest and largest          | minimum_maximum{}                           | extrema<T>                      |
// | mean, variance, extremes, NaN | moments{}, statistics{}                     | moments_of<>, statistics_of<T>  |
// | where the largest item is     | arg_maximum{}, arg_minimum{}, arg_extrema{} | indexed_value, indexed_extrema  |
// | the largest items             | top_k<K>{}                                  | its header says                 |
// | sums to trust                 | compensated_plus{}, exact_plus{}            | that of the items               |
//
// An index is the item's number along the reduced axis; of several axes, in their row-major order. Where an output has
// less than 2^31 items, arg_maximum<ties::first, nans::propagate, std::int32_t>{} folds half as many bytes. Whether a
// predicate holds for some item or for all, and how often: transform_reduce_axes(in, out, axes{0}, op, predicate), `op`
// being logical_or{}, logical_and{} or accumulate_in<std::int64_t>(plus{}).
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
//   that do not match, items more than 2^56 apart, null pointers with items, outputs that overlap themselves, each
//   other, the input, init or empty (of an array, all memory from its first to its last item counts, free places too),
//   an empty reduction without any value, a workspace that is too small or misaligned, a negative max_blocks and
//   host memory where device memory is meant; cuda_error for what CUDA reports.
#pragma once
#include <limits>
#include <warpfold/arg_operators.hpp>
#include <warpfold/axes/array_outputs.cuh>
#include <warpfold/axes/dispatch.cuh>
#include <warpfold/axes/overlap.hpp>
#include <warpfold/host/fold_uncounted.cuh>
#include <warpfold/host/leaves.cuh>
#include <warpfold/host/refused_axes.hpp>
#include <warpfold/segmented/dispatch.cuh>
#include <warpfold/segmented/indexed_output.cuh>
#include <warpfold/strided.hpp>
#include <warpfold/workspace.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Throws unless the memory from the first to the last result of each output is apart from that of the others and of
/// the input, and init and empty from it. There are outputs. `read` is empty if there are no items.
template <class T, class Out, class A>
void check_results_apart(const char* function, const T* in, const axis_reduction::item_range& read,
                         const output<Out>& out, const axis_reduction::array_axes& out_axes,
                         const segmented_options<A>& options) {
  const auto written = axis_reduction::range_of(out_axes);
  const auto first = axis_reduction::from_item(out, written.first);
  const std::int64_t count = written.last - written.first + 1;
  host_side::check_outputs_apart(function, "out", first, count);
  host_side::check_outputs_apart_from(function, "in", in + read.first, read.last - read.first + 1, "out", first, count);
  host_side::check_outputs_apart_from(function, "init", options.init, "out", first, count);
  host_side::check_outputs_apart_from(function, "empty", options.empty, "out", first, count);
}

/// The leaves of rows that begin `pitch` items apart. An operator that takes numbers of items gets those within a row.
template <class A, class Op, class Source, class Transform>
auto row_leaves(const Op& op, const Source& source, std::int64_t pitch, const Transform& transform) {
  if constexpr (thread::lifts_source_indexed<Op, Transform, Source>) {
    using lift = axis_reduction::row_lift<thread::lifted<Op, Transform>>;
    return thread::leaves<thread::indexed_source<Source>, lift, A>{{source, 0},
                                                                   lift{{op, transform}, pitch, source.items}};
  } else return make_leaves<A>(op, source, transform);
}

/// Whether `Op` is an arg-reduction whose indices can be turned into those within a row when they are written.
template <class Op, class A>
concept counts_from_begin = requires(const A& value) {
  typename index_of<A>::type;
  { Op::relative(value, std::int64_t{}) } -> std::same_as<lowered_t<Op, A>>;
};

/// The reduction of rows by the kernels for segments. Indices count from the first item of all while they are
/// folded, so nothing is divided. This requires that they fit, and that there is no init, whose index is the caller's.
template <class A, class Source, class Out, class Op, class Transform>
void reduce_as_segments(const char* function, const Source& source, const segmented::fixed_length_segments& rows,
                        const Out& out, Op op, Transform transform, const segmented_options<A>& options) {
  const auto enqueue = [&](const auto& leaves, const auto& to, const auto& any_op) {
    host_side::segmented_reduce_with<automatic>::enqueue(function, rows, leaves, segmented::to_indexed(to), any_op,
                                                         options);
  };
  if constexpr (counts_from_begin<Op, A>)
    if (!options.init && source.items - 1 <= std::numeric_limits<typename index_of<A>::type>::max()) {
      const within_segment<Op> within{op};
      return enqueue(make_leaves<A>(within, source, transform), lower_segments_into<A>(within, out, rows), within);
    }
  enqueue(row_leaves<A>(op, source, rows.pitch, transform), lower_into<A>(op, out), op);
}

/// The reduction of `shape`, whose first item is `first` and whose first result is written to `out`. Items in
/// `readable` exist, counted from item shape.in_first before `first`. `Known` is what the types of the call say of its
/// shape (axes/known_shape.hpp).
template <class Known, class T, class Out, class Op, class Transform, class A>
void enqueue_axes(const char* function, const T* first, const axis_reduction::item_range& readable,
                  const axis_reduction::shape& shape, const Out& out, Op op, Transform transform,
                  const segmented_options<A>& options) {
  const auto leaves = axis_reduction::leaves_of<A>(op, first, transform,
                                                   {readable.first - shape.in_first, readable.last - shape.in_first});
  using leaves_type = std::remove_const_t<decltype(leaves)>;
  if constexpr (axis_reduction::order_of<Known, leaves_type> != axis_reduction::item_order::columns)
    if (axis_reduction::gains_by_segments(
            shape, reinterpret_cast<std::uintptr_t>(first), sizeof(T),
            host_side::own_segmented_reduction<Op, A>::template exists_for<segmented::fixed_length_segments>)) {
      const std::int64_t length = shape.reduced_items, last = shape.outputs - 1,
                         pitch = last > 0 ? shape.kept.inner().in_stride : length;
      return reduce_as_segments(function, make_source(first, last * pitch + length),
                                segmented::fixed_length_segments{{length, shape.outputs}, pitch}, out, op, transform,
                                options);
    }
  axis_reduction::enqueue<Known>(function, shape, leaves, op, lower_into<A>(op, out), options);
}

/// What a call reads and writes, when its arguments have been checked.
struct checked_axes {
  axis_reduction::item_range readable;  ///< of the input's memory; empty if there are no items
  axis_reduction::array_axes kept;      ///< as they lie in the outputs
  bool has_results;
};

/// Checks the memory of a reduction of the axes `reduced` of `in` into `out`.
template <class T, class Out, int Count, class A>
checked_axes check_axes(const char* function, const T* in, const axis_reduction::array_axes& in_axes, unsigned reduced,
                        const axis_reduction::array_outputs<Out, Count>& out, const segmented_options<A>& options) {
  const std::int64_t items = axis_reduction::checked_items(function, "in", in_axes);
  const auto kept = axis_reduction::kept_strides(function, in_axes, reduced, out);
  if (items > 0) host_side::check_pointer(function, "in", in);
  const auto readable = items > 0 ? axis_reduction::range_of(in_axes) : axis_reduction::item_range{0, -1};
  const bool has_results = axis_reduction::checked_items(function, "out", kept) > 0;
  if (has_results) {
    host_side::check_output_pointers(function, "out", out.to);
    axis_reduction::check_apart_from_itself(function, "out", out.axes[0]);
    check_results_apart(function, in, readable, out.to, kept, options);
  }
  return {readable, kept, has_results};
}

/// The reduction of the axes `reduced` of `in` into `out`, whose types have been checked.
template <class Known, class T, class Outs, class Op, class Transform, class A>
void reduce_checked_axes(const char* function, const T* in, const axis_reduction::array_axes& in_axes, unsigned reduced,
                         const Outs& out, Op op, Transform transform, const segmented_options<A>& options) {
  const checked_axes all = check_axes(function, in, in_axes, reduced, out, options);
  const axis_reduction::shape shape = axis_reduction::shape_of(in_axes, reduced, all.kept);
  const auto to = out.to.first + shape.out_first;
  using source = thread::pointer_source<T>;
  const auto enqueue = [&](const auto& any_op, const auto& any_out, const auto& any_options) {
    enqueue_axes<Known>(function, in + shape.in_first, all.readable, shape, any_out, any_op, transform, any_options);
  };
  if constexpr (host_side::folds_uncounted<Op, Transform, source, A>)
    host_side::fold_uncounted<Transform, source>(function, op, to, shape.reduced_items, options, enqueue);
  else enqueue(op, to, options);
}

template <class Known, class In, class Outs, class Op, class Transform, class A>
void reduce_view_axes(const char* function, const In& in, const axes& named, bool are_kept, const Outs& out, Op op,
                      Transform transform, const segmented_options<A>& options) {
  check_operator<Op, A>();
  if constexpr (is_valid_operator<Op, A>) {  // else the errors that follow would bury the reason
    if constexpr (check_transform<Op, Transform, A, view_item_t<In>>() && check_output<Op, A, typename Outs::place>()) {
      const auto in_axes = axis_reduction::axes_of(in);
      const unsigned mask = axis_reduction::axis_mask(function, named, in_axes.rank), all = (1u << in_axes.rank) - 1;
      const view_item_t<In>* const first = to_pointer(in.data_handle());
      reduce_checked_axes<Known>(function, first, in_axes, are_kept ? all & ~mask : mask, out, op, transform, options);
    }
  }
}

}  // namespace WARPFOLD_HIDDEN_V1

template <class N>
concept names_axes = std::same_as<N, axes> || std::same_as<N, keep_axes>;
/// An array, or what `outputs` makes of arrays.
template <class Out>
concept axes_output = array_view<Out> || axis_reduction::is_array_outputs<Out>;
/// The same, or a range or an iterator, or what `outputs` makes of these.
template <class Out>
concept vector_output =
    axes_output<std::remove_cvref_t<Out>> || device_range<std::remove_reference_t<Out>> || any_device_outputs<Out>;
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// An array for each result of a fused reduction along axes. All must have the same extents and
/// strides, and be apart from each other, from the first to the last item. Results that shall interleave are written to
/// an array of fused<...>.
template <class... Outs>
  requires(sizeof...(Outs) > 0 && (array_view<std::remove_cvref_t<Outs>> && ...))
constexpr auto outputs(Outs&&... outs) {
  using places = output_places<pointer_t<view_handle_t<std::remove_cvref_t<Outs>>>...>;
  axis_reduction::array_outputs<places, int{sizeof...(Outs)}> result{{}, {axis_reduction::axes_of(outs)...}};
  const auto set = [](auto& place, const auto& pointer) { place = to_pointer(pointer); };
  [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    (set(detail::element<Is>(result.to.first), outs.data_handle()), ...);
  }
  (std::index_sequence_for<Outs...>());
  return result;
}

// No default argument for Op below: `{...}` would otherwise bind to it.

/// Each item of `out` = init op the items of `in` that differ from it in the reduced axes only.
template <array_view In, class Out, detail::names_axes Axes, operator_argument Op,
          class A = accumulator_t<Op, view_item_t<In>>>
  requires detail::vector_output<Out>
void reduce_axes(const In& in, Out&& out, const Axes& named, Op op,
                 const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_view_axes<axis_reduction::any_shape>("reduce_axes", in, named, std::same_as<Axes, keep_axes>,
                                                      axis_reduction::place_outputs(out), op, thread::no_transform{},
                                                      options);
}

/// The sum over the reduced axes: reduce_axes with plus.
template <array_view In, class Out, detail::names_axes Axes, class A = accumulator_t<plus, view_item_t<In>>>
  requires detail::vector_output<Out>
void reduce_axes(const In& in, Out&& out, const Axes& named,
                 const std::type_identity_t<segmented_options<A>>& options = {}) {
  warpfold::reduce_axes(in, out, named, plus{}, options);
}

/// reduce_axes over what `transform` makes of each item. The accumulator follows what it returns.
template <array_view In, class Out, detail::names_axes Axes, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, view_item_t<In>>>
  requires detail::vector_output<Out>
void transform_reduce_axes(const In& in, Out&& out, const Axes& named, Op op, Transform transform,
                           const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_view_axes<axis_reduction::any_shape>("transform_reduce_axes", in, named, std::same_as<Axes, keep_axes>,
                                                      axis_reduction::place_outputs(out), op, transform, options);
}

/// out[r] = init op in[r][0] op in[r][1] …
template <array_view In, class Out, operator_argument Op, class A = accumulator_t<Op, view_item_t<In>>>
  requires(detail::rank_of<In> == 2 && detail::vector_output<Out>)
void reduce_rows(const In& in, Out&& out, Op op, const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_view_axes<axis_reduction::matrix_shape<In, 1>>(
      "reduce_rows", in, axes{1}, false, axis_reduction::place_outputs(out), op, thread::no_transform{}, options);
}
/// The sum of each row.
template <array_view In, class Out, class A = accumulator_t<plus, view_item_t<In>>>
  requires(detail::rank_of<In> == 2 && detail::vector_output<Out>)
void reduce_rows(const In& in, Out&& out, const std::type_identity_t<segmented_options<A>>& options = {}) {
  warpfold::reduce_rows(in, out, plus{}, options);
}

/// out[c] = init op in[0][c] op in[1][c] …
template <array_view In, class Out, operator_argument Op, class A = accumulator_t<Op, view_item_t<In>>>
  requires(detail::rank_of<In> == 2 && detail::vector_output<Out>)
void reduce_columns(const In& in, Out&& out, Op op, const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_view_axes<axis_reduction::matrix_shape<In, 0>>(
      "reduce_columns", in, axes{0}, false, axis_reduction::place_outputs(out), op, thread::no_transform{}, options);
}
/// The sum of each column.
template <array_view In, class Out, class A = accumulator_t<plus, view_item_t<In>>>
  requires(detail::rank_of<In> == 2 && detail::vector_output<Out>)
void reduce_columns(const In& in, Out&& out, const std::type_identity_t<segmented_options<A>>& options = {}) {
  warpfold::reduce_columns(in, out, plus{}, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
