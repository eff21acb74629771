// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value that the compiler cannot see through.
#pragma once
#include <warpfold/config.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::arch {

/// Returns `value`. The compiler does not know where it comes from, so it computes nothing that depends on it ahead:
/// not in front of a loop of which few turns need it, where the results would take registers. Nor does it compute the
/// value once more, for want of a register.
__device__ inline std::int64_t opaque(std::int64_t value) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+l"(value));
#endif
  return value;
}
__device__ inline int opaque(int value) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(value));
#endif
  return value;
}

}  // namespace warpfold::arch
