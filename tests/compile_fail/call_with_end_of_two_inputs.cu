// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of one of two inputs, as std::inner_product takes it.
#include <warpfold/reduce.cuh>

#include <span>

float fold(const float* left, const float* right) {
#if defined(MISTAKE)
  return warpfold::transform_reduce_value(left, left + 3, right, warpfold::plus{}, warpfold::multiplies{});
#else
  return warpfold::transform_reduce_value(left, right, 3, warpfold::plus{}, warpfold::multiplies{});
#endif
}
