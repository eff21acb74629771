// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of a reduction by key: a pure function, testable without a GPU.
#pragma once
#include <algorithm>
#include <warpfold/by_key/policy.hpp>
#include <warpfold/by_key/tile_epochs.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

struct by_key_plan {
  int blocks;
  tile_epochs schedule;
};

/// Chooses the grid for `items` > 0 items, in 2^30 tiles at most. `most_blocks` is the number of blocks that the device
/// holds at once. The reduction's results do not depend on the grid.
inline by_key_plan plan_by_key(int most_blocks, std::int64_t items, const kernel_policy& policy,
                               std::size_t accumulator_bytes, int max_blocks = 0) {
  const std::int64_t tile_items = std::int64_t{policy.tile_threads} * policy.thread_items;
  const std::int64_t tiles = (items - 1) / tile_items + 1;
  const int most = max_blocks > 0 ? std::min(most_blocks, max_blocks) : most_blocks;
  return {static_cast<int>(std::min<std::int64_t>(tiles, most)),
          {static_cast<int>(tiles), log_epoch_tiles(accumulator_bytes)}};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
