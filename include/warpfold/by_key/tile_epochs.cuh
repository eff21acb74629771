// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in laps: scratch has room for the tiles of one lap, whatever the number of items.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::by_key {

struct lap_schedule {
  int tiles;
  int log_lap;  ///< every lap but the last has 2^log_lap tiles: laps are nodes of the tree

  __host__ __device__ int lap_of(int tile) const { return tile >> log_lap; }
  __host__ __device__ bool is_last(int lap) const { return lap == lap_of(tiles - 1); }
  __host__ __device__ int place_of(int tile) const { return tile & ((1 << log_lap) - 1); }
  __host__ __device__ int tiles_of(int lap) const { return is_last(lap) ? place_of(tiles - 1) + 1 : 1 << log_lap; }
};

}  // namespace warpfold::by_key
