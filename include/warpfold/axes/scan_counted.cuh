// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans along an axis of an array whose outermost axis is as long as the device knows. Either that axis is scanned, so
// columns have fewer items than there may be; or its indices come first in the numbers of columns, so there are fewer
// columns. The host plans for as many as there may be; the kernel reads the number before anything else.
#pragma once
#include <warpfold/axes/scan_arguments.cuh>
#include <warpfold/grid/device_items.cuh>

namespace warpfold::axis_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// `out`, and how long the outermost axis is: the number that the kernel is to read.
template <class Out, class N> struct counted_output {
  Out out;
  grid::device_items<N> number;
  std::int64_t columns_each;  ///< for each index of that axis; 0 if it is the scanned one
  bool is_backwards;          ///< the scan
};
template <class Out> inline constexpr bool is_counted = false;
template <class Out, class N> inline constexpr bool is_counted<counted_output<Out, N>> = true;

/// The places of columns whose first item is not that of the longest ones. The map of these stays where it is: a copy
/// would lie in local memory.
struct shifted_map {
  const axis_reduction::index_map& map;
  place shift;

  __device__ place place_of(std::int64_t column) const {
    const place at = map.place_of(column);
    return {at.in + shift.in, at.out + shift.out};
  }
};

/// The arguments for the items that there are, of which a thread takes `Rows` in a tile.
template <int Rows, class Arguments> __device__ const Arguments& with_known_items(const Arguments& given) {
  return given;
}
template <int Rows, class Leaves, class Op, class Out, class N>
__device__ auto with_known_items(const scan_arguments<Leaves, Op, counted_output<Out, N>>& given) {
  const std::int64_t number = given.out.number.read(), columns_each = given.out.columns_each;
  scan_arguments<Leaves, Op, Out, shifted_map> known{
      given.leaves,  given.op,    given.out.out,   given.init,       given.first, {given.kept, {0, 0}},
      given.columns, given.items, given.in_stride, given.out_stride, given.plan,  given.rings};
  const auto tiles_of = [](std::int64_t count, int log_tile) {
    return (count + (std::int64_t{1} << log_tile) - 1) >> log_tile;
  };
  if (columns_each > 0) {
    known.columns = number * columns_each;
    known.plan.strips = tiles_of(known.columns, given.plan.log_lanes);
    return known;
  }
  known.items = number;
  known.plan.tiles = tiles_of(number, log2_of(Rows) + given.plan.log_groups);
  if (given.out.is_backwards) {  // the first item that is folded is the last one that there is
    const std::int64_t missing = given.items - number;
    known.kept.shift = {missing * given.in_stride, missing * given.out_stride};
  }
  return known;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_scan
