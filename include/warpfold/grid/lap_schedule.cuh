// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in laps: scratch has room for the tiles of one lap, whatever the number of items.
#pragma once
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::grid {

struct lap_schedule {
  std::int64_t tiles;
  int log_lap;  ///< every lap but the last has 2^log_lap tiles: laps are nodes of the tree

  __host__ __device__ std::int64_t lap_of(std::int64_t tile) const { return tile >> log_lap; }
  __host__ __device__ int place_of(std::int64_t tile) const { return static_cast<int>(tile - (lap_of(tile) << log_lap)); }
  __host__ __device__ int tiles_of(std::int64_t lap) const {
    return static_cast<int>(least_of(tiles - (lap << log_lap), std::int64_t{1} << log_lap));
  }
};

}  // namespace warpfold::grid
