// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc's host side cannot know what this lambda returns: the sum would be an int there, and a double in the emulator.
#include <warpfold/reduce.cuh>

#include <span>

void halve(std::span<const int> in, double* out) {
#if defined(MISTAKE)
  warpfold::transform_reduce(in, out, warpfold::plus{}, [] __device__(int x) { return x * 0.5; });
#else
  warpfold::transform_reduce(in, out, warpfold::plus{}, [] __device__(int x) -> double { return x * 0.5; });
#endif
}
