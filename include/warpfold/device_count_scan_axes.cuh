// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans along an axis of an array whose outermost axis is as long as the device knows (device_count.cuh):
//
//   wf::inclusive_scan_axes(in, wf::device_count(count, most), out, axis, [op], [options]);
//   wf::exclusive_scan_axes(in, wf::device_count(count, most), out, axis, [op], [options]);
//   wf::transform_inclusive_scan_axes(in, wf::device_count(count, most), out, axis, op, transform, [options]);
//   wf::transform_exclusive_scan_axes(in, wf::device_count(count, most), out, axis, op, transform, [options]);
//
// `axis` is axes{n} or backwards{n}. Axis 0 has `most` indices at least, in `in` and in `out`, of which the first
// *count take part, whether that axis is scanned or another one. Backwards along axis 0, the first item that is folded
// has index *count - 1. All else is as scan_axes.cuh says of arrays with that extent: the bits, too. Nothing is written
// at other indices. `out` must be apart from the count.
//
// The contiguous rows of a matrix are scanned as segments are. In other arrays axis 0 should be outermost in memory,
// too: where its items are neighbours, and another axis is scanned, memory is read in small pieces.
#pragma once
#include <warpfold/device_count.cuh>
#include <warpfold/scan_axes.cuh>

namespace warpfold::detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class N> struct counted_axis_scan<device_count<N>> {
  static constexpr bool exists = std::integral<N>;

  /// What a call names.
  struct named {
    const char* function;
    const device_count<N>& count;
    const axes& axis;
    bool is_backwards;

    named(const char* name, const device_count<N>& number, const axes& along)
        : function(name), count(number), axis(along), is_backwards(false) {}
    named(const char* name, const device_count<N>& number, const backwards& along)
        : function(name), count(number), axis(along), is_backwards(true) {}
  };

  template <bool IsExclusive, class In, class Outputs, class Op, class Transform, class A>
  static void scan(const named& call, const In& in, Outputs out, Op op, Transform transform,
                   const reduce_options<A>& options) {
    using T = view_item_t<In>;
    if constexpr (check_axis_scan_types<Op, Transform, A, decltype(out.to.first), T>()) {
      const auto number = call.count.checked(call.function);
      auto in_axes = axis_reduction::axes_of(in);
      const int scanned = axis_reduction::one_axis(call.function, call.axis, in_axes.rank, "a scan runs along one");
      axis_reduction::keep_first_indices(call.function, in_axes, number.most);
      for (auto& each : out.axes) axis_reduction::keep_first_indices(each, number.most);
      const T* const first = to_pointer(in.data_handle());
      const std::int64_t items = check_scanned(call.function, first, in_axes, out, options);
      if (items > 0) check_count_apart(call.function, number, out);
      scan_checked<IsExclusive>(call, number, first, in_axes, scanned, out, op, transform, options);
    }
  }

 private:
  template <class Out, int Count>
  static void check_count_apart(const char* function, const grid::device_items<N>& number,
                                const axis_reduction::array_outputs<Out, Count>& out) {
    const auto written = axis_reduction::range_of(out.axes[0]);
    host_side::check_outputs_apart_from(function, "device_count", number.pointer, 1, "out",
                                        axis_reduction::from_item(out.to, written.first),
                                        written.last - written.first + 1);
  }

  /// The scan of arrays whose memory has been checked.
  template <bool IsExclusive, class T, class Outputs, class Op, class Transform, class A>
  static void scan_checked(const named& call, const grid::device_items<N>& number, const T* in,
                           const axis_reduction::array_axes& in_axes, int scanned, const Outputs& out, Op op,
                           Transform transform, const reduce_options<A>& options) {
    const auto shape = axis_scan::shape_of(in_axes, out.axes[0], scanned, call.is_backwards, true);
    const auto to = axis_reduction::from_item(out.to, shape.out_first);
    constexpr bool takes_index = thread::lifts_source_indexed<Op, Transform, thread::pointer_source<T>>;
    if constexpr (!takes_index)
      if (shape.has_items() && scanned != 0 && shape.columns == number.most && axis_scan::has_adjacent_rows(shape))
        return scan_segments<IsExclusive>(call.function, "in", in + shape.in_first, shape.columns * shape.items,
                                          first_segments{fixed_length{shape.items}, call.count}, to, op, transform,
                                          options);
    const std::int64_t columns_each = scanned == 0 || !shape.has_items() ? 0 : shape.columns / number.most;
    axis_scan::enqueue<IsExclusive>(call.function, shape, scanned_leaves<A>(op, in, in_axes, transform, shape), op,
                                    lower_into<A>(op, to.first), options, [&](const auto& results) {
                                      return axis_scan::counted_output<std::remove_cvref_t<decltype(results)>, N>{
                                          results, number, columns_each, call.is_backwards};
                                    });
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::detail
