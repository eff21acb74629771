// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of the named strategies. What a caller may choose is a template parameter of the strategy's parts.
#pragma once
#include <algorithm>
#include <cstddef>
#include <warpfold/config.hpp>

namespace warpfold::tuning {

/// What any block can have on sm_90; with less, the limit of the device at hand is reported at the call.
inline constexpr std::size_t most_shared_bytes = 227 * 1024;

/// Blocks a multiprocessor that the register allocator is asked for, where the strategy's parts would like
/// `resident_threads`: 2048 leave 32 registers each, 1024 leave 64.
template <int BlockThreads, int ResidentThreads, std::size_t AccumulatorBytes>
inline constexpr int resident_blocks = std::max(
    1, (AccumulatorBytes <= 4 ? ResidentThreads : AccumulatorBytes <= 32 ? std::min(ResidentThreads, 1024) : 0) / BlockThreads);

}  // namespace warpfold::tuning
