// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An iterator is followed by a count or an end.
#include <warpfold/reduce.cuh>

#include <span>

void fold(const float* in, [[maybe_unused]] long count, double* out) {
#if defined(MISTAKE)
  warpfold::reduce(in, out, warpfold::plus{});
#else
  warpfold::reduce(in, count, out, warpfold::accumulate_in<double>(warpfold::plus{}));
#endif
}
