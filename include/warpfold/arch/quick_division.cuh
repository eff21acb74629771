// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division for estimates.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::arch {

/// dividend / divisor, where 1 <= divisor <= 2^126, with an error of a few units in the last place. Correct rounding
/// would take a subroutine of 1.8 KB in each kernel.
__device__ inline float quick_quotient(float dividend, float divisor) {
#if defined(__CUDA_ARCH__)
  return __fdividef(dividend, divisor);
#else
  return dividend / divisor;
#endif
}

}  // namespace warpfold::arch
