// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A walk along the items of an output by equal steps: divisions find where it begins, and additions where it goes on.
#pragma once
#include <warpfold/axes/index_map.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Where some items lie: item k at at + k * stride, or, behind the end of the innermost axis, at next + k * stride.
struct near_place {
  std::int64_t at;
  int remaining;  ///< items to the end of the innermost axis
  std::int64_t next;
};
/// Items to the end of an axis; `endless`, if it is so far off that no walk reaches it.
inline constexpr int endless = 1 << 30;
__device__ inline int near_items(std::int64_t remaining) {
  return static_cast<int>(least_of(remaining, std::int64_t{endless}));
}

/// A walk over at most `Axes` axes, 2 or 3, by steps of `Step` items. Chunks from its places on end in the stretch of
/// the innermost axis in which they begin, or in the next one.
template <int Axes, int Step, class Map> class place_walk {
 public:
  /// Begins at item `item` of the output whose first item lies at `origin`.
  __device__ place_walk(const Map& reduced, std::int64_t origin, std::int64_t item) : reduced_(reduced) {
    const stretch_place begin = reduced.stretch_at(item);
    at_ = origin + begin.in, items_ = near_items(begin.remaining);
    extent_ = near_items(reduced.inner_extent());
    const bool has_outer = Axes == 3 && reduced.axis_count() == 3;
    const bool is_short = has_outer || reduced.inner_extent() <= Step;  // else nothing need be divided
    const stretch_place step = is_short ? reduced.stretch_at(Step)
                                        : stretch_place{Step * reduced.inner_stride(), reduced.inner_extent() - Step};
    step_ = step.in, step_items_ = static_cast<int>(reduced.inner_extent() - step.remaining);
    if constexpr (Axes == 3)
      if (has_outer) {
        stretches_ = near_items(reduced.stretches_at(item));
        step_stretches_ = near_items(reduced.axes[1].extent - reduced.stretches_at(Step));
      }
  }
  __device__ near_place place() const {
    std::int64_t next = at_ + reduced_.jump();
    if constexpr (Axes == 3)
      if (stretches_ == 1) next += reduced_.jump(1);
    return {at_, items_, next};
  }
  __device__ void step() {
    at_ += step_, items_ -= step_items_;
    if constexpr (Axes == 3) stretches_ -= step_stretches_;
    if (items_ <= 0) {
      at_ += reduced_.jump(), items_ += extent_;
      if constexpr (Axes == 3) --stretches_;
    }
    if constexpr (Axes == 3)
      if (stretches_ <= 0) at_ += reduced_.jump(1), stretches_ += near_items(reduced_.axes[1].extent);
  }

 private:
  const Map& reduced_;
  std::int64_t at_, step_;
  int items_, step_items_, extent_;               // to the end of the innermost axis, of a step, and of the axis
  int stretches_ = endless, step_stretches_ = 0;  // to the end of the next axis, and of a step
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
