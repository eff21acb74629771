// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lambda without __device__: the host's.
#include <warpfold/reduce.cuh>

#include <span>

void fold(std::span<const float> in, float* out) {
#if defined(MISTAKE)
  warpfold::reduce(in, out, [](float a, float b) { return a + b; });
#else
  warpfold::reduce(in, out, [] __device__(float a, float b) { return a + b; });
#endif
}
