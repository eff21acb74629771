// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum of int wraps before it is written to a long long.
#include <warpfold/reduce.cuh>

#include <span>

#if defined(MISTAKE)
void sum(std::span<const int> in, long long* out) { warpfold::reduce(in, out); }
#else
void sum(std::span<const int> in, long long* out) {
  warpfold::reduce(in, out, warpfold::accumulate_in<long long>(warpfold::plus{}));
}
#endif
