// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Superaccumulators in shared memory, whose carries wait until the end; and in global memory, to which warps or blocks
// add their sums by atomics: integers add up to the same bits in any order.
#pragma once
#include <warpfold/exact/lane_team.cuh>
#include <warpfold/exact/superaccumulator.cuh>

namespace warpfold::exact {

/// A superaccumulator in shared memory whose digits have 32 bits, and words 64: carries wait until the end. A team of
/// lanes owns it. `add` changes a word by less than 2^32, so 2^30 additions may precede `carry`.
template <class T> struct lazy_superaccumulator {
  static constexpr int words = superaccumulator<T>::words;

  unsigned long long word[words];  ///< in two's complement

  /// Adds sum * 2^exponent. The team calls it, with the same arguments; a __syncwarp must stand before the next use.
  __device__ void add(std::int64_t sum, int exponent, lane_team team) {
    const int position = exponent - superaccumulator<T>::least_exponent;
    const shifted_digits digits = shift_up(sum, position % 32);
    for (int digit = team.own_lane(); team.has_items && digit < 3; digit += team.lanes)
      word[position / 32 + digit] += digit == 0   ? digits.low & 0xffffffffu
                                     : digit == 1 ? digits.low >> 32
                                                  : static_cast<unsigned long long>(digits.high);
  }
  /// Carries the bits of words beyond their digits; the top carry is dropped, as in `add`. One thread calls it.
  __device__ superaccumulator<T> carried(unsigned kinds) const {
    superaccumulator<T> sum;
    std::int64_t carry = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < words; ++i) {
      carry += static_cast<std::int64_t>(word[i]);
      sum.word[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    sum.kinds = kinds;
    return sum;
  }
  /// The same in place, and seldom. The warp calls it.
  __device__ void carry() {
    __syncwarp();
    std::int64_t carry = 0;
    WARPFOLD_NO_UNROLL
    for (int i = 0; arch::lane_id() == 0 && i < words; ++i) {
      carry += static_cast<std::int64_t>(word[i]);
      word[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    __syncwarp();
  }
};

/// A superaccumulator in global memory: zero before, zero after.
template <class T> struct global_sum {
  unsigned long long word[superaccumulator<T>::words];
  unsigned kinds;
  unsigned arrived;  ///< the number of warps that have added, if a caller counts them here

  /// Adds `own`. Thread `thread` of `threads` calls it; the words must be visible to all of them.
  __device__ void add(const lazy_superaccumulator<T>& own, unsigned own_kinds, int thread, int threads) {
    // Adds digits with the carry of the word below: the sums of many words could overflow before they are carried.
    for (int i = thread; i < own.words; i += threads) {
      const std::int64_t carry = i > 0 ? static_cast<std::int64_t>(own.word[i - 1]) >> 32 : 0;
      const unsigned long long digit = (own.word[i] & 0xffffffffull) + static_cast<unsigned long long>(carry);
      if (digit != 0) atomicAdd(word + i, digit);
    }
    if (thread == 0 && own_kinds != 0) atomicOr(&kinds, own_kinds);
  }
  /// Moves the sum to `to` and, in thread 0, `to_kinds`.
  __device__ void take(lazy_superaccumulator<T>& to, unsigned& to_kinds, int thread, int threads) {
    for (int i = thread; i < to.words; i += threads) to.word[i] = atomicExch(word + i, 0ull);
    if (thread == 0) to_kinds = atomicExch(&kinds, 0u);
  }
};

}  // namespace warpfold::exact
