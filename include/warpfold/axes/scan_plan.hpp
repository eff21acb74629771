// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans a scan along an axis: a pure function, testable without a GPU.
#pragma once
#include <warpfold/axes/scan_policy.hpp>
#include <warpfold/axes/scan_shape.hpp>
#include <warpfold/host/divide_up.hpp>

namespace warpfold::axis_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A tile has 2^log_lanes neighbouring columns and, of each, the items of 2^log_groups groups of threads.
struct scan_plan {
  int log_lanes, log_groups;
  std::int64_t strips;  ///< tiles side by side. A block goes down a strip, tile after tile
  std::int64_t tiles;   ///< of a strip
  int blocks;
  bool in_along, out_along;  ///< whether neighbouring threads read, or write, neighbours in a column: if staged

  constexpr int threads() const { return 1 << (log_lanes + log_groups); }
};

constexpr int ceil_log2(std::int64_t number) {
  return number <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(number - 1)));
}

/// Whether a tile goes through shared memory: where neighbouring columns are no neighbours in memory, or are few.
inline bool is_better_staged(const scan_shape& given, int sector_items) {
  const auto apart = [](std::int64_t stride) { return std::abs(stride); };
  const axis_list::axis& inner = given.kept.inner();
  if (given.items > 1 && (apart(given.in_stride) < apart(inner.in_stride) ||
                          apart(given.out_stride) < apart(inner.out_stride)))
    return true;  // columns, or their results, are rows in memory
  return inner.extent < sector_items;
}

/// Plans the scan of a shape that has items. As many columns side by side as fill memory's lines; fewer where blocks
/// would have nothing to do.
inline scan_plan plan_scan(int multiprocessors, const scan_shape& given, const kernel_policy& policy, int max_blocks) {
  const axis_list::axis& inner = given.kept.inner();
  const std::int64_t wanted = std::int64_t{2} * multiprocessors * policy.blocks_per_multiprocessor;
  scan_plan plan{};
  plan.in_along = std::abs(given.in_stride) < std::abs(inner.in_stride);
  plan.out_along = std::abs(given.out_stride) < std::abs(inner.out_stride);
  int log_lanes = std::min(ceil_log2(policy.lanes), ceil_log2(given.columns));
  const int least = plan.in_along && plan.out_along ? 0 : std::min(log_lanes, ceil_log2(policy.least_lanes));
  while (log_lanes > least && given.columns >> log_lanes < wanted) --log_lanes;
  const int log_threads = ceil_log2(policy.threads);
  plan.log_groups =
      std::min(log_threads - log_lanes, ceil_log2(host_side::divide_up(given.items, std::int64_t{policy.rows})));
  plan.log_lanes = std::min(log_threads - plan.log_groups, ceil_log2(given.columns));
  while (plan.threads() < warp_lanes) ++plan.log_groups;
  plan.strips = host_side::divide_up(given.columns, std::int64_t{1} << plan.log_lanes);
  plan.tiles = host_side::divide_up(given.items, std::int64_t{policy.rows} << plan.log_groups);
  plan.blocks = static_cast<int>(std::min<std::int64_t>(plan.strips, max_blocks > 0 ? max_blocks : 0x7FFFFFFF));
  return plan;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_scan
