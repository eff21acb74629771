// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch as CUB takes it.
#include <warpfold/reduce.cuh>

#include <span>

void fold(std::span<const float> in, float* out, warpfold::workspace& scratch) {
#if defined(MISTAKE)
  warpfold::reduce(in, out, {.workspace = &scratch});
#else
  warpfold::reduce(in, out, {.workspace = scratch});
#endif
}
