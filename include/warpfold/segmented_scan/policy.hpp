// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of a segmented scan. They change its speed, never its result.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Up to this many segments of a tile, its warp reads their begins one after another. If there are more, most of them
/// are empty, and the warp looks up the segments that begin at each item of the tile instead.
inline constexpr int most_walked_segments = 16384;

/// Each warp has a tile of its own: up to `rows` rows of 32 chunks. A tile has as many items as a unit: a power of two.
struct kernel_policy {
  int rows, warps;
  int blocks_per_multiprocessor;  ///< asked of the register allocator
};

/// A policy as a type: nvcc takes no structure as a template argument of a kernel.
template <int Rows, int Warps, int BlocksPerMultiprocessor> struct fixed_policy {
  static constexpr int rows = Rows, warps = Warps, blocks_per_multiprocessor = BlocksPerMultiprocessor;
};

/// Items that a lane holds of a row: as many as it loads at once, or twice as many if these are few and their
/// accumulators have 16 bytes at most. Then there are fewer rows, and less of a scan crosses lanes. Not worthwhile when
/// owners are read, too.
constexpr int scanned_chunk_items(int loaded_items, std::size_t accumulator_bytes, bool has_owners) {
  return loaded_items <= 4 && loaded_items * accumulator_bytes <= 16 && !has_owners ? 2 * loaded_items : loaded_items;
}

/// Rows of a tile: 128 bytes of a lane's chunks, or of their accumulators, which are as wide at least, and 32 items at
/// most. Wide accumulators need more registers; scans of doubles take up to 4 % less with two warps per block than with
/// four. Measured on an H200.
consteval kernel_policy kernel_policy_for(int chunk_items, std::size_t chunk_bytes, std::size_t accumulator_bytes) {
  const std::size_t held = greatest_of(chunk_bytes, static_cast<std::size_t>(chunk_items) * accumulator_bytes);
  const int rows =
      least_of(static_cast<int>(clamped<std::size_t>(std::bit_floor(128 / least_of(held, std::size_t{128})), 1, 8)),
               warp_lanes / chunk_items);
  if (accumulator_bytes > 64) return {1, 1, 1};
  if (held > 128) return {rows, 4, 2};
  return accumulator_bytes > 4 ? kernel_policy{rows, 2, 14} : kernel_policy{rows, 4, 8};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
