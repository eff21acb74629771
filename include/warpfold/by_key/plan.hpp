// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of a reduction by key: a pure function, testable without a GPU.
#pragma once
#include <bit>
#include <warpfold/by_key/policy.hpp>
#include <warpfold/by_key/tile_epochs.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Schedule> struct by_key_plan {
  int blocks;
  Schedule schedule;
};

/// The leading items that an array must miss, for the tree over it to have the joins that the tree over a whole input
/// has within its items [first, first + items): fewer than twice `items`.
inline std::int64_t missing_before(std::int64_t first, std::int64_t items) {
  if (items == 0) return 0;
  // At the number that the greatest power of two divides, a node ends that is as long as what lies on either side.
  const std::int64_t end = first + items,
                     peak = end &
                            ~(static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(first ^ end))) - 1);
  const std::int64_t longer = greatest_of(peak - first, end - peak);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(longer))) - (peak - first);
}

/// Chooses the grid for the items from number `first` to `end` - 1 > first of a tree, in 2^30 tiles at most. `first` is
/// 0 unless the `Schedule` is part_epochs. `most_blocks` is the number of blocks that the device holds at once. The
/// reduction's results do not depend on the grid.
template <class Schedule = tile_epochs>
by_key_plan<Schedule> plan_by_key(int most_blocks, std::int64_t first, std::int64_t end, const kernel_policy& policy,
                                  std::size_t accumulator_bytes, int max_blocks = 0) {
  const std::int64_t tile_items = std::int64_t{policy.tile_threads} * policy.thread_items;
  const std::int64_t tiles = (end - 1) / tile_items + 1;
  const int most = max_blocks > 0 ? least_of(most_blocks, max_blocks) : most_blocks;
  Schedule schedule{};
  schedule.tiles = static_cast<int>(tiles), schedule.log_epoch = log_epoch_tiles(accumulator_bytes);
  if constexpr (Schedule::is_part)
    schedule.first_tile = static_cast<int>(first / tile_items), schedule.missing = static_cast<int>(first % tile_items);
  return {static_cast<int>(least_of<std::int64_t>(tiles - first / tile_items, most)), schedule};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
