// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream is an option.
#include <warpfold/reduce.cuh>

#include <span>

void fold(std::span<const float> in, float* out, cudaStream_t stream) {
#if defined(MISTAKE)
  warpfold::reduce(in, out, stream);
#else
  warpfold::reduce(in, out, {.stream = stream});
#endif
}
