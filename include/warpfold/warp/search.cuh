// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches by a warp: each lane probes another place, so that one trip to memory narrows the range 32 times.
#pragma once
#include <cmath>
#include <cstdint>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::warp {

/// The least n in [low, high] for which before(n) is false, or `high`. before must be true up to some number and false
/// from there on. All lanes call it; valid in every lane.
template <class Before> __device__ std::int64_t partition_point(std::int64_t low, std::int64_t high, Before before) {
  while (low < high) {
    const std::int64_t step = (high - low + warp_lanes - 1) / warp_lanes,
                       probe = low + step * (arch::lane_id() + 1) - 1;
    const int passed = __popc(__ballot_sync(full_warp, probe < high && before(probe)));
    low += step * passed;
    high = least_of(high, low + step - 1);
  }
  return low;
}

/// The least n in [0, count] with value(n) >= target, or `count`. value(0) to value(count - 1) must ascend, from about
/// 0 to about `total`. Besides 32 even steps, lanes probe 32 neighbours of the place where the target lies if values
/// grow evenly: one round is enough for equal segments, two or three for similar ones. All lanes call it; valid in
/// every lane.
template <class Value>
__device__ std::int64_t interpolation_search(std::int64_t count, std::int64_t total, std::int64_t target, Value value) {
  std::int64_t low = 0, high = count;     // the result is one of [low, high]
  std::int64_t below = 0, above = total;  // approximate values of low - 1 and high
  while (low < high) {
    const std::int64_t step = (high - low + warp_lanes - 1) / warp_lanes,
                       probe = least_of(low + step * (arch::lane_id() + 1), high) - 1;  // the last one is high - 1
    const float share =
        static_cast<float>(target - below) / static_cast<float>(greatest_of(above - below, std::int64_t{1}));
    const float guess = share * static_cast<float>(high - low + 1) - warp_lanes / 2;
    const std::int64_t most = greatest_of(high - low - warp_lanes, std::int64_t{0});
    const std::int64_t first =
        low + least_of(static_cast<std::int64_t>(fmaxf(0.0f, fminf(guess, static_cast<float>(most)))), most);
    const std::int64_t near = first + arch::lane_id();
    const std::int64_t at_probe = value(probe), at_near = value(least_of(near, high - 1));
    const int passed = __popc(__ballot_sync(full_warp, at_probe < target));
    const int near_passed = __popc(__ballot_sync(full_warp, near < high && at_near < target));
    const std::int64_t reached = least_of(low + step * passed, high), reached_near = first + near_passed;
    const std::int64_t end = passed < warp_lanes ? least_of(reached + step, high) - 1 : high;
    // The nearest probed values on either side of the result: a neighbour's, unless all neighbours lie on one side.
    const bool past_some = near_passed > 0 && reached_near > reached;
    if (past_some) below = shuffle(at_near, near_passed - 1);
    else if (passed > 0) below = shuffle(at_probe, passed - 1);
    const bool before_some = near_passed < warp_lanes && reached_near < end;
    if (before_some) above = shuffle(at_near, near_passed);
    else if (end < high) above = shuffle(at_probe, passed);
    low = past_some ? reached_near : reached;
    high = before_some ? reached_near : end;
  }
  return low;
}

}  // namespace warpfold::warp
