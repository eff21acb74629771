// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans a segmented scan: a pure function, testable without a GPU.
#pragma once
#include <cstdint>
#include <warpfold/grid/node_ring.cuh>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/segmented_scan/policy.hpp>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr std::int64_t most_tiles = grid::most_ring_tiles;

/// Rows of a tile: `most`, a power of two, or fewer for few items, so that all warps of a GPU get tiles. With more
/// tiles than enough, each has its search. (Where 3000 were enough, scans of 2^20 doubles took 5 to 25 % longer; with
/// 1000, those of floats in random lengths do. Tiles of one row save a tenth of up to 2^18 items. Measured on an H200.)
/// With a positive `max_warps`, one tile per warp is enough.
constexpr int tile_rows(std::int64_t items, int row_items, int most, std::int64_t max_warps = 0) {
  const auto enough_tiles = [=](int rows) {
    const std::int64_t tiles = rows > 2 ? 2000 : 1000;
    return max_warps > 0 ? least_of(tiles, max_warps) : tiles;
  };
  int rows = most;
  while (rows > 1 && items < enough_tiles(rows) * rows * row_items) rows /= 2;
  return rows;
}

struct scan_plan {
  std::int64_t tiles;
  std::int64_t block_tiles;  ///< as many tiles as a block has warps are taken at once
  int blocks;
};

/// Plans the scan of `items` > 0 items in tiles of `tile_items`: a block for each block tile, or, with a positive
/// `max_blocks`, at most so many, which take block tiles one after another. The results do not depend on the plan.
/// Plans of more than most_tiles tiles cannot be run.
inline scan_plan plan_scan(std::int64_t items, int tile_items, int warps, int max_blocks = 0) {
  const std::int64_t tiles = host_side::divide_up(items, std::int64_t{tile_items}),
                     block_tiles = host_side::divide_up(tiles, std::int64_t{warps}),
                     most = max_blocks > 0 ? max_blocks : most_tiles;
  return {tiles, block_tiles, static_cast<int>(least_of(block_tiles, most))};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
