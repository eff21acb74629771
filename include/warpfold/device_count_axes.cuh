// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes of arrays whose outermost axis is as long as the device knows (device_count.cuh):
//
//   wf::reduce_columns(matrix, wf::device_count(rows, most), out, [op], [options]);  // of the first *rows rows
//   wf::reduce_axes(array, wf::device_count(count, most), out, axes or keep_axes, [op], [options]);
//
// Axis 0 has `most` indices at least, of which the first *count take part. If it is reduced, outputs have fewer items,
// and a count of 0 gives options.empty, else init, else the operator's identity; one of these must exist. If it is
// kept, there are fewer outputs: `out` has `most` indices (an array may have more), and keeps what it holds behind
// those that there are. All else is as reduce_axes.cuh says of an array with that extent: the bits, too. `out` must be
// apart from the count.
//
// The contiguous rows of a matrix are reduced as segments are. One kernel takes all other shapes, that of columns: it
// is slow where an output's items are adjacent in memory, or where axis 0 is kept and not outermost in memory. A single
// column is a sequence, which `reduce` takes.
#pragma once
#include <warpfold/axes/counted_dispatch.cuh>
#include <warpfold/device_count.cuh>
#include <warpfold/reduce_axes.cuh>
#include <warpfold/segmented_reduce.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The reduction of the first rows of a contiguous matrix, of which `count` says how many there are.
template <class T, class N, class Out, class Op, class A>
void reduce_counted_rows(const char* function, const T* in, std::int64_t row_items, const device_count<N>& count,
                         std::int64_t most, const Out& out, Op op, const segmented_options<A>& options) {
  reduce_segments<automatic>(function, "in", in, most * row_items, first_segments{fixed_length{row_items}, count}, out,
                             op, thread::no_transform{}, options);
}

/// The reduction of the axes `reduced` of `in`, whose types have been checked.
template <bool MayKeep, class T, class N, class Op, class A>
void reduce_counted_axes(const char* function, const T* in, axis_reduction::array_axes in_axes, unsigned reduced,
                         const device_count<N>& count, auto out, Op op, const segmented_options<A>& options) {
  using out_iterator = decltype(out.to.first);
  constexpr bool takes_index = thread::lifts_source_indexed<Op, thread::no_transform, thread::pointer_source<T>>;
  const auto number = count.checked(function);
  const bool is_kept = (reduced & 1) == 0;
  axis_reduction::keep_first_indices(function, in_axes, number.most);
  if (is_kept && !out.are_ranges)
    for (auto& each : out.axes) axis_reduction::keep_first_indices(each, number.most);
  const checked_axes all = check_axes(function, in, in_axes, reduced, out, options);
  if (all.has_results) {
    const auto written = axis_reduction::range_of(all.kept);
    host_side::check_outputs_apart_from(function, "device_count", number.pointer, 1, "out",
                                        axis_reduction::from_item(out.to, written.first),
                                        written.last - written.first + 1);
  }
  const axis_reduction::shape shape = axis_reduction::shape_of(in_axes, reduced, all.kept, true);
  const auto to = out.to.first + shape.out_first;
  if constexpr (MayKeep && !takes_index && std::is_pointer_v<out_iterator>)
    if (is_kept && shape.outputs == number.most && axis_reduction::has_adjacent_rows(shape))
      return reduce_counted_rows(function, in + shape.in_first, shape.reduced_items, count, number.most, to, op,
                                 options);
  const auto leaves =
      axis_reduction::leaves_of<A>(op, in + shape.in_first, thread::no_transform{},
                                   {all.readable.first - shape.in_first, all.readable.last - shape.in_first});
  axis_reduction::enqueue_counted(function, shape, leaves, op, lower_into<A>(op, to), number, is_kept, options);
}

template <bool MayKeep, class In, class N, class Op, class A>
void reduce_counted_view(const char* function, const In& in, const device_count<N>& count,
                         const std::pair<axes, bool>& named, const auto& out, Op op,
                         const segmented_options<A>& options) {
  check_operator<Op, A>();
  if constexpr (std::integral<N> && is_valid_operator<Op, A>) {
    if constexpr (check_output<Op, A, std::remove_cvref_t<decltype(out.to.first)>>()) {
      const auto in_axes = axis_reduction::axes_of(in);
      const auto& [numbers, are_kept] = named;
      const unsigned mask = axis_reduction::axis_mask(function, numbers, in_axes.rank), all = (1u << in_axes.rank) - 1;
      const view_item_t<In>* const first = to_pointer(in.data_handle());
      reduce_counted_axes<MayKeep>(function, first, in_axes, are_kept ? all & ~mask : mask, count, out, op, options);
    }
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// reduce_axes of as many first indices of axis 0 as `count` says, whether that axis is reduced or kept.
template <array_view In, class N, class Out, detail::names_axes Axes, operator_argument Op,
          class A = accumulator_t<Op, view_item_t<In>>>
  requires detail::vector_output<Out>
void reduce_axes(const In& in, const device_count<N>& count, Out&& out, const Axes& named, Op op,
                 const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_counted_view<true>("reduce_axes", in, count, {named, std::same_as<Axes, keep_axes>},
                                    axis_reduction::place_outputs(out), op, options);
}
/// The sum.
template <array_view In, class N, class Out, detail::names_axes Axes, class A = accumulator_t<plus, view_item_t<In>>>
  requires detail::vector_output<Out>
void reduce_axes(const In& in, const device_count<N>& count, Out&& out, const Axes& named,
                 const std::type_identity_t<segmented_options<A>>& options = {}) {
  warpfold::reduce_axes(in, count, out, named, plus{}, options);
}

/// out[c] = init op in[0][c] op … op in[count - 1][c].
template <array_view In, class N, class Out, operator_argument Op, class A = accumulator_t<Op, view_item_t<In>>>
  requires(detail::rank_of<In> == 2 && detail::vector_output<Out>)
void reduce_columns(const In& in, const device_count<N>& count, Out&& out, Op op,
                    const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_counted_view<false>("reduce_columns", in, count, {axes{0}, false}, axis_reduction::place_outputs(out),
                                     op, options);
}
/// The sum of each column.
template <array_view In, class N, class Out, class A = accumulator_t<plus, view_item_t<In>>>
  requires(detail::rank_of<In> == 2 && detail::vector_output<Out>)
void reduce_columns(const In& in, const device_count<N>& count, Out&& out,
                    const std::type_identity_t<segmented_options<A>>& options = {}) {
  warpfold::reduce_columns(in, count, out, plus{}, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
