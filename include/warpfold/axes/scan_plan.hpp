// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans a scan along an axis: a pure function, testable without a GPU.
#pragma once
#include <optional>
#include <warpfold/axes/scan_policy.hpp>
#include <warpfold/axes/scan_shape.hpp>
#include <warpfold/axes/strip_ring.cuh>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/host/scratch.hpp>

namespace warpfold::axis_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A tile has 2^log_lanes neighbouring columns and, of each, the items of 2^log_groups groups of threads.
struct scan_plan {
  int log_lanes, log_groups;
  std::int64_t strips;  ///< tiles side by side
  std::int64_t tiles;   ///< of a strip, one below the other
  bool in_bands;        ///< whether a block takes one tile at a time, and looks back; or goes down a strip
  int log_windows;      ///< of the strips' rings
  int blocks;
  bool in_along, out_along;  ///< whether neighbouring threads read, or write, neighbours in a column: if staged

  constexpr int threads() const { return 1 << (log_lanes + log_groups); }
};

using host_side::ceil_log2;

/// Whether a tile goes through shared memory: where neighbouring columns are no neighbours in memory, or are few.
inline bool is_better_staged(const scan_shape& given, int sector_items) {
  const auto apart = [](std::int64_t stride) { return std::abs(stride); };
  const axis_list::axis& inner = given.kept.inner();
  if (given.items > 1 &&
      (apart(given.in_stride) < apart(inner.in_stride) || apart(given.out_stride) < apart(inner.out_stride)))
    return true;  // columns, or their results, are rows in memory
  return inner.extent < sector_items;
}

/// Whether the rings of so many strips, for accumulators whose nodes have `row_bytes` bytes, fit the control words, and
/// how large they are: for twice the tiles that are in flight, if possible.
inline std::optional<int> ring_windows(std::int64_t strips, int resident_blocks, int row_bytes) {
  const auto fits = [&](int log) {
    return strip_ring_bytes(strips, log, row_bytes) <= host_side::feature_control_bytes;
  };
  if (row_bytes > most_row_bytes || strips > resident_blocks || !fits(least_log_windows)) return {};
  int log = clamped(ceil_log2(host_side::divide_up(std::int64_t{2} * resident_blocks, strips * strip_window)),
                    least_log_windows, most_log_windows);
  while (!fits(log)) --log;
  return log;
}

/// Plans the scan of a shape that has items. As many columns side by side as fill memory's lines. If that leaves blocks
/// without work, they take bands of the columns; or else fewer columns.
inline scan_plan plan_scan(int multiprocessors, const scan_shape& given, const kernel_policy& policy, int row_bytes,
                           int max_blocks) {
  const axis_list::axis& inner = given.kept.inner();
  const int resident = multiprocessors * policy.blocks_per_multiprocessor;
  const std::int64_t wanted = std::int64_t{2} * resident;
  scan_plan plan{};
  // Columns of one item have no neighbours, and a tile of them no room for the way along.
  plan.in_along = given.items > 1 && std::abs(given.in_stride) < std::abs(inner.in_stride);
  plan.out_along = given.items > 1 && std::abs(given.out_stride) < std::abs(inner.out_stride);
  int log_lanes = least_of(ceil_log2(policy.lanes), ceil_log2(given.columns));
  const int least = plan.in_along && plan.out_along ? 0 : least_of(log_lanes, ceil_log2(policy.least_lanes));
  const int log_threads = ceil_log2(policy.threads);
  const std::int64_t strips = host_side::divide_up(given.columns, std::int64_t{1} << log_lanes),
                     bands = host_side::divide_up(given.items, std::int64_t{policy.rows} << (log_threads - log_lanes));
  if (const auto windows = ring_windows(strips, resident, row_bytes);
      windows && bands > 1 && bands <= most_bands && bands * strips <= most_bands) {
    plan.in_bands = true;
    plan.log_windows = *windows;
  } else
    while (log_lanes > least && given.columns >> log_lanes < wanted) --log_lanes;
  plan.log_groups =
      least_of(log_threads - log_lanes, ceil_log2(host_side::divide_up(given.items, std::int64_t{policy.rows})));
  plan.log_lanes = least_of(log_threads - plan.log_groups, ceil_log2(given.columns));
  while (plan.threads() < warp_lanes) ++plan.log_groups;
  plan.strips = host_side::divide_up(given.columns, std::int64_t{1} << plan.log_lanes);
  plan.tiles = host_side::divide_up(given.items, std::int64_t{policy.rows} << plan.log_groups);
  plan.blocks = static_cast<int>(least_of<std::int64_t>(plan.in_bands ? plan.strips * plan.tiles : plan.strips,
                                                        max_blocks > 0 ? max_blocks : 0x7FFFFFFF));
  return plan;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_scan
