// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns of a scan along an axis, in as few axes as possible. Pure functions of extents and strides.
#pragma once
#include <warpfold/axes/shape.hpp>

namespace warpfold::axis_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

using axis_reduction::array_axes;
using axis_reduction::axis_list;

/// A scan of each of `columns` columns of `items` items. A column is what differs in the scanned axis only.
struct scan_shape {
  axis_list kept;  ///< one axis at least; but for a counted one, input strides fall, and are not negative
  std::int64_t in_stride = 0, out_stride = 0;  ///< from an item of a column to the next one that is folded
  std::int64_t in_first = 0, out_first = 0;    ///< the places of the first item that is folded in the first column
  std::int64_t columns = 1, items = 1;

  bool has_items() const { return columns > 0 && items > 0; }
};

/// The shape of the scan of axis number `scanned` from `in` to `out`, which has the same extents. If the device
/// `counts_outermost` indices, the columns of each index of axis 0 come before those of the next one.
inline scan_shape shape_of(const array_axes& in, const array_axes& out, int scanned, bool is_backwards,
                           bool counts_outermost = false) {
  scan_shape result;
  axis_list outermost;
  for (int i = 0; i < in.rank; ++i) {
    axis_list::axis axis{in.extent[i], in.stride[i], out.stride[i]};
    const bool is_scanned = i == scanned;
    (is_scanned ? result.items : result.columns) *= axis.extent;
    if (axis.extent <= 1 && !is_scanned) continue;
    if (counts_outermost && i == 0 && !is_scanned) {
      outermost.push(axis);
      continue;
    }
    if (axis.extent > 1 && (is_scanned ? is_backwards : axis.in_stride < 0)) {
      result.in_first += (axis.extent - 1) * axis.in_stride;
      result.out_first += (axis.extent - 1) * axis.out_stride;
      axis.in_stride = -axis.in_stride, axis.out_stride = -axis.out_stride;
    }
    if (is_scanned) result.in_stride = axis.in_stride, result.out_stride = axis.out_stride;
    else result.kept.insert(axis);
  }
  for (int i = 0; i < result.kept.rank; ++i) outermost.push(result.kept.axes[i]);
  result.kept = axis_reduction::merged(outermost);
  if (result.kept.rank == 0) result.kept.push({1, 1, 1});
  return result;
}

/// Whether the columns are adjacent rows of contiguous arrays, which scans of segments take.
inline bool has_adjacent_rows(const scan_shape& given) {
  const axis_list::axis& kept = given.kept.inner();
  return given.kept.rank == 1 && (given.items == 1 || (given.in_stride == 1 && given.out_stride == 1)) &&
         (given.columns == 1 || (kept.in_stride == given.items && kept.out_stride == given.items));
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_scan
