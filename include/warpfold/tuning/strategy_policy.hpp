// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of the named strategies. What a caller may choose is a template parameter of the strategy's parts.
#pragma once
#include <algorithm>
#include <cstddef>
#include <warpfold/config.hpp>

namespace warpfold::tuning {

/// What any block can have on sm_90; with less, the limit of the device at hand is reported at the call.
inline constexpr std::size_t most_shared_bytes = 227 * 1024;

/// Asked of the register allocator: 1024 threads a multiprocessor, so 64 registers each.
consteval int resident_blocks(int block_threads, std::size_t accumulator_bytes) {
  return accumulator_bytes <= 32 ? std::max(1, 1024 / block_threads) : 1;
}

}  // namespace warpfold::tuning
