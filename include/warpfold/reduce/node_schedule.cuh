// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the tiles of an input are dealt to the blocks of a grid. Every block gets the same work to within one tile, *and*
// every block's partial results are nodes of the canonical tree.
//
// With K whole tiles and G blocks let q, r = divmod(K, G). For each set bit j of q, from high to low, each block takes
// one node of 2^j consecutive tiles; these G nodes, side by side, are a region. The r tiles that remain, and the last
// tile if it is partial, go one to a block: the single tiles. A region begins at a multiple of its node size, because
// all nodes before it are larger. A block thus has popcount(q) nodes and at most one single tile. Their values, the
// partial results, stand in slots ordered by position.
#pragma once
#include <bit>
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

struct node_schedule {
  std::int64_t share;  ///< q: whole tiles that every block takes as nodes; less than 2^31
  int single_tiles;    ///< tiles left over, one a block; only the last of them may be partial
  int blocks;          ///< G
  std::int64_t slots;  ///< partial results of all blocks

  /// Whether all partial results are nodes of one size.
  __device__ bool is_level() const { return single_tiles == 0 ? (share & (share - 1)) == 0 : share == 0; }

  /// Tiles of `block`, in ascending position: share of its nodes and at most one single tile.
  __device__ int tiles_of(int block) const { return static_cast<int>(share) + (block < single_tiles); }

  /// The block's tile number `index`. The highest bit in which index and share differ is the level of the tile's node.
  __device__ std::int64_t tile(int block, int index) const {
    if (index == share) return share * blocks + block;
    const int level = 31 - __clz(index ^ static_cast<int>(share));
    const int before = static_cast<int>(share) >> level & ~1;  // tiles of larger nodes, in nodes of this level
    return ((std::int64_t{before} * blocks + block) << level) + (index - (before << level));
  }

  /// The slot of the block's node of `level`, a bit of share; below, the slot of its single tile.
  __device__ std::int64_t slot_of_node(int block, int level) const {
    return std::int64_t{__popc(static_cast<unsigned>(share) >> level) - 1} * blocks + block;
  }
  __device__ std::int64_t slot_of_single(int block) const { return slots - single_tiles + block; }
};

/// Deals `whole_tiles` and perhaps one partial tile to `blocks` blocks.
inline node_schedule deal(std::int64_t whole_tiles, bool partial_tile, int blocks) {
  const std::int64_t share = whole_tiles / blocks;
  const int single_tiles = static_cast<int>(whole_tiles % blocks) + partial_tile;
  return {share, single_tiles, blocks,
          std::int64_t{std::popcount(static_cast<std::uint64_t>(share))} * blocks + single_tiles};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
