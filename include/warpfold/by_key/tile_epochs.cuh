// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Epochs of tiles. The tiles of an epoch have scratch words of their own; the next epoch uses the same words again. So
// scratch has room for one epoch, whatever the number of items.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::by_key {

struct tile_epochs {
  int tiles;
  int log_epoch;  ///< every epoch but the last has 2^log_epoch tiles, so that epochs are nodes of the tree

  __host__ __device__ int epoch_of(int tile) const { return tile >> log_epoch; }
  __host__ __device__ bool is_last(int epoch) const { return epoch == epoch_of(tiles - 1); }
  /// The tile's number within its epoch: it uses the scratch words of this slot.
  __host__ __device__ int slot_of(int tile) const { return tile & ((1 << log_epoch) - 1); }
  __host__ __device__ int tiles_in(int epoch) const { return is_last(epoch) ? slot_of(tiles - 1) + 1 : 1 << log_epoch; }
};

}  // namespace warpfold::by_key
