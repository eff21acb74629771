// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outputs of a warp that wait in shared memory until their place in global memory is known.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/operators.hpp>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Rings of the keys of a warp's heads and of the values of its complete runs, one tile after another, for the tiles in
/// flight: those that are folded and not yet written.
template <class Keys, class Values> struct output_staging {
  Keys& keys;
  Values& values;
  int place = 0;                ///< where the next tile's first head goes
  int latest = 0, earlier = 0;  ///< the warp's heads in the latest tile in flight, and in the tile before it

  /// The number of tiles in flight that must be written before there is room for `count` more heads.
  __device__ int required_writes(int count, int in_flight) const {
    if (earlier + latest + count <= Keys::capacity) return 0;
    return in_flight == 2 && latest + count <= Keys::capacity ? 1 : in_flight;
  }
  __device__ void add(int count) {
    place = (place + count) & (Keys::capacity - 1);
    earlier = latest;
    latest = count;
  }
  /// Writes the keys and values of the oldest of `in_flight` tiles. A warp's last run is still open: the join that
  /// completes it writes its value.
  template <class Arguments, class Summary>
  __device__ void write(const Arguments& arguments, const Summary& tile, int heads, int in_flight) {
    const int first = place - latest - earlier, count = in_flight == 2 ? earlier : latest;
    const int warp = arch::uniform_warp(), lane = arch::lane_id();
    if (in_flight == 1) latest = 0;
    earlier = 0;
    if (count == 0) return;
    const std::int64_t run = tile.heads_before_epoch + tile.before +
                             warp::all_reduce(lane < warp ? heads : 0, plus{});  // the warp's first run
    for (int rank = lane; rank < count; rank += warp_lanes) {
      arguments.write_key(run + rank, keys[first + rank]);
      if (rank < count - 1) arguments.write_value(run + rank, values[first + rank]);
    }
    __syncwarp();  // the slots may be used again
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
