// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every prefix along an axis of an array: inclusive_scan_axes, exclusive_scan_axes, and their transform_ forms.
//
//   wf::inclusive_scan_axes(in, out, wf::axes{0});                  // out[i][j] = in[0][j] + … + in[i][j]
//   wf::inclusive_scan_axes(in, out, wf::backwards{0}, wf::maximum{});  // = the maximum of in[i][j], …, in[last][j]
//   wf::exclusive_scan_axes(in, out, wf::axes{1}, {.init = 10});    // = 10 + in[i][0] + … + in[i][j - 1]
//
// | function                      | arguments                                                       |
// |-------------------------------|-----------------------------------------------------------------|
// | inclusive_scan_axes           | in, out, axes{n} or backwards{n}, [op] [options]                |
// | exclusive_scan_axes           | in, out, axes{n} or backwards{n}, [op] [options]                |
// | transform_inclusive_scan_axes | in, out, axes{n} or backwards{n}, op, transform [options]       |
// | transform_exclusive_scan_axes | in, out, axes{n} or backwards{n}, op, transform [options]       |
//
// - `in`: up to 8 dimensions of device memory, of an mdspan's shape (array_view): std::mdspan, cuda::std::mdspan, those
//   of Kokkos and RAFT, or strided. Any strides: padded, transposed, sliced, negative, zero.
// - `out`: the same, of the same extents, by any strides by which no two results share a place. outputs(a, b, …) of
//   arrays of the same extents and strides takes the results of a fused operator (fuse.hpp), one each.
// - axes{n}: prefixes run along axis n from its first item on; backwards{n}: from its last item, towards the first.
//   Negative numbers count from the end.
// - `op`: an associative operator (operators.hpp); the sum without it. `options`: reduce_options, {.stream = s} say. An
//   operator that takes the items' numbers (arg_maximum) gets their place in the order in which they are folded.
//
// All functions of this header
// - fold strictly in the order of the axis, or backwards, with an operator that need only be associative. Each result
//   has the bits of reduce over the items that it folds, in that order, with the same options: right-nested over the
//   binary digits of their number, whatever the strides, the kernel, the grid and the GPU. So the last result along an
//   axis is that of reduce_axes;
// - enqueue one kernel on options.stream, never wait, and can be captured. Nothing is transposed in memory, and scratch
//   does not depend on the shape;
// - read each item once and write each result once;
// - join options.init to each result on its left, once. An exclusive scan without init needs an operator with identity;
// - accumulate in accumulator_t<Op, T>, T being the item type, or what the transform returns, and convert each result
//   to the items of `out`. A sum or product into a wider type does not compile: accumulate_in says which type is meant;
// - may write `out` onto `in`, if both have the same first item, strides and item type. Otherwise all memory of the
//   output, from its first to its last item, must be apart from that of the input. It must be apart from *options.init;
// - cost the operations of the binary digits: up to log2(extent) an item, half of it on average; two or three an item
//   for exact operators (integers, extrema, bits);
// - throw std::invalid_argument, before anything is enqueued, for other than one axis, an axis that does not exist,
//   extents that differ, items more than 2^56 apart, null pointers with items, outputs that overlap themselves, each
//   other, the input or init, an exclusive scan without init and identity, a workspace that is too small or misaligned,
//   a negative max_blocks and, in builds with WARPFOLD_CHECKS, host memory where device memory is meant; cuda_error for
//   what CUDA reports.
#pragma once
#include <warpfold/axes/array_outputs.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/axes/overlap.hpp>
#include <warpfold/axes/scan_dispatch.cuh>
#include <warpfold/host/refused_axes.hpp>
#include <warpfold/segmented_scan.cuh>
#include <warpfold/strided.hpp>
#include <warpfold/workspace.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Throws unless each output has the extents of `in`, and its items have places of their own: the same as those of
/// other outputs relative to the first one.
template <class Out, int Count>
void check_scanned_outputs(const char* function, const axis_reduction::array_axes& in,
                           const axis_reduction::array_outputs<Out, Count>& out) {
  for (int k = 0; k < Count; ++k) {
    const auto& own = out.axes[k];
    const std::string name = Count == 1 ? "out" : "out " + std::to_string(k + 1) + " of " + std::to_string(Count);
    axis_reduction::checked_items(function, name.c_str(), own);
    bool fits = own.rank == in.rank;
    for (int i = 0; fits && i < in.rank; ++i) fits = own.extent[i] == in.extent[i];
    if (!fits)
      reject(function, {name, " has the extents ", axis_reduction::listed(own.extent, own.rank), "; in has ",
                        axis_reduction::listed(in.extent, in.rank)});
    if (!axis_reduction::are_same_places(own, out.axes[0]))
      reject(function,
             {name, " has the strides ", axis_reduction::listed(own.stride, own.rank), ", out 1 of ", Count, " has ",
              axis_reduction::listed(out.axes[0].stride, out.axes[0].rank), "; they must be the same"});
  }
}

