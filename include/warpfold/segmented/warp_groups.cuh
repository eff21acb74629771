// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How segments are dealt by number: segment s is that of the s-th group of neighbouring warps, which need not look for it.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Who does what in a grid.
struct warp_groups {
  int log_warps;  ///< of a group: 2^log_warps
  int partition_blocks;  ///< the first blocks, whose warps have ranges of items instead, for segments that are too long for a group
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
