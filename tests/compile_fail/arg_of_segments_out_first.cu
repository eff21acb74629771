// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output before the segments.
#include <warpfold/arg_reduce.cuh>

#include <span>

void find(std::span<const float> in, std::span<const int> offsets, warpfold::indexed_value<float>* out) {
#if defined(MISTAKE)
  warpfold::segmented_argmin(in, out, offsets);
#else
  warpfold::segmented_argmin(in, offsets, out);
#endif
}
