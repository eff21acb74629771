// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp prepares a sum in shared memory for rounding: each lane carries a few words. One lane alone would wait for
// several hundred instructions, which run once and which no cache holds. For the same reason this code has no branches.
#pragma once
#include <warpfold/exact/lazy_superaccumulator.cuh>

namespace warpfold::exact {

/// The digits of a superaccumulator in two's complement, spread over the lanes of a warp: lane i has digits own * i to
/// own * i + own - 1, those past the last one without meaning. All lanes call each member.
template <int Words> struct lane_digits {
  static constexpr int own = Words > 2 * warp_lanes ? (Words + warp_lanes - 1) / warp_lanes : 2;

  std::uint32_t digit[own];

  __device__ static int index(int k) { return arch::lane_id() * own + k; }

  /// Carries the bits of words beyond their digits; the top carry is dropped. Words are between -2^63 and 2^63.
  __device__ explicit lane_digits(const unsigned long long (&words)[Words]) {
    // Each high half, which has a sign, is added with 2^31 more, and the digits of their negative sum take that away.
    const bool is_first = arch::lane_id() == 0;
    std::uint32_t high[own];
    WARPFOLD_UNROLL
    for (int k = 0; k < own; ++k) {
      const unsigned long long word = index(k) < Words ? words[index(k)] : 0;
      digit[k] = static_cast<std::uint32_t>(word), high[k] = static_cast<std::uint32_t>(word >> 32);
    }
    std::uint32_t below = warp::shuffle_up(high[own - 1], 1);
    if (is_first) below = 0;
    std::uint64_t carry = is_first;
    WARPFOLD_UNROLL
    for (int k = 0; k < own; ++k) {
      carry += (std::uint64_t{digit[k]} + (below ^ 0x80000000u)) + 0x7fffffffu;
      digit[k] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
      below = high[k];
    }
    const auto carried = warp::shuffle_up(static_cast<std::uint32_t>(carry), 1);
    const bool carries_one = add(is_first ? 0 : carried) != 0;
    // Lanes now carry 0 or 1, and none but those of which all bits are ones pass it on: so does the sum of two masks.
    bool has_ones = true;
    WARPFOLD_UNROLL
    for (int k = 0; k < own; ++k) has_ones = has_ones && digit[k] == ~0u;
    const unsigned ones = __ballot_sync(full_warp, has_ones), carries = __ballot_sync(full_warp, carries_one) << 1;
    add(((ones + carries) ^ ones) >> arch::lane_id() & 1);
  }
  /// Adds to the lane's lowest digit, and returns what the highest one carries.
  __device__ std::uint32_t add(std::uint32_t carry) {
    WARPFOLD_UNROLL
    for (int k = 0; k < own; ++k) {
      const std::uint64_t sum = std::uint64_t{digit[k]} + carry;
      digit[k] = static_cast<std::uint32_t>(sum), carry = static_cast<std::uint32_t>(sum >> 32);
    }
    return carry;
  }
  /// The lanes that have any digit but zeros.
  __device__ unsigned lanes_with_digits() const {
    std::uint32_t any = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < own; ++k) any |= digit[k];
    return __ballot_sync(full_warp, any != 0);
  }
  /// Makes it a magnitude, and returns whether it was negative. Digits past the last one become zeros.
  __device__ bool take_sign() {
    constexpr int top = Words - 1;
    const bool is_negative = __ballot_sync(full_warp, digit[top % own] >> 31 != 0) >> (top / own) & 1;
    const bool has_lower = (lanes_with_digits() & ((1u << arch::lane_id()) - 1)) != 0;
    WARPFOLD_UNROLL
    for (std::uint32_t& own_digit : digit) own_digit ^= is_negative ? ~0u : 0u;
    add(is_negative && !has_lower);
    WARPFOLD_UNROLL
    for (int k = 0; k < own; ++k) digit[k] = index(k) < Words ? digit[k] : 0;
    return is_negative;
  }
};

/// Finds what rounding needs of a sum, in `leading` of one lane, which gets true. All lanes of the warp call it. The
/// words must be visible to all of them.
template <class T>
__device__ bool find_leading_sum(const lazy_superaccumulator<T>& sum, unsigned kinds, leading_sum<T>& leading) {
  lane_digits<lazy_superaccumulator<T>::words> lanes(sum.word);
  constexpr int own = lanes.own;
  const bool is_negative = lanes.take_sign();
  const unsigned with_digits = lanes.lanes_with_digits();
  const int lane = arch::lane_id(), highest_lane = with_digits != 0 ? 31 - leading_zeros(with_digits) : 0;
  std::uint32_t digit[2 * own];  // the lower lane's and the own ones
  WARPFOLD_UNROLL
  for (int k = 0; k < own; ++k) {
    digit[k] = warp::shuffle_up(lanes.digit[k], 1);
    if (lane == 0) digit[k] = 0;
    digit[own + k] = lanes.digit[k];
  }
  // Lanes below the lower one.
  bool any_below = (with_digits & (((1u << lane) - 1) >> 1)) != 0;
  std::uint32_t top = 0, next = 0, third = 0;
  int at = -1;
  bool any_third = false;
  WARPFOLD_UNROLL
  for (int k = 0; k < 2 * own; ++k) {
    if (k >= own && digit[k] != 0) {
      at = lanes.index(k - own), top = digit[k], next = digit[k - 1], third = digit[k - 2];
      any_third = any_below;
    }
    if (k >= 2) any_below = any_below || digit[k - 2] != 0;
  }
  leading = {leading_bits_of(at, top, next, third, any_third), is_negative, kinds};
  return lane == highest_lane;
}

}  // namespace warpfold::exact
