// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of a batch of rows of neighbouring outputs.
#pragma once
#include <warpfold/axes/index_map.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Calls visit(begin, end, place) for each stretch of equally spaced rows [begin, end) among `count` rows of outputs
/// whose first items lie together from `origin` on, from item `first` on. Row k lies k inner strides behind `place`,
/// which may be nowhere. One copy of `visit` has constants 0 and Rows, for all rows together.
template <int Rows, class Map, class Visit>
__device__ void for_each_stretch(const Map& reduced, std::int64_t origin, std::int64_t first, int count, Visit visit) {
  stretch_place stretch = reduced.stretch_at(first);
  if (count == Rows && stretch.remaining >= count) return visit(0, Rows, origin + stretch.in);
  WARPFOLD_NO_UNROLL
  for (int begin = 0;;) {
    const int end = begin + static_cast<int>(least_of(stretch.remaining, std::int64_t{count - begin}));
    visit(begin, end, origin + stretch.in - begin * reduced.inner_stride());
    if (end == count) return;
    begin = end;
    stretch = reduced.stretch_at(first + begin);
  }
}

/// Loads these rows. Those without items stay as they are.
template <class Leaves, class Map, int Rows>
__device__ void load_rows(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first, int count,
                          typename Leaves::chunk (&to)[Rows]) {
  for_each_stretch<Rows>(reduced, origin, first, count, [&](int begin, int end, std::int64_t place) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k)
      if (k >= begin && k < end) leaves.load(to[k], place + k * reduced.inner_stride());
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
