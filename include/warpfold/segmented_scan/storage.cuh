// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory of the segmented scan's kernel.
#pragma once
#include <warpfold/segmented_scan/policy.hpp>
#include <warpfold/segmented_scan/run_marks.cuh>
#include <warpfold/thread/array.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Of one warp.
template <class A, int Rows, int Items, bool HasGaps> struct warp_storage {
  run_marks<Rows * Items * warp_lanes, HasGaps> marks;
  thread::array<A, Rows == 1 ? 1 : Rows * warp_lanes> exchange;
  thread::array<A, levels * log_group> before;  ///< entry b: the node of bit b of the number of units before the piece
};

template <class A, int Rows, int Items, int Warps, bool HasGaps> struct scan_storage {
  int block_tile;
  warp_storage<A, Rows, Items, HasGaps> warp[Warps];
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