/// Throws unless the memory of each output is apart from that of the others and of init, and from the input or in its
/// place. There are items.
template <class T, class Out, int Count, class A>
void check_scanned_apart(const char* function, const T* in, const axis_reduction::array_axes& in_axes,
                         const axis_reduction::array_outputs<Out, Count>& out, const reduce_options<A>& options) {
  const auto read = axis_reduction::range_of(in_axes), written = axis_reduction::range_of(out.axes[0]);
  const std::int64_t read_items = read.last - read.first + 1, written_items = written.last - written.first + 1;
  const bool same_places = axis_reduction::are_same_places(in_axes, out.axes[0]);
  host_side::check_outputs_apart(function, "out", axis_reduction::from_item(out.to, written.first), written_items);
  host_side::for_each_output("out", out.to, [&](const char* name, const auto& first, std::int64_t) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(*first)>, T>)
      if (same_places && first == in) return;
    host_side::check_apart(function, "in", in + read.first, read_items, name, first + written.first, written_items);
  });
  host_side::check_outputs_apart_from(function, "init", options.init, "out",
                                      axis_reduction::from_item(out.to, written.first), written_items);
}

/// Checks the memory of a scan of `in`, and returns the number of items.
template <class T, class Outputs, class A>
std::int64_t check_scanned(const char* function, const T* in, const axis_reduction::array_axes& in_axes,
                           const Outputs& out, const reduce_options<A>& options) {
  const std::int64_t items = axis_reduction::checked_items(function, "in", in_axes);
  check_scanned_outputs(function, in_axes, out);
  if (items > 0) {
    host_side::check_pointer(function, "in", in);
    host_side::check_output_pointers(function, "out", out.to);
    axis_reduction::check_apart_from_itself(function, "out", out.axes[0]);
    check_scanned_apart(function, in, in_axes, out, options);
  }
  return items;
}

/// The leaves of a scan of `shape`, from its first item on. `in` has the axes `in_axes`.
template <class A, class Op, class T, class Transform>
auto scanned_leaves(const Op& op, const T* in, const axis_reduction::array_axes& in_axes, const Transform& transform,
                    const axis_scan::scan_shape& shape) {
  const auto read = shape.has_items() ? axis_reduction::range_of(in_axes) : axis_reduction::item_range{0, -1};
  return axis_reduction::leaves_of<A>(op, in + shape.in_first, transform,
                                      {read.first - shape.in_first, read.last - shape.in_first});
}

/// The scan of axis number `scanned` of `in`. The types have been checked.
template <bool IsExclusive, class T, class Outputs, class Op, class Transform, class A>
void scan_checked_axis(const char* function, const T* in, const axis_reduction::array_axes& in_axes, int scanned,
                       bool is_backwards, const Outputs& out, Op op, Transform transform,
                       const reduce_options<A>& options) {
  const std::int64_t items = check_scanned(function, in, in_axes, out, options);
  const axis_scan::scan_shape shape = axis_scan::shape_of(in_axes, out.axes[0], scanned, is_backwards);
  const auto to = axis_reduction::from_item(out.to, shape.out_first);
  constexpr bool takes_index = thread::lifts_source_indexed<Op, Transform, thread::pointer_source<T>>;
  if constexpr (!takes_index)
    if (shape.has_items() && axis_scan::has_adjacent_rows(shape))
      return scan_segments<IsExclusive>(function, "in", in + shape.in_first, items, fixed_length{shape.items}, to, op,
                                        transform, options);
  axis_scan::enqueue<IsExclusive>(function, shape, scanned_leaves<A>(op, in, in_axes, transform, shape), op,
                                  lower_into<A>(op, to.first), options);
}

/// Whether all types of a scan along an axis fit together.
template <class Op, class Transform, class A, class Out, class T> consteval bool check_axis_scan_types() {
  static_assert(!lowers_segments<Op, A>,
                "warpfold: scans do not tell where a segment begins: use within_run instead of within_segment");
  return check_types<Op, Transform, A, Out, T>();
}

template <bool IsExclusive, class In, class Outputs, class Op, class Transform, class A>
void scan_view_axis(const char* function, const In& in, const auto& named, const Outputs& out, Op op,
                    Transform transform, const reduce_options<A>& options) {
  using T = view_item_t<In>;
  if constexpr (check_axis_scan_types<Op, Transform, A, decltype(out.to.first), T>()) {
    const auto in_axes = axis_reduction::axes_of(in);
    const T* const first = to_pointer(in.data_handle());
    scan_checked_axis<IsExclusive>(function, first, in_axes,
                                   axis_reduction::one_axis(function, named, in_axes.rank, "a scan runs along one"),
                                   std::is_same_v<decltype(named), const backwards&>, out, op, transform, options);
  }
}

}  // namespace WARPFOLD_HIDDEN_V1

