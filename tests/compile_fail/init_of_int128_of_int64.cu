// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An initial value of 128 bits does not make the sum of int64 one of 128 bits.
#include <warpfold/reduce.cuh>

#include <span>

#if defined(MISTAKE)
auto sum(std::span<const std::int64_t> in) { return warpfold::reduce_value(in, {.init = warpfold::int128{1} << 70}); }
#else
auto sum(std::span<const std::int64_t> in) {
  return warpfold::reduce_value(in, warpfold::accumulate_in<warpfold::int128>(warpfold::plus{}),
                                {.init = warpfold::int128{1} << 70});
}
#endif
