// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of segmented reduction. They change its speed, never its result.
#pragma once
#include <warpfold/tuning/reduce_policy.hpp>

namespace warpfold::tuning {
inline namespace v1 WARPFOLD_HIDDEN {

inline constexpr int group_units = 256;             ///< units of a long segment that are joined at once
inline constexpr int max_segment_warps = 10912;     ///< of a grid: their counters fill 128 KiB
inline constexpr int segment_counters = 3;          ///< a warp
inline constexpr int range_units = 8;               ///< units that a warp's range has at most, about
inline constexpr int least_range = 128;             ///< items and segments, weighed, that are worth a warp of their own

/// Units of all long segments together: units grow with the input, so that scratch does not.
constexpr int max_units(std::size_t accumulator_bytes) { return accumulator_bytes <= 16 ? 1 << 15 : 1 << 14; }

struct segmented_policy {
  int block_threads;
  int blocks_per_multiprocessor;  ///< asked of the register allocator
  int rows;                       ///< rows of 32 chunks that a warp has in flight, of short segments
  int long_rows;                  ///< the same of long ones
};

consteval segmented_policy segmented_policy_for(std::size_t chunk_bytes, std::size_t accumulator_bytes) {
  segmented_policy p{};
  p.block_threads = accumulator_bytes <= 64 ? 256 : 128;
  p.blocks_per_multiprocessor = accumulator_bytes <= 8 && chunk_bytes <= 16 ? 4 : accumulator_bytes <= 32 ? 2 : 1;
  p.long_rows = std::max(2, reduce_policy_for(chunk_bytes, accumulator_bytes).max_rows);
  p.rows = p.long_rows / 2;  // lanes cut their chunks out of more vectors, since segments begin anywhere
  return p;
}

}  // namespace v1
}  // namespace warpfold::tuning
