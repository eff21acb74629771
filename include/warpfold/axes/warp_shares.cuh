// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a warp of the row kernel folds.
#pragma once
#include <warpfold/axes/arguments.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Of a work item, a warp folds shares of one output, in turn with the other groups of its block: share `group`, and
/// every plan.groups-th one after it.
struct warp_shares {
  work_item item;
  int group, log_items;
  std::int64_t output;

  template <class Arguments>
  __device__ warp_shares(const Arguments& arguments, std::int64_t work, int warp)
      : item(arguments.item_at(work)),
        group(warp / arguments.plan.lanes),
        log_items(arguments.plan.log_rows - arguments.plan.log_turns),
        output(item.tile * arguments.plan.lanes + (warp - group * arguments.plan.lanes)) {}

  /// The shares of all groups.
  __device__ int count() const { return static_cast<int>((item.end - item.first - 1) >> log_items) + 1; }
  __device__ std::int64_t first(int share) const { return item.first + (std::int64_t{share} << log_items); }
  __device__ std::int64_t end(int share) const { return least_of(first(share + 1), item.end); }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
