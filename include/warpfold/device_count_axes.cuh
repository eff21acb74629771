// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes whose outermost one is as long as the device knows (device_count.cuh):
//
//   wf::reduce_columns(matrix, wf::device_count(rows, most), out, [op], [options]);  // of the first *rows rows
//   wf::reduce_axes(array, wf::device_count(count, most), out, axes or keep_axes, [op], [options]);
//
// Axis 0 must be among the reduced ones, and has `most` indices at least, of which the first *count take part. All else
// is as reduce_axes.cuh says of an array with that extent: the bits, too. A count of 0 gives options.empty, else init,
// else the operator's identity; one of these must exist. `out` must be apart from the count.
//
// Where the rows are kept, and only their number is known to the device, segmented_reduce takes them: as
// first_segments{fixed_length{columns}, device_count} (segments.hpp).
//
// One kernel takes all shapes, that of columns: it is slow where an output's items are adjacent in memory.
#pragma once
#include <warpfold/axes/counted_dispatch.cuh>
#include <warpfold/device_count.cuh>
#include <warpfold/reduce_axes.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The reduction of the axes `reduced` of `in`, whose types have been checked.
template <class T, class N, class Out, int Count, class Op, class A>
void reduce_counted_axes(const char* function, const T* in, axis_reduction::array_axes in_axes, unsigned reduced,
                         const grid::device_items<N>& number, const axis_reduction::array_outputs<Out, Count>& out,
                         Op op, const segmented_options<A>& options) {
  if ((reduced & 1) == 0)
    reject(function, "axis 0, which a device_count counts, is kept: pass its rows as first_segments");
  if (in_axes.extent[0] < number.most)
    reject(function, {"axis 0 has ", in_axes.extent[0], " indices, and the device_count may be ", number.most});
  in_axes.extent[0] = number.most;
  const checked_axes all = check_axes(function, in, in_axes, reduced, out, options);
  if (all.has_results) {
    const auto written = axis_reduction::range_of(all.kept);
    host_side::check_outputs_apart_from(function, "device_count", number.pointer, 1, "out",
                                        axis_reduction::from_item(out.to, written.first),
                                        written.last - written.first + 1);
  }
  const axis_reduction::shape shape = axis_reduction::shape_of(in_axes, reduced, all.kept);
  const auto leaves =
      axis_reduction::leaves_of<A>(op, in + shape.in_first, thread::no_transform{},
                                   {all.readable.first - shape.in_first, all.readable.last - shape.in_first});
  axis_reduction::enqueue_counted(function, shape, leaves, op, lower_into<A>(op, out.to.first + shape.out_first),
                                  number, options);
}

template <class In, class N, class Out, int Count, class Op, class A>
void reduce_counted_view(const char* function, const In& in, const device_count<N>& count,
                         const std::pair<axes, bool>& named, const axis_reduction::array_outputs<Out, Count>& out,
                         Op op, const segmented_options<A>& options) {
  check_operator<Op, A>();
  if constexpr (std::integral<N> && is_valid_operator<Op, A>) {
    if constexpr (check_output<Op, A, Out>()) {
      const auto in_axes = axis_reduction::axes_of(in);
      const auto& [numbers, are_kept] = named;
      const unsigned mask = axis_reduction::axis_mask(function, numbers, in_axes.rank), all = (1u << in_axes.rank) - 1;
      const view_item_t<In>* const first = to_pointer(in.data_handle());
      reduce_counted_axes(function, first, in_axes, are_kept ? all & ~mask : mask, count.checked(function), out, op,
                          options);
    }
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// reduce_axes of as many first indices of axis 0 as `count` says.
template <array_view In, class N, class Out, detail::names_axes Axes, operator_argument Op,
          class A = accumulator_t<Op, view_item_t<In>>>
  requires detail::vector_output<Out>
void reduce_axes(const In& in, const device_count<N>& count, Out&& out, const Axes& named, Op op,
                 const std::type_identity_t<segmented_options<A>>& options = {}) {
  detail::reduce_counted_view("reduce_axes", in, count, {named, std::same_as<Axes, keep_axes>},
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
  detail::reduce_counted_view("reduce_columns", in, count, {axes{0}, false}, axis_reduction::place_outputs(out), op,
                              options);
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
