// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a bound that about the best k of a block's numbers reach, by a histogram of them. One or two passes suffice,
// where bisection (bisection.cuh) takes many steps. Each number is added to a bin by an atomic, so there should be few
// for each thread.
#pragma once
#include <warpfold/top_k/bisection.cuh>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Shared memory of a search.
struct alignas(16) search_words {
  static constexpr int log_bins = 7, all_bins = 1 << log_bins, lane_bins = all_bins / warp_lanes;
  unsigned bins[all_bins];  ///< how many numbers there are in each
  tally_words tally;
};

/// A bin, how many numbers it and those above hold, and how many those above hold.
struct reached_bin {
  unsigned bin, count, above;
};

/// The greatest bin that, with those above, holds `wanted` numbers; the count is 0 if there is none. All lanes of a
/// warp call it; valid in all.
__device__ inline reached_bin greatest_bin(const search_words& shared, unsigned wanted) {
  constexpr int lane_bins = search_words::lane_bins;
  const int lane = arch::lane_id();
  unsigned own[lane_bins], sum = 0;
  WARPFOLD_UNROLL
  for (int i = 0; i < lane_bins; ++i) sum += own[i] = shared.bins[lane * lane_bins + i];
  unsigned from = sum;  // of this lane and those above
  WARPFOLD_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    const unsigned other = __shfl_down_sync(full_warp, from, distance);
    if (lane + distance < warp_lanes) from += other;
  }
  const unsigned reaching = __ballot_sync(full_warp, from >= wanted);
  if (reaching == 0) return {0, 0, 0};
  reached_bin result{0, 0, from - sum};
  WARPFOLD_UNROLL
  for (int i = lane_bins - 1; i >= 0; --i)
    if (result.count == 0) {
      const unsigned count = result.above + own[i];
      if (count >= wanted) result.bin = static_cast<unsigned>(lane * lane_bins + i), result.count = count;
      else result.above = count;
    }
  const int holder = 31 - __clz(static_cast<int>(reaching));
  return {__shfl_sync(full_warp, result.bin, holder), __shfl_sync(full_warp, result.count, holder),
          __shfl_sync(full_warp, result.above, holder)};
}

/// As bisect, but each(f) calls f(number) for each of the thread's numbers, or at least for those that reach `known`.
/// If fewer than `wanted` reach it, they are not counted; and if one is wanted, one is counted, though others may be
/// equal.
template <class Each>
__device__ reached_bound search_bound(search_words& shared, unsigned known, unsigned least, unsigned most,
                                      unsigned wanted, unsigned allowed, Each each) {
  block_tally(shared.tally).agree_on_range(least, most);
  least = greatest_of(least, known);
  if (least > most) return {known, 0};
  if (wanted == 1) return {most, 1};
  unsigned above = 0;  // numbers that are greater than `most`
  WARPFOLD_NO_UNROLL
  while (true) {
    const int shift = greatest_of(32 - __clz(static_cast<int>(most - least)) - search_words::log_bins, 0);
    for (int i = arch::flat_thread(); i < search_words::all_bins; i += static_cast<int>(blockDim.x)) shared.bins[i] = 0;
    __syncthreads();
    each([&](unsigned number) {
      if (number >= least && number <= most) atomicAdd(&shared.bins[(number - least) >> shift], 1u);
    });
    __syncthreads();
    const reached_bin found = greatest_bin(shared, wanted - above);
    if (found.count == 0) return {known, 0};
    least += found.bin << shift;
    if (above + found.count <= allowed || shift == 0) return {least, above + found.count};
    above += found.above;
    most = least + least_of(most - least, (1u << shift) - 1);
    __syncthreads();
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
