// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An initial value is an option.
#include <warpfold/reduce.cuh>

#include <span>

void fold(std::span<const float> in, float* out) {
#if defined(MISTAKE)
  warpfold::reduce(in, out, 5);
#else
  warpfold::reduce(in, out, {.init = 5});
#endif
}
