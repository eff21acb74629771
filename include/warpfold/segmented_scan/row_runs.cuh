// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runs of a warp's rows: which items begin one, which exist and belong to a segment, and their numbers.
#pragma once
#include <warpfold/segmented_scan/run_marks.cuh>

namespace warpfold::segmented_scan {

/// The numbers below 32 that lie below `count`, as bits.
__device__ inline unsigned bits_below(int count) { return count <= 0 ? 0 : count < 32 ? (1u << count) - 1 : ~0u; }

/// Of the `Items` items of a lane's chunk.
template <int Items> struct chunk_runs {
  static constexpr unsigned all = Items < 32 ? (1u << Items) - 1 : ~0u;

  unsigned begins;    ///< bit k: item k begins a piece, or a gap
  unsigned live;      ///< bit k: item k exists and belongs to a segment
  int number[Items];  ///< in its run; of an item in a gap, 0
  bool is_node;       ///< whether the row is a node of one run
  int before;         ///< if so: the run's items before the row

  /// Of a row that is a node of its run.
  __device__ static chunk_runs of_node(int before) {
    const bool begins = before == 0 && arch::lane_id() == 0;
    chunk_runs own{begins ? 1u : 0u, all, {}, true, before};
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) own.number[k] = before + arch::lane_id() * Items + k;
    return own;
  }
};

/// Follows the runs of `Marks` from row to row. Those of [begin, end) exist, and item `begin` begins a run.
template <int Items, class Marks> struct row_runs {
  static constexpr bool has_gaps = Marks::has_gaps;

  const Marks& marks;
  int begin, end;
  int latest;  ///< where the last run before the row begins: at first, any item before `begin`; if in a gap, see below

  /// Of the row that begins at item `row`, a multiple of `Items`. If not `Counts`, without numbers. All lanes call it.
  template <bool Counts> __device__ chunk_runs<Items> next(int row) {
    const int lane = arch::lane_id(), at = row + lane * Items;
    [[maybe_unused]] const unsigned gaps = marks.template gaps_at<Items>(at);
    chunk_runs<Items> own{marks.template begins_at<Items>(at) | gaps, chunk_runs<Items>::all, {}, false, 0};
    if (row < begin || row + warp_lanes * Items > end) own.live &= bits_below(end - at) & ~bits_below(begin - at);
    if constexpr (Counts || has_gaps) {
      const int last = 31 - __clz(static_cast<int>(own.begins));  // -1 if there is none
      const int last_run = in_gap(at + last, gaps >> (last & 31) & 1);
      const unsigned beginning = __ballot_sync(full_warp, own.begins != 0), left = beginning & ((1u << lane) - 1);
      const int of_left = __shfl_sync(full_warp, last_run, 31 - __clz(static_cast<int>(left)));
      const int before = left != 0 ? of_left : latest;
      bool is_gap = has_gaps && before < 0;
      int number = is_gap ? 0 : at - before;
      WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k) {
        if (own.begins >> k & 1) {
          number = 0;
          is_gap = has_gaps && gaps >> k & 1;
        }
        own.number[k] = is_gap ? 0 : number;
        if (is_gap) own.live &= ~(1u << k);
        ++number;
      }
      const int of_last = __shfl_sync(full_warp, last_run, 31 - __clz(static_cast<int>(beginning)));
      if (beginning != 0) latest = of_last;
    }
    if constexpr (Counts) {
      own.before = __shfl_sync(full_warp, own.number[0], 0);
      const bool follows =
          own.live == chunk_runs<Items>::all && own.number[Items - 1] == own.before + (lane + 1) * Items - 1;
      own.is_node = (own.before & (warp_lanes * Items - 1)) == 0 && __all_sync(full_warp, follows);
    }
    return own;
  }

 private:
  /// Where a run begins, if it is a gap, is kept as a negative number.
  __device__ static int in_gap(int item, bool is_gap) { return has_gaps && is_gap ? ~item : item; }
};

}  // namespace warpfold::segmented_scan
