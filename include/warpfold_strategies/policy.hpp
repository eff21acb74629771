// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of the named strategies. Template parameters of the parts are what callers choose.
#pragma once
#include <algorithm>
#include <cstddef>
#include <warpfold/config.hpp>

namespace warpfold::strategies {

/// Shared memory of a block on sm_90, in bytes. A device with less refuses the strategy at the call.
inline constexpr std::size_t most_shared_bytes = 227 * 1024;

/// Threads that a multiprocessor of the compiled architecture holds. For launch bounds only.
inline constexpr int multiprocessor_threads =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
    1024;
#elif defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
    1536;
#else
    2048;
#endif

/// Blocks a multiprocessor, for launch bounds. The strategy's parts ask for `ResidentThreads` threads: 2048 leave 32
/// registers per thread, 1024 leave 64. Wide accumulators need more registers, and get fewer threads.
template <int BlockThreads, int ResidentThreads, std::size_t AccumulatorBytes>
inline constexpr int resident_blocks = std::max(1, std::min(AccumulatorBytes <= 4    ? ResidentThreads
                                                            : AccumulatorBytes <= 32 ? std::min(ResidentThreads, 1024)
                                                                                     : 0,
                                                            multiprocessor_threads) /
                                                       BlockThreads);

}  // namespace warpfold::strategies
