// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tiles are numbered in epochs. Scratch has room for the tiles of one epoch, whatever the number of items.
#pragma once
#include <warpfold/by_key/policy.hpp>

namespace warpfold::by_key {

struct tile_epochs {
  int tiles;
  int log_epoch;  ///< every epoch but the last has 2^log_epoch tiles, so that an epoch is a node of the tree

  /// Whether tiles look back over groups: a single group of tiles writes no words of groups.
  __host__ __device__ bool has_groups() const { return tiles > tiles_per_group; }
  __host__ __device__ int epoch_of(int tile) const { return tile >> log_epoch; }
  __host__ __device__ bool is_last(int epoch) const { return epoch == epoch_of(tiles - 1); }
  __host__ __device__ int place_of(int tile) const { return tile & ((1 << log_epoch) - 1); }
  __host__ __device__ int tiles_of(int epoch) const {
    return is_last(epoch) ? place_of(tiles - 1) + 1 : 1 << log_epoch;
  }
};

}  // namespace warpfold::by_key
