// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tiles are numbered in epochs. Scratch has room for the tiles of one epoch, whatever the number of items.
#pragma once
#include <warpfold/by_key/policy.hpp>

namespace warpfold::by_key {

/// The tiles of an input, from number 0 to `tiles` - 1.
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

  // A part of an input differs in these.
  static constexpr bool is_part = false;
  static constexpr int first_tile = 0;  ///< that has items
  static constexpr int missing = 0;     ///< leading items of that tile that do not exist
  __host__ __device__ static constexpr int first_epoch() { return 0; }
  /// The first tile with items of an epoch, by its number there.
  __host__ __device__ static constexpr int first_place(int) { return 0; }
};

/// The tiles of a part of an input, of which the first ones have no items: so tiles lie in the tree over the input as
/// the part does.
struct part_epochs : tile_epochs {
  static constexpr bool is_part = true;
  int first_tile, missing;

  __host__ __device__ int first_epoch() const { return epoch_of(first_tile); }
  __host__ __device__ int first_place(int epoch) const { return epoch == first_epoch() ? place_of(first_tile) : 0; }
};

}  // namespace warpfold::by_key
