// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of a batch of rows of neighbouring outputs.
#pragma once
#include <warpfold/axes/index_map.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Loads the items [first, first + count), `count` <= Rows, of outputs whose first items lie together from `origin` on.
/// A batch that crosses ends of the innermost axis is loaded stretch by stretch, by one copy of the code. Rows without
/// items stay as they are.
template <class Leaves, class Map, int Rows>
__device__ void load_rows(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first, int count,
                          typename Leaves::chunk (&to)[Rows]) {
  const std::int64_t step = reduced.inner_stride();
  stretch_place stretch = reduced.stretch_at(first);
  if (stretch.remaining >= count) {
    const std::int64_t place = origin + stretch.in;
    if (count == Rows) {
      WARPFOLD_UNROLL
      for (int k = 0; k < Rows; ++k) leaves.load(to[k], place + k * step);
    } else {
      WARPFOLD_UNROLL
      for (int k = 0; k < Rows; ++k)
        if (k < count) leaves.load(to[k], place + k * step);
    }
    return;
  }
  WARPFOLD_NO_UNROLL
  for (int begin = 0;;) {
    const std::int64_t place = origin + stretch.in - begin * step;
    const int end = begin + static_cast<int>(least_of(stretch.remaining, std::int64_t{count - begin}));
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k)
      if (k >= begin && k < end) leaves.load(to[k], place + k * step);
    if (end == count) return;
    begin = end;
    stretch = reduced.stretch_at(first + begin);
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