template <class N>
concept names_scanned_axis = std::same_as<N, axes> || std::same_as<N, backwards>;
/// An array, or what `outputs` makes of arrays.
template <class Out>
concept scanned_output = array_view<Out> || axis_reduction::is_array_outputs<Out>;

inline namespace WARPFOLD_HIDDEN_V1 {

/// Counts that the device knows are taken by device_count_scan_axes.cuh, which specialises this.
template <class Count> struct counted_axis_scan { static constexpr bool exists = false; };

/// A scan along an axis in all its forms. As an object, it is found by its name alone, never by the arguments'
/// namespaces.
// No default argument and no default template argument for Op: `{...}` would otherwise bind to it.
template <bool IsExclusive> struct axis_scan_function : refused_axes {
  using refused_axes::operator();
  const char* name;

  /// Of the items of `in`, by `op`.
  template <array_view In, scanned_output Out, names_scanned_axis Axis, operator_argument Op,
            class A = accumulator_t<Op, view_item_t<In>>>
  void operator()(const In& in, const Out& out, const Axis& axis, Op op,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_view_axis<IsExclusive>(name, in, axis, axis_reduction::place_outputs(out), op, thread::no_transform{},
                                options);
  }
  /// The sum.
  template <array_view In, scanned_output Out, names_scanned_axis Axis, class A = accumulator_t<plus, view_item_t<In>>>
  void operator()(const In& in, const Out& out, const Axis& axis,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(in, out, axis, plus{}, options);
  }
  /// Of as many indices of axis 0 as the device knows, where device_count_scan_axes.cuh is included.
  template <array_view In, class Count, scanned_output Out, names_scanned_axis Axis, operator_argument Op,
            class A = accumulator_t<Op, view_item_t<In>>>
    requires(counted_axis_scan<Count>::exists)
  void operator()(const In& in, const Count& count, const Out& out, const Axis& axis, Op op,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    counted_axis_scan<Count>::template scan<IsExclusive>({name, count, axis}, in, axis_reduction::place_outputs(out),
                                                         op, thread::no_transform{}, options);
  }
  /// The sum.
  template <array_view In, class Count, scanned_output Out, names_scanned_axis Axis,
            class A = accumulator_t<plus, view_item_t<In>>>
    requires(counted_axis_scan<Count>::exists)
  void operator()(const In& in, const Count& count, const Out& out, const Axis& axis,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(in, count, out, axis, plus{}, options);
  }
};

/// A scan of transformed items along an axis. The accumulator follows what `transform` returns.
template <bool IsExclusive> struct transform_axis_scan_function : refused_axes {
  using refused_axes::operator();
  const char* name;

  template <array_view In, scanned_output Out, names_scanned_axis Axis, operator_argument Op, class Transform,
            class A = transformed_accumulator_t<Op, Transform, view_item_t<In>>>
  void operator()(const In& in, const Out& out, const Axis& axis, Op op, Transform transform,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_view_axis<IsExclusive>(name, in, axis, axis_reduction::place_outputs(out), op, transform, options);
  }
  /// Of as many indices of axis 0 as the device knows, where device_count_scan_axes.cuh is included.
  template <array_view In, class Count, scanned_output Out, operator_argument Op, class Transform,
            class A = transformed_accumulator_t<Op, Transform, view_item_t<In>>>
    requires(counted_axis_scan<Count>::exists)
  void operator()(const In& in, const Count& count, const Out& out, const names_scanned_axis auto& axis, Op op,
                  Transform transform, const std::type_identity_t<reduce_options<A>>& options = {}) const {
    counted_axis_scan<Count>::template scan<IsExclusive>({name, count, axis}, in, axis_reduction::place_outputs(out),
                                                         op, transform, options);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// Each item of `out` = init op the items of `in` from the begin of the axis, or backwards, from its end, to this one.
inline constexpr detail::axis_scan_function<false> inclusive_scan_axes{{}, "inclusive_scan_axes"};
/// Each item of `out` = init op the items of `in` before this one in that order; the first: init, or the identity.
inline constexpr detail::axis_scan_function<true> exclusive_scan_axes{{}, "exclusive_scan_axes"};

/// inclusive_scan_axes over what `transform` makes of each item.
inline constexpr detail::transform_axis_scan_function<false> transform_inclusive_scan_axes{
    {}, "transform_inclusive_scan_axes"};
/// exclusive_scan_axes over what `transform` makes of each item.
inline constexpr detail::transform_axis_scan_function<true> transform_exclusive_scan_axes{
    {}, "transform_exclusive_scan_axes"};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
