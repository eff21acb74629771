// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outputs of a warp, kept in shared memory until the place of their tile is known.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/operators.hpp>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A ring in shared memory with the outputs of the tiles in flight, one tile after another: the keys of a warp's heads,
/// and the values of the runs that are complete within the warp.
template <class Keys, class Values> struct output_staging {
  Keys& keys;
  Values& values;
  int place = 0;                ///< where the next tile's outputs begin
  int latest = 0, earlier = 0;  ///< heads of the last tile in flight, and of the one before it

  /// How many tiles in flight must be written before there is room for `count` more heads.
  __device__ int required_writes(int count, int in_flight) const {
    if (earlier + latest + count <= Keys::capacity) return 0;
    return in_flight == 2 && latest + count <= Keys::capacity ? 1 : in_flight;
  }
  __device__ void add(int count) {
    place = (place + count) & (Keys::capacity - 1);
    earlier = latest;
    latest = count;
  }
  /// Writes the outputs of the oldest of `in_flight` tiles. All lanes call it.
  template <class Arguments, class Summary>
  __device__ void write(const Arguments& arguments, const Summary& tile, int heads, int in_flight) {
    const int first = place - latest - earlier, count = in_flight == 2 ? earlier : latest;
    const int warp = arch::uniform_warp(), lane = arch::lane_id();
    if (in_flight == 1) latest = 0;
    earlier = 0;
    if (count == 0) return;
    const std::int64_t run = tile.heads_before_epoch + tile.before +
                             warp::all_reduce(lane < warp ? heads : 0, plus{});  // of the warp's first head
    for (int rank = lane; rank < count; rank += warp_lanes) {
      arguments.write_key(run + rank, keys[first + rank]);
      if (rank < count - 1) arguments.write_value(run + rank, values[first + rank]);
    }
    __syncwarp();  // before others reuse the room
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
