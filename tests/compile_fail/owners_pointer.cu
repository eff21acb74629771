// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owners as a pointer, which does not tell how many there are.
#include <warpfold/segmented_reduce.cuh>

#include <span>

void fold(std::span<const float> in, std::span<const int> ids, std::span<float> out) {
#if defined(MISTAKE)
  warpfold::segmented_reduce(in, warpfold::owners{ids.data()}, out);
#else
  warpfold::segmented_reduce(in, warpfold::owners{ids}, out);
#endif
}
