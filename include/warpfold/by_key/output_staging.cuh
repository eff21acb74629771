// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a warp of the reduction by key has found of tiles whose place is not known yet.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/operators.hpp>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// What a warp has staged: the keys of its heads, and the values of the runs that are complete, of the tiles that wait, one
/// tile after another, round and round.
template <class Keys, class Values> struct waiting_runs {
  Keys& keys;
  Values& values;
  int place = 0;                ///< of the next tile's first one
  int latest = 0, earlier = 0;  ///< how many heads the last tile has that waits, and the one before it

  /// How many tiles must be written before there is room for `count` more heads.
  __device__ int too_many(int count, int waiting) const {
    if (earlier + latest + count <= Keys::capacity) return 0;
    return waiting == 2 && latest + count <= Keys::capacity ? 1 : waiting;
  }
  __device__ void add(int count) {
    place = (place + count) & (Keys::capacity - 1);
    earlier = latest;
    latest = count;
  }
  /// Writes what belongs to the oldest one of `waiting` tiles.
  template <class Arguments, class Summary>
  __device__ void write(const Arguments& arguments, const Summary& tile, int heads, int waiting) {
    const int first = place - latest - earlier, count = waiting == 2 ? earlier : latest;
    const int warp = arch::uniform_warp(), lane = arch::lane_id();
    if (waiting == 1) latest = 0;
    earlier = 0;
    if (count == 0) return;
    const std::int64_t run =
        tile.lap_heads + tile.before + warp::all_reduce(lane < warp ? heads : 0, plus{});  // the warp's first
    for (int rank = lane; rank < count; rank += warp_lanes) {
      arguments.write_key(run + rank, keys[first + rank]);
      if (rank < count - 1) arguments.write_value(run + rank, values[first + rank]);
    }
    __syncwarp();  // makes room
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
