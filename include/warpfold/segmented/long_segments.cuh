// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds segments of more than 32 chunks, and the units of segments that several warps share.
#pragma once
#include <warpfold/segmented/arguments.cuh>
#include <warpfold/segmented/fold_span.cuh>

namespace warpfold::segmented {

/// Folds the segment if it is not cut, else those of its units that begin in `range`, the calling warp's positions. All
/// lanes of the warp call it.
template <class Arguments>
__device__ void fold_long_segment(const Arguments& arguments, const segment_span& range, std::int64_t segment,
                                  const segment_span items) {
  const auto& [segments, leaves, op, out, init, empty, partition, values] = arguments;
  using leaves_type = std::remove_cvref_t<decltype(leaves)>;
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
    const auto value =
        fold_span<long_rows_of<leaves_type>>(leaves, items.begin + done, least_of(count - done, piece_items), op);
    if (alone) write(value);
    else if (arch::lane_id() == 0) values.value(partition, first, done >> partition.log_unit) = value;
  }
  if (!alone) join_units(values, partition, first, begin, end, units, op, write);
}

}  // namespace warpfold::segmented
