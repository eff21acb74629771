// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grids of named strategies: pure functions, testable without a GPU.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <warpfold/host/divide_up.hpp>
#include <warpfold_strategies/share.cuh>

namespace warpfold::strategies {
inline namespace WARPFOLD_HIDDEN_V1 {

struct strategy_plan {
  std::int64_t blocks;  ///< G
  grid::share_schedule schedule;

  /// False if the grid or a share is longer than can be counted.
  bool valid() const { return blocks > 0; }
};

/// Persistent blocks for `data_blocks` > 0: as many as are resident, but at most one for each data-block. `max_blocks`
/// > 0 bounds them.
inline strategy_plan plan_shares(std::int64_t data_blocks, std::int64_t resident_blocks, int max_blocks = 0) {
  std::int64_t blocks = std::min(resident_blocks, data_blocks);
  if (max_blocks > 0) blocks = std::min<std::int64_t>(blocks, max_blocks);
  if (data_blocks / blocks >= std::numeric_limits<std::uint32_t>::max()) return {};
  return {blocks, {static_cast<std::uint32_t>(data_blocks / blocks), static_cast<std::uint32_t>(data_blocks % blocks)}};
}

/// A CUDA-block for each data-block.
inline strategy_plan plan_pass(std::int64_t data_blocks) {
  if (data_blocks > std::numeric_limits<std::int32_t>::max()) return {};
  return {data_blocks, {1, 0}};
}

/// Partial results that the passes over `items` > 0 items keep at the same time: those of the first two passes. The
/// third pass overwrites those of the first.
inline std::int64_t multi_pass_partials(std::int64_t items, std::int64_t first_data_block_items,
                                        std::int64_t data_block_items) {
  const std::int64_t first = host_side::divide_up(items, first_data_block_items);
  return first + host_side::divide_up(first, data_block_items);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::strategies
