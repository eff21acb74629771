// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the tiles of an input are dealt to the blocks of a grid, so that every block gets the same work to within one tile
// *and* every piece is a node of the canonical tree.
//
// With K whole tiles and G blocks let q, r = divmod(K, G). For each set bit j of q, from high to low, each block takes
// one node of 2^j consecutive tiles: a region of G such nodes, side by side. The r tiles that remain, and the last tile
// if it is not whole, go one to a block. Regions begin at multiples of their node size because those before them are
// made of larger nodes. A block thus writes at most log2(K / G) + 2 partial results, one a node; they stand in order of
// position, and their number does not depend on N beyond that logarithm.
#pragma once
#include <bit>
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::grid {

/// One node that a block folds.
struct node {
  int level;                 ///< 2^level tiles
  std::int64_t first_tile;   ///< index of its first tile
  std::int64_t slot;         ///< where its value goes among the partial results
};

struct node_schedule {
  std::int64_t share;   ///< q: whole tiles that every block takes
  int single_tiles;     ///< tiles left over, one a block; the last of them need not be whole
  int blocks;           ///< G
  std::int64_t slots;   ///< partial results of all blocks

  /// Calls visit(node) for each node of `block`, in ascending position.
  template <class Visit> __device__ void for_each_node(int block, Visit visit) const {
    std::int64_t tile = 0, slot = 0, rest = share;
    WARPFOLD_NO_UNROLL
    while (rest != 0 || block + slot < slots) {
      const int level = rest == 0 ? 0 : 63 - __clzll(rest);
      visit(node{level, tile + (std::int64_t{block} << level), slot + block});
      tile += std::int64_t{blocks} << level;
      slot += blocks;
      rest &= ~(std::int64_t{1} << level);
    }
  }
};

/// Deals `whole_tiles` and perhaps one partial tile to `blocks` blocks.
inline node_schedule deal(std::int64_t whole_tiles, bool partial_tile, int blocks) {
  const std::int64_t share = whole_tiles / blocks;
  const int single_tiles = static_cast<int>(whole_tiles % blocks) + partial_tile;
  return {share, single_tiles, blocks, std::int64_t{std::popcount(static_cast<std::uint64_t>(share))} * blocks + single_tiles};
}

}  // namespace warpfold::grid
