// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches by a warp: each lane probes another place, so that one trip to memory narrows the range 32 times.
#pragma once
#include <warpfold/arch/quick_division.cuh>
#include <warpfold/standard.hpp>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::warp {

/// The greatest number of a signed integer type.
template <class T> inline constexpr T greatest_number = static_cast<T>((std::uint64_t{1} << (8 * sizeof(T) - 1)) - 1);

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
    const float share = arch::quick_quotient(static_cast<float>(target - below),
                                             static_cast<float>(greatest_of(above - below, std::int64_t{1})));
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
    // The nearest probed values on both sides of the result: neighbours' values, unless all lie on one side.
    const bool past_some = near_passed > 0 && reached_near > reached;
    const bool before_some = near_passed < warp_lanes && reached_near < end;
    const std::int64_t left = warp::shuffle(past_some ? at_near : at_probe, (past_some ? near_passed : passed) - 1),
                       right = warp::shuffle(before_some ? at_near : at_probe, before_some ? near_passed : passed);
    if (past_some || passed > 0) below = left;
    if (before_some || end < high) above = right;
    low = past_some ? reached_near : reached;
    high = before_some ? reached_near : end;
  }
  return low;
}

/// The same with one probe per lane and round, in 32-bit numbers: 8 even steps, and 24 probes around the place where
/// the target lies if values grow evenly. These probes are as far apart as the sums of random lengths scatter. If the
/// target lies elsewhere, the next round takes 32 even steps. Segments of similar or random lengths take two or three
/// cheap rounds; the last one probes the whole range that remains.
template <class Value>
__device__ std::int64_t scattered_search(std::int64_t count, std::int64_t total, std::int64_t target, Value value) {
  using number = decltype(value(0));
  constexpr std::int64_t greatest = greatest_number<number>;
  if (count > 1 << 30) return warp::partition_point(0, count, [&](std::int64_t n) { return value(n) < target; });
  if (target > greatest) return count;
  constexpr int fewest = 8, nears = warp_lanes - fewest;
  const int lane = arch::lane_id();
  int low = 0, high = static_cast<int>(count);  // the result is one of [low, high]
  const auto wanted = static_cast<number>(target);
  number below = 0, above = static_cast<number>(least_of(total, greatest));  // approximate values of low - 1 and high
  bool guesses = true;
  while (low < high) {
    const int range = high - low;
    if (range <= warp_lanes)
      return low + __popc(__ballot_sync(full_warp, value(low + least_of(lane, range - 1)) < wanted && lane < range));
    const int step = guesses ? (range + fewest - 1) / fewest : (range + warp_lanes - 1) / warp_lanes;
    const int stride = greatest_of(1 << ((31 - __clz(range)) / 2) >> 3, 1);  // sqrt(range) / 8
    const float share = arch::quick_quotient(static_cast<float>(wanted - below),
                                             static_cast<float>(greatest_of(above - below, number{1})));
    const int guess = static_cast<int>(fmaxf(0.0f, fminf(share, 1.0f)) * static_cast<float>(range));
    const int first = low + greatest_of(least_of(guess - nears / 2 * stride, range - nears * stride), 0);
    const bool is_even = !guesses || lane < fewest;
    const int probe = is_even ? low + step * (lane + 1) - 1 : first + (lane - fewest) * stride;
    const number at_probe = value(least_of(probe, high - 1));  // the last even step's is that of high - 1
    const unsigned passing = __ballot_sync(full_warp, (is_even || probe < high) && at_probe < wanted);
    const int passed = __popc(guesses ? passing & ((1u << fewest) - 1) : passing),
              near_passed = guesses ? __popc(passing >> fewest) : 0;
    const int reached = least_of(low + step * passed, high),
              end = passed < (guesses ? fewest : warp_lanes) ? least_of(reached + step, high) - 1 : high;
    const int reached_near = first + stride * (near_passed - 1) + 1, end_near = first + stride * near_passed;
    // The nearest probed values on both sides of the result.
    const bool past_near = near_passed > 0 && reached_near > reached,
               before_near = guesses && near_passed < nears && end_near < end;
    const number left = warp::shuffle(at_probe, past_near ? fewest + near_passed - 1 : passed - 1),
                 right = warp::shuffle(at_probe, before_near ? fewest + near_passed : passed);
    if (past_near || passed > 0) below = left;
    if (before_near || end < high) above = right;
    low = past_near ? reached_near : reached;
    high = before_near ? end_near : end;
    guesses = !guesses || (past_near && before_near);
  }
  return low;
}

}  // namespace warpfold::warp
