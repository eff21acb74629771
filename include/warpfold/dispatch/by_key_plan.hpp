// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a reduction by key is laid on a device: a pure function, testable without a GPU.
#pragma once
#include <algorithm>
#include <warpfold/grid/lap_schedule.cuh>
#include <warpfold/tuning/by_key_policy.hpp>

namespace warpfold::dispatch {
inline namespace v1 WARPFOLD_HIDDEN {

struct by_key_plan {
  int blocks;
  grid::lap_schedule schedule;
};

/// Chooses the grid for `items` > 0 items, 2^30 tiles at most; `most_blocks` is what the device holds at once. The result does
/// not depend on any of it.
inline by_key_plan plan_by_key(int most_blocks, std::int64_t items, const tuning::by_key_policy& policy,
                               std::size_t accumulator_bytes, int max_blocks = 0) {
  const std::int64_t tile_items = std::int64_t{policy.tile_threads} * policy.thread_items;
  const std::int64_t tiles = (items - 1) / tile_items + 1;
  const int most = max_blocks > 0 ? std::min(most_blocks, max_blocks) : most_blocks;
  return {static_cast<int>(std::min<std::int64_t>(tiles, most)), {static_cast<int>(tiles), tuning::log_lap_tiles(accumulator_bytes)}};
}

}  // namespace v1
}  // namespace warpfold::dispatch
