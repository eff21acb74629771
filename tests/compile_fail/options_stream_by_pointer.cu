// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream of unknown type, as C interfaces pass it.
#include <warpfold/reduce.cuh>

#include <span>

void fold(std::span<const float> in, float* out, void* stream) {
#if defined(MISTAKE)
  warpfold::reduce(in, out, {.stream = stream});
#else
  warpfold::reduce(in, out, {.stream = static_cast<cudaStream_t>(stream)});
#endif
}
