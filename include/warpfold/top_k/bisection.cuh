// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a bound that about the best k of many numbers reach: it halves the range of numbers, and counts after each step
// how many reach the upper half. The numbers need not be sorted or moved. Where some more than k may reach the bound,
// a few steps suffice.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Words by which the warps of a block agree on a number.
struct tally_words {
  unsigned sums[3];  ///< of three steps in turn, so a barrier for each step is enough
  unsigned least, most;
};

/// Agrees on numbers, one per thread, in all threads of a block. All threads call each member. A block of one warp
/// needs no shared memory.
class block_tally {
 public:
  __device__ explicit block_tally(tally_words& words) : words_(words), is_warp_(blockDim.x == warp_lanes) {
    if (is_warp_) return;
    __syncthreads();
    if (arch::flat_thread() == 0) words_ = {{0, 0, 0}, ~0u, 0};
    __syncthreads();
  }
  /// `least` and `most` = the extremes of all threads. Once.
  __device__ void agree_on_range(unsigned& least, unsigned& most) {
    least = warp::all_reduce(least, minimum{}), most = warp::all_reduce(most, maximum{});
    if (is_warp_) return;
    if (arch::lane_id() == 0) atomicMin(&words_.least, least), atomicMax(&words_.most, most);
    __syncthreads();
    least = words_.least, most = words_.most;
  }
  __device__ unsigned sum(unsigned own) {
    own = warp::all_reduce(own, plus{});
    if (is_warp_) return own;
    if (arch::lane_id() == 0 && own != 0) atomicAdd(&words_.sums[turn_], own);
    __syncthreads();
    const unsigned all = words_.sums[turn_];
    // Whoever has read the sum of the step before has met the others since.
    const int before = turn_ == 0 ? 2 : turn_ - 1;
    if (arch::flat_thread() == 0) words_.sums[before] = 0;
    turn_ = turn_ == 2 ? 0 : turn_ + 1;
    return all;
  }

 private:
  tally_words& words_;
  bool is_warp_;
  int turn_ = 0;
};

/// As many of all threads' numbers reach `bound`.
struct reached_bound {
  unsigned bound, count;
};

/// A bound that `wanted` to `allowed` numbers reach; if there is none, because many are equal, the greatest one that
/// `wanted` reach; if not even `known` is reached by so many, `known`. count(bound) tells how many of the thread's
/// numbers reach `bound`. All of them lie between the least `least` and the greatest `most` of all threads. If one
/// number is wanted, and the greatest `most` is one, `begins_at_most` saves all steps but one. All threads call it.
template <class Count>
__device__ reached_bound bisect(tally_words& words, unsigned known, unsigned least, unsigned most, unsigned wanted,
                                unsigned allowed, Count count, bool begins_at_most = false) {
  block_tally tally(words);
  tally.agree_on_range(least, most);
  reached_bound result{greatest_of(known, begins_at_most ? most : least), 0};
  result.count = tally.sum(count(result.bound));
  if (result.count < wanted) return {known, result.count};
  WARPFOLD_NO_UNROLL
  while (result.count > allowed && result.bound < most) {
    const unsigned middle = result.bound + (most - result.bound) / 2 + 1, reached = tally.sum(count(middle));
    if (reached >= wanted) result = {middle, reached};
    else most = middle - 1;
  }
  return result;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
