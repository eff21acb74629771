// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum of int64 wraps before it is written to an int128.
#include <warpfold/segmented_reduce.cuh>

#include <span>

#if defined(MISTAKE)
void sum(std::span<const std::int64_t> in, std::span<const int> offsets, std::span<warpfold::int128> out) {
  warpfold::segmented_reduce(in, offsets, out);
}
#else
void sum(std::span<const std::int64_t> in, std::span<const int> offsets, std::span<warpfold::int128> out) {
  warpfold::segmented_reduce(in, offsets, out, warpfold::accumulate_in<warpfold::int128>(warpfold::plus{}));
}
#endif
