// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several reductions whose instructions alternate, so that one's shuffle hides another's latency. Source:
// warpReduceSumTriple, "Faster Parallel Reductions on Kepler", made ordered. (batched_reduce needs fewer shuffles where
// the number of reductions is a power of two and results may end in different lanes.)
#pragma once
#include <warpfold/warp/reduce.cuh>

namespace warpfold::warp {

/// Folds each of a lane's `Count` values with the values of the same index in the other lanes, lane 0's leftmost,
/// within each logical warp of `Width` lanes, all of which must call it. Results valid in its first lane, in `values`.
/// Cost: Count * log2(Width) shuffles per word, in the time of log2(Width) while the pipeline has room.
template <int Width = warp_lanes, int Count, class A, class Op>
__device__ void interleaved_reduce(A (&values)[Count], Op op) {
  static_assert(is_power_of_two(Width) && Width <= warp_lanes);
  const unsigned mask = detail::logical_warp_mask<Width>();
  WARPFOLD_UNROLL
  for (int distance = 1; distance < Width; distance *= 2) {
    const bool keeps = arch::lane_id() % (2 * distance) == 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < Count; ++i) {
      const A right = shuffle_down<Width>(values[i], distance, mask);
      if (keeps) values[i] = op(values[i], right);
    }
  }
}

}  // namespace warpfold::warp
