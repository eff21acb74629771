// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of scans along axes. They change their speed, never a result. They are estimates: no GPU has measured
// them yet.
#pragma once
#include <bit>
#include <cstddef>
#include <warpfold/config.hpp>

namespace warpfold::axis_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Nodes of earlier tiles that a block keeps of each column: so many digits the number of a tile has at most.
inline constexpr int counter_levels = 32;

struct kernel_policy {
  int threads;                    ///< of a block, at most
  int rows;                       ///< consecutive items of a column that a thread holds; a power of two
  int lanes;                      ///< neighbouring columns of a tile, if it has not all items of a column
  int least_lanes;                ///< the same if there are few columns: so many fill a sector
  int blocks_per_multiprocessor;  ///< asked of the register allocator
};

/// Whether tiles can go through shared memory.
consteval bool takes_staged(std::size_t item_bytes, std::size_t accumulator_bytes) {
  return greatest_of(item_bytes, accumulator_bytes) <= 64;
}

/// A thread holds 64 bytes of accumulators, and loads as many items ahead. `is_staged`: tiles go through shared memory,
/// so that blocks are smaller.
consteval kernel_policy kernel_policy_for(std::size_t item_bytes, std::size_t accumulator_bytes, bool is_staged) {
  const std::size_t bytes = greatest_of(item_bytes, accumulator_bytes);
  const auto rows =
      static_cast<int>(clamped<std::size_t>(std::bit_floor(64 / least_of(bytes, std::size_t{64})), 1, 16));
  const int threads = bytes > 64 ? 32 : bytes > 32 ? 128 : is_staged ? (bytes > 16 ? 128 : 256) : 512;
  const auto columns_of = [&](std::size_t room) {
    return static_cast<int>(clamped<std::size_t>(std::bit_floor(room / least_of(item_bytes, room)), 1, 32));
  };
  const int lanes =
      least_of(columns_of(128), static_cast<int>(std::bit_floor(128 / least_of(bytes, std::size_t{128}))));
  return {threads, rows, lanes, least_of(lanes, columns_of(32)),
          bytes > 64   ? 1
          : bytes > 32 ? 4
                       : (is_staged ? 768 : 1024) / threads};
}

/// Bytes of the nodes of a tile's columns, as its strip's ring has them.
consteval int row_bytes_of(std::size_t item_bytes, std::size_t accumulator_bytes) {
  return kernel_policy_for(item_bytes, accumulator_bytes, false).lanes * static_cast<int>(accumulator_bytes);
}

/// A policy as a type: nvcc takes no structure as a template argument of a kernel.
template <int Threads, int Rows, int Lanes, int BlocksPerMultiprocessor, bool IsStaged> struct fixed_policy {
  static constexpr int threads = Threads, rows = Rows, lanes = Lanes;
  static constexpr int blocks_per_multiprocessor = BlocksPerMultiprocessor;
  static constexpr bool is_staged = IsStaged;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_scan
