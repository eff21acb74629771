// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory of the segmented scan's kernel.
#pragma once
#include <warpfold/grid/node_ring.cuh>
#include <warpfold/segmented_scan/policy.hpp>
#include <warpfold/segmented_scan/run_marks.cuh>
#include <warpfold/thread/array.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A lane's results of a row, aligned like the vectors that hold them.
template <class A, int Items>
struct alignas(least_of(Items * sizeof(A) & (~(Items * sizeof(A)) + 1), std::size_t{16})) alignas(A) lane_results {
  A value[Items];
};

/// A part of a tile: a whole unit, counted from its first item, so that rows are nodes; or pieces of any lengths, whose
/// begins are marked.
struct tile_part {
  std::int64_t base;  ///< the item from which items are counted
  int begin, end;     ///< of its items, and of gaps between them
  int units_before;   ///< units of the first piece's segment that lie before it
  bool is_unit;
  bool is_published;  ///< whether it is a unit, and its segment goes on behind it
  bool is_last;       ///< of the tile
};

/// Of one warp.
template <class A, int Rows, int Items, bool HasGaps> struct warp_storage {
  /// Rows that hold a unit: one more if it may begin within a chunk.
  static constexpr int unit_rows = Rows + (Items > 1 ? 1 : 0);

  tile_part parts[2];
  run_marks<unit_rows * Items * warp_lanes, HasGaps> marks;
  /// Results that wait for earlier nodes. If they are one row, lanes keep it instead.
  thread::array<lane_results<A, Items>, unit_rows == 1 ? 1 : unit_rows * warp_lanes> waiting;
  /// A node for each digit of the number of units before the piece.
  thread::array<A, grid::ring_levels * grid::log_window> before;
};

template <class A, int Rows, int Items, int Warps, bool HasGaps> struct scan_storage {
  int block_tile;
  warp_storage<A, Rows, Items, HasGaps> warp[Warps];
};

/// Shared memory that every launch may ask for without an opt-in.
inline constexpr std::size_t most_shared_bytes = 48 * 1024;

/// Of the chunk's `Items` items, halved until the storage fits, as many as a lane holds of a row: rows of narrow items
/// whose accumulators are wide would not fit. (Chunks that are wider than their accumulators make fewer rows.)
template <class A, int Items, bool HasGaps> consteval int fitting_chunk_items() {
  constexpr kernel_policy policy = kernel_policy_for(Items, 1, sizeof(A));
  if constexpr (Items == 1 || sizeof(scan_storage<A, policy.rows, Items, policy.warps, HasGaps>) <= most_shared_bytes)
    return Items;
  else return fitting_chunk_items<A, Items / 2, HasGaps>();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
