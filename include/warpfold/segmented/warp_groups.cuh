// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of the kernel with a group of warps for each segment: group s folds segment s, and needs no search to find
// it.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

struct warp_groups {
  int log_warps;         ///< a group is 2^log_warps neighbouring warps of a block
  int partition_blocks;  ///< the first blocks, whose warps fold the units of segments that are too long for a group
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
