// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std's function objects, whose calls are the host's.
#include <warpfold/reduce.cuh>

#include <functional>
#include <span>

void fold(std::span<const float> in, float* out) {
#if defined(MISTAKE)
  warpfold::reduce(in, out, std::plus<>{});
#else
  warpfold::reduce(in, out, warpfold::plus{});
#endif
}
