// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a kernel over axes deals its outputs and their items to blocks.
#pragma once
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The items [first, end) of the outputs of a tile. There may be none.
struct work_item {
  std::int64_t tile, split, first, end;
};

/// How outputs and their items are dealt to blocks. A work item is a tile of outputs and a split of their items, a node
/// of each output's canonical tree.
struct schedule {
  int lanes;     ///< a tile is as many outputs, or vectors of outputs
  int groups;    ///< a power of two: threads (rows: warps) of a block that share the items of an output
  int log_rows;  ///< each of these folds up to 2^log_rows items of a split (short rows: chunks)
  std::int64_t tiles;
  std::int64_t splits;
  bool by_output;   ///< whether a lane that joins splits has one output, rather than a vector
  int slices;       ///< a tile's splits are joined by as many blocks, if these draw work items,
  int slice_lanes;  ///< of so many lanes each; otherwise by the last block
  int blocks;       ///< of the grid
  bool draws;       ///< whether these draw work items; otherwise they take turns, of one each if there are splits

  /// Whether blocks wait for the splits that others have.
  __host__ __device__ bool waits() const { return draws && splits > 1; }
  __host__ __device__ std::int64_t work_items() const { return tiles * splits; }
  __host__ __device__ std::int64_t split_items() const { return std::int64_t{groups} << log_rows; }
  /// Work item `number`, where outputs have `items` items. Neighbouring ones are tiles of one split, as far as there
  /// are several.
  __device__ work_item item_at(std::int64_t number, std::int64_t items) const {
    const std::int64_t split = splits == 1 ? 0 : tiles == 1 ? number : number / tiles, first = split * split_items();
    return {number - split * tiles, split, first,
            number < work_items() ? least_of(first + split_items(), items) : first};
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
