// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output behind the operator, as in other libraries.
#include <warpfold/reduce.cuh>

#include <span>

void fold(std::span<const float> in, std::span<float> out) {
#if defined(MISTAKE)
  warpfold::reduce(in, warpfold::maximum{}, out);
#else
  warpfold::reduce(in, out, warpfold::maximum{});
#endif
}
