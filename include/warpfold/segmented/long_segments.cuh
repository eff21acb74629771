// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds segments of more than 32 chunks, and the units of segments that several warps share.
#pragma once
#include <warpfold/segmented/arguments.cuh>
#include <warpfold/segmented/code_size.cuh>
#include <warpfold/segmented/edge_joins.cuh>
#include <warpfold/segmented/fold_span.cuh>

namespace warpfold::segmented {

/// A warp's storage for the right edge of a long segment, if it is joined late.
template <class Leaves> struct long_segment_storage {
  struct type {};
};
template <class Leaves>
  requires may_join_full_nodes<wide_leaves<Leaves>>
struct long_segment_storage<Leaves> {
  using type = span_nodes<late_leaves<Leaves>>;
};
template <class Leaves> using long_segment_nodes = typename long_segment_storage<Leaves>::type;

/// The canonical tree over the `items` > 0 items from item `first` on. Valid in lane 0. All lanes of the warp call it.
template <class Leaves, class Op>
__device__ auto fold_long_span(const Leaves& leaves, std::int64_t first, std::int64_t items, [[maybe_unused]] Op op,
                               [[maybe_unused]] long_segment_nodes<Leaves>& nodes) {
  constexpr int rows = long_rows_of<Leaves>;
  constexpr bool one_loop = has_one_span_loop<Leaves>;
  if constexpr (may_join_full_nodes<wide_leaves<Leaves>>)
    return fold_full_span(leaves.template from<late_leaves<Leaves>::chunk_items>(0), first, items, nodes);
  else return fold_span<rows, one_loop>(leaves, first, items, op);
}

/// Folds the segment if it is not cut, else those of its units that begin in `range`, the calling warp's positions. All
/// lanes of the warp call it.
template <class Arguments>
__device__ void fold_long_segment(const Arguments& arguments, const segment_span& range, std::int64_t segment,
                                  const segment_span items,
                                  long_segment_nodes<typename Arguments::leaves_type>& nodes) {
  const auto& [segments, leaves, op, out, init, empty, partition, values] = arguments;
  const std::int64_t count = items.end - items.begin, first = partition.position(segment, items.begin);
  std::int64_t units = 1, begin = 0, end = 1;
  if (count > partition.max_uncut_items) {
    units = partition.unit_count(count);
    begin = partition.units_before(first, range.begin);
    end = least_of(partition.units_before(first, range.end), units);
    if (begin >= end) return;
  }
  const auto write = [&](const auto& value) {
    if (arch::lane_id() == 0) arguments.write(out, segment, items.begin, count, value);
  };
  const bool alone = end - begin == units;  // the warp has all units: nothing to join
  const std::int64_t piece_items = alone ? count : partition.unit_items(),
                     last = alone ? count : least_of(count, end << partition.log_unit);
  WARPFOLD_NO_UNROLL
  for (std::int64_t done = begin << partition.log_unit; done < last; done += piece_items) {
    const auto value = fold_long_span(leaves, items.begin + done, least_of(count - done, piece_items), op, nodes);
    if (alone) write(value);
    else if (arch::lane_id() == 0) values.value(partition, first, done >> partition.log_unit) = value;
  }
  if (!alone) join_units(values, partition, first, begin, end, units, op, write);
}

}  // namespace warpfold::segmented
