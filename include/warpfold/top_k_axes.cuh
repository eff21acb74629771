// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best k items along an axis of an array, and where they are, for any k up to 1024 that is known when the call is
// made. (For k up to 16 at compile time, top_k<K> and bottom_k<K> are operators of reduce_axes.)
//
//   wf::top_k_axes(in, wf::axes{1}, 8, values, indices);     // values[i][n] = the n-th largest of row i
//   wf::bottom_k_axes(in, wf::axes{0}, 8, values, indices);  // values[n][j] = the n-th smallest of column j
//
// | function                  | arguments                                |
// |---------------------------|------------------------------------------|
// | top_k_axes, bottom_k_axes | in, axes{n}, k, values, indices, options |
//
// - `in`: up to 8 dimensions of device memory, of an mdspan's shape (array_view): std::mdspan, cuda::std::mdspan, those
//   of Kokkos and RAFT, or strided. Any strides: padded, transposed, sliced, negative, zero. Items are those that
//   top_k.cuh takes.
// - axes{n}: the axis along which items are compared. A negative number counts from the end.
// - `k`: 0 to 1024.
// - `values`, `indices`: the extents of `in`, but k along that axis. Each is an array of any strides by which no two
//   results share a place, a contiguous range of as many items, or a pointer or an iterator to so many: they stand
//   there in row-major order. Indices count along the axis; any integers hold them.
// - `options`: call_options.
//
// Results are those of segmented_top_k of the same items (top_k.cuh): sorted along the axis, the best one first, of
// equal items those of the lowest indices; and so for NaN, -0, and an axis of fewer items than k.
//
// Both functions enqueue one kernel on options.stream, never wait, and can be captured. Nothing is transposed in
// memory, and scratch does not depend on the shape. Items that are adjacent along the axis are read by vectors. Others
// are read one by one: blocks of neighbouring columns run together, so caches deliver what lies between.
//
// They throw std::invalid_argument, before anything is enqueued, for k below 0 or above 1024, other than one axis, an
// axis that does not exist, extents that do not match, items more than 2^56 apart, null pointers with items, outputs
// that overlap themselves, each other or the input (all memory from an array's first to its last item counts), a
// workspace that is too small or misaligned, a negative max_blocks, host memory where device memory is meant, and an
// axis of more items than top_k.cuh says of a segment; cuda_error for what CUDA reports.
#pragma once
#include <warpfold/axes/array_outputs.cuh>
#include <warpfold/axes/column_lists.cuh>
#include <warpfold/axes/overlap.hpp>
#include <warpfold/host/refused_axes.hpp>
#include <warpfold/strided.hpp>
#include <warpfold/thread/strided_source.cuh>
#include <warpfold/top_k.cuh>

