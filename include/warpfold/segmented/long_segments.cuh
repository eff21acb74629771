// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of more than 32 chunks, and the units of those that several warps have.
#pragma once
#include <warpfold/segmented/arguments.cuh>
#include <warpfold/segmented/fold_span.cuh>

namespace warpfold::segmented {

/// Folds what begins in the calling warp's range of a segment: all of it, if it is not cut, else those of its units
/// that do. By one warp.
template <class Arguments>
__device__ void fold_long_segment(const Arguments& arguments, const segment_span& range, std::int64_t segment,
                                  const segment_span items) {
  const auto& [segments, leaves, op, out, init, empty, ranges, values] = arguments;
  using leaves_type = std::remove_cvref_t<decltype(leaves)>;
  const std::int64_t count = items.end - items.begin, first = ranges.position(segment, items.begin);
  std::int64_t units = 1, begin = 0, end = 1;
  if (count > ranges.whole_items) {
    units = ranges.units(count);
    begin = ranges.units_before(first, range.begin);
    end = least_of(ranges.units_before(first, range.end), units);
    if (begin >= end) return;
  }
  const auto write = [&](const auto& value) {
    if (arch::lane_id() == 0) arguments.write(out + segment, value);
  };
  const bool alone = end - begin == units;  // then there is nothing to join
  const std::int64_t piece_items = alone ? count : ranges.unit_items(),
                     last = alone ? count : least_of(count, end << ranges.log_unit);
  WARPFOLD_NO_UNROLL
  for (std::int64_t done = begin << ranges.log_unit; done < last; done += piece_items) {
    const auto value = fold_span<policy_of<leaves_type>.long_rows>(leaves, items.begin + done,
                                                                   least_of(count - done, piece_items), op);
    if (alone) write(value);
    else if (arch::lane_id() == 0) values.value(ranges, first, done >> ranges.log_unit) = value;
  }
  if (!alone) join_units(values, ranges, first, begin, end, units, op, write);
}

}  // namespace warpfold::segmented
