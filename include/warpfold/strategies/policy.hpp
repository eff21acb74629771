// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of the named strategies. What a caller may choose is a template parameter of the strategy's parts.
#pragma once
#include <algorithm>
#include <cstddef>
#include <warpfold/config.hpp>

namespace warpfold::strategies {

/// What any block can have on sm_90; with less, the limit of the device at hand is reported at the call.
inline constexpr std::size_t most_shared_bytes = 227 * 1024;

/// Threads that a multiprocessor of the architecture being compiled holds; only launch bounds look at it.
inline constexpr int multiprocessor_threads =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
    1024;
#elif defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
    1536;
#else
    2048;
#endif

/// Blocks a multiprocessor that the register allocator is asked for, where the strategy's parts would like
/// `resident_threads`: 2048 leave 32 registers each, 1024 leave 64.
template <int BlockThreads, int ResidentThreads, std::size_t AccumulatorBytes>
inline constexpr int resident_blocks = std::max(1, std::min(AccumulatorBytes <= 4    ? ResidentThreads
                                                            : AccumulatorBytes <= 32 ? std::min(ResidentThreads, 1024)
                                                                                     : 0,
                                                            multiprocessor_threads) /
                                                       BlockThreads);

}  // namespace warpfold::strategies