namespace warpfold {

namespace detail {
/// An array, a range or an iterator, of results of one kind.
template <class Out>
concept axis_lists = array_view<std::remove_cvref_t<Out>> ||(!requires(const Out& out) {
  out.to_output();
} && (device_range<std::remove_reference_t<Out>> || any_device_outputs<Out>));

inline namespace WARPFOLD_HIDDEN_V1 {

/// Lists of `k` results along axis number `along`, where an output has them.
template <class It> struct placed_lists {
  It first;
  axis_reduction::array_axes axes;

  /// The results from the first to the last one in memory. There are some.
  It begin() const {
    if constexpr (std::is_pointer_v<It>) return first + axis_reduction::range_of(axes).first;
    else return first;
  }
  std::int64_t places() const {
    const auto range = axis_reduction::range_of(axes);
    return range.last - range.first + 1;
  }
};

/// The lists in `out`, called `name`, which must have the extents `expected`.
template <class Out>
auto place_lists(const char* function, const char* name, Out& out, const axis_reduction::array_axes& expected) {
  const auto placed = axis_reduction::place_outputs(out);
  const placed_lists<std::remove_cv_t<decltype(placed.to.first)>> lists{
      placed.to.first, placed.are_ranges ? axis_reduction::axes_of_range(expected, 0, placed.axes[0]) : placed.axes[0]};
  bool fits = lists.axes.rank == expected.rank;
  for (int i = 0; fits && i < expected.rank; ++i) fits = lists.axes.extent[i] == expected.extent[i];
  if (!fits)
    reject(function, {name, " has the extents ", axis_reduction::listed(lists.axes.extent, lists.axes.rank), ", not ",
                      axis_reduction::listed(expected.extent, expected.rank)});
  if (axis_reduction::checked_items(function, name, lists.axes) > 0) {
    host_side::check_pointer(function, name, lists.first);
    axis_reduction::check_apart_from_itself(function, name, lists.axes);
  }
  return lists;
}

/// Throws unless the outputs are apart from the input, of which `items` exist, and from each other. They have results.
template <class T, class Values, class Indices>
void check_lists_apart(const char* function, const T* in, const axis_reduction::array_axes& in_axes, std::int64_t items,
                       const placed_lists<Values>& values, const placed_lists<Indices>& indices) {
  const auto read = items > 0 ? axis_reduction::range_of(in_axes) : axis_reduction::item_range{0, -1};
  const auto apart_from_input = [&](const char* name, const auto& lists) {
    host_side::check_apart(function, "in", in + read.first, read.last - read.first + 1, name, lists.begin(),
                           lists.places());
  };
  apart_from_input("values", values);
  apart_from_input("indices", indices);
  host_side::check_apart(function, "values", values.begin(), values.places(), "indices", indices.begin(),
                         indices.places());
}

/// Enqueues the selection along axis number `along` of `in`, which has been checked as the outputs have been. There are
/// columns, and results of each.
template <class Order, class T, class Values, class Indices>
void enqueue_columns(const host_side::call_frame& frame, const T* in, const axis_reduction::array_axes& in_axes,
                     int along, const placed_lists<Values>& values, const placed_lists<Indices>& indices) {
  const axis_reduction::column_order order(in_axes, along);
  const auto to = [&](const auto& lists) {
    return axis_reduction::column_lists<std::remove_cvref_t<decltype(lists.first)>>{
        lists.first, order.first_place(lists.axes), order.items_of(lists.axes)};
  };
  const std::int64_t length = in_axes.extent[along], stride = in_axes.stride[along];
  const T* const first = in + order.first_place(in_axes);
  std::int64_t columns = 1, last = 0;
  for (int i = 0; i < in_axes.rank; ++i)
    if (i != along) {
      columns *= in_axes.extent[i];
      last += (in_axes.extent[i] - 1) * std::abs(in_axes.stride[i]);
    }
  const axis_reduction::column_spans spans{order.columns_of(in_axes), length, columns};
  const auto enqueue = [&](const auto& source) {
    const auto k = static_cast<int>(values.axes.extent[along]);
    selection::enqueue<Order>(frame, source, spans, k, to(values), to(indices));
  };
  if (stride == 1 || length == 1) enqueue(thread::pointer_source<T>{first, last + length});
  else enqueue(thread::strided_source<T>{first, stride, last + length});
}

/// A call of either function.
template <bool Smallest, nans Nans, class In, class Values, class Indices>
void top_k_along(const char* function, const In& in, const axes& named, std::int64_t k, Values& values,
                 Indices& indices, const call_options& options) {
  using T = view_item_t<In>;
  using order = selection::item_order<Smallest, Nans, T>;
  const auto in_axes = axis_reduction::axes_of(in);
  const T* const first = to_pointer(in.data_handle());
  if (k < 0 || k > selection::most_k) reject(function, {"k is ", k, "; it must be 0 to ", selection::most_k});
  const int along = axis_reduction::one_axis(function, named, in_axes.rank, "items are compared along one");
  const std::int64_t items = axis_reduction::checked_items(function, "in", in_axes);
  if (items > 0) host_side::check_pointer(function, "in", first);
  const auto frame = selection::frame_of<order>(function, static_cast<int>(k), options);
  auto expected = in_axes;
  expected.extent[along] = k;
  const auto to_values = place_lists(function, "values", values, expected);
  const auto to_indices = place_lists(function, "indices", indices, expected);
  if (axis_reduction::checked_items(function, "values", to_values.axes) == 0) return;
  check_lists_apart(function, first, in_axes, items, to_values, to_indices);
  enqueue_columns<order>(frame, first, in_axes, along, to_values, to_indices);
}

/// What kernels write through where an output is an array, a range or an iterator.
template <class Out> using lists_iterator_t = decltype(axis_reduction::place_outputs(std::declval<Out&>()).to.first);

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// values, indices = the k largest items of `in` along the axis that is named, the largest first, and their numbers.
template <nans Nans = nans::propagate, array_view In, std::same_as<axes> Axes, detail::axis_lists Values,
          detail::axis_lists Indices>
void top_k_axes(const In& in, const Axes& named, std::int64_t k, Values&& values, Indices&& indices,
                const call_options& options = {}) {
  if constexpr (detail::check_top_k_types<view_item_t<In>, detail::lists_iterator_t<Values>,
                                          detail::lists_iterator_t<Indices>>())
    detail::top_k_along<false, Nans>("top_k_axes", in, named, k, values, indices, options);
}

/// values, indices = the k smallest items of `in` along the axis that is named, the smallest first, and their numbers.
template <nans Nans = nans::propagate, array_view In, std::same_as<axes> Axes, detail::axis_lists Values,
          detail::axis_lists Indices>
void bottom_k_axes(const In& in, const Axes& named, std::int64_t k, Values&& values, Indices&& indices,
                   const call_options& options = {}) {
  if constexpr (detail::check_top_k_types<view_item_t<In>, detail::lists_iterator_t<Values>,
                                          detail::lists_iterator_t<Indices>>())
    detail::top_k_along<true, Nans>("bottom_k_axes", in, named, k, values, indices, options);
}

// ---- what is refused (host/refused_axes.hpp) ----

template <nans Nans = nans::propagate, class Call = void>
void top_k_axes(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                detail::any_argument = {}) {
  detail::refuse_top_k_axes<Call>();
}

template <nans Nans = nans::propagate, class Call = void>
void bottom_k_axes(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                   detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                   detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_top_k_axes<Call>();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
