// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An initial value of long long does not make the sum of int one of long long.
#include <warpfold/reduce.cuh>

#include <span>

#if defined(MISTAKE)
long long sum(std::span<const int> in) { return warpfold::reduce_value(in, {.init = 0LL}); }
#else
long long sum(std::span<const int> in) {
  return warpfold::reduce_value(in, warpfold::accumulate_in<long long>(warpfold::plus{}), {.init = 0LL});
}
#endif
