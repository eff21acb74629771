// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the caller has to see to, looked at by device code in debug builds.
#pragma once
#include <warpfold/config.hpp>

#if !defined(NDEBUG) && defined(__CUDACC__)
#include <stdio.h>  // the device's printf
#endif

namespace warpfold::arch {

/// Stops the kernel with the message unless `holds`, in builds without NDEBUG. Costs nothing in others.
__device__ inline void require([[maybe_unused]] bool holds, [[maybe_unused]] const char* message) {
#if !defined(NDEBUG)
  if (holds) return;
#if defined(__CUDACC__)
  printf("warpfold: %s (block %d, thread %d)\n", message, static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x));
  __trap();
#else
  cuda_emulator::current_scheduler->fail(cuda_emulator::fault::precondition, message);
#endif
#endif
}

}  // namespace warpfold::arch
