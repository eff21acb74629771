// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many rows of 32 chunks a warp has in flight.
#pragma once
#include <warpfold/config.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::warp {

/// Rows of a batch: a power of two up to 8. 8 rows of 16 bytes per lane fill 32 registers, which is enough to hide the
/// latency of memory.
consteval int batch_rows(std::size_t chunk_bytes, std::size_t accumulator_bytes) {
  const std::size_t row_bytes = greatest_of(chunk_bytes, accumulator_bytes);
  return static_cast<int>(clamped<std::size_t>(std::bit_floor(128 / least_of(row_bytes, std::size_t{128})), 1, 8));
}

}  // namespace warpfold::warp
