// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of what a warp holds in registers, in a few additions an item: error-free extraction. Each lane adds its
// items to a large number, whose last digit is a fixed power of two. What an item adds is a multiple of that power; the
// rest is found exactly and goes to the next level. Sources: S. Rump, T. Ogita and S. Oishi, "Accurate Floating-point
// Summation, Part I", SIAM Journal on Scientific Computing, 2008; J. Demmel and H. D. Nguyen, "Parallel Reproducible
// Summation", IEEE Transactions on Computers, 2015.
#pragma once
#include <warpfold/exact/superaccumulator.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::exact {

/// How a warp sums items of type `V`: each lane `Items` of them, as numbers of type float or double.
///
/// With the largest magnitude below 2^(e + 1), level 0 starts at 1.5 * 2^E, E = e + 3 + log2(Items): the lane's sum
/// stays between 2^E and 2^(E + 1), where doubles are multiples of 2^(E - 52). Rests are at most half of that. So one
/// level covers 51 - log2(Items) bits. Two levels cover 60 octaves of float exponents; three those of double.
template <class V, int Items> struct extraction {
  using number = typename superaccumulator<V>::number;
  static constexpr int log_items = log2_of(Items);
  static constexpr int levels = std::is_same_v<V, __half> ? 1 : std::is_same_v<V, double> ? 3 : 2;
  /// Whether one level holds every item whole: half has 40 bits.
  static constexpr bool is_whole = 41 + log_items < 52 && std::is_same_v<V, __half>;
  /// Below it digits are less than the least subnormal number.
  static constexpr int min_exponent = format<V>::least_exponent + 52;
  /// Above it level 0 would overflow.
  static constexpr int max_exponent = 1023 - 3 - log_items;

  __device__ static int start(int item_exponent) { return greatest_of(item_exponent + 3 + log_items, min_exponent); }
  __device__ static int next_start(int exponent) { return greatest_of(exponent - 51 + log_items, min_exponent); }
};

/// The exponent's field of the item of largest magnitude, over the lanes of the warp; whether an item of this lane is
/// other than -0.
struct largest_item {
  int field;
  bool is_other_than_minus_zero;
};
template <class F, int Items> __device__ largest_item find_largest(const F (&items)[Items]) {
  constexpr int high_digits = std::is_same_v<F, float> ? 23 : 20;
  unsigned largest = 0;
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) {
    const auto bits = bits_as<typename format<F>::bits>(items[k]);
    const unsigned magnitude = static_cast<unsigned>(bits >> (8 * sizeof(F) - 32)) & 0x7fffffffu;
    largest = magnitude > largest ? magnitude : largest;
  }
  bool other = largest != 0;
  if (!other) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      other = other || bits_as<typename format<F>::bits>(items[k]) != bits_as<typename format<F>::bits>(F(-0.0));
  }
  return {static_cast<int>(warp::all_reduce(largest, maximum{}) >> high_digits), other};
}

/// Takes out of each item what `levels` levels hold, and leaves the rest, exactly. Returns whether a rest is not zero.
/// sums[j] is the lane's sum on level j, in units of 2^(exponents[j] - 52): below 2^51.
template <class Extraction, class F, int Items, int Levels = Extraction::levels>
__device__ bool extract(F (&items)[Items], int item_exponent, int (&exponents)[Levels], std::int64_t (&sums)[Levels]) {
  double start[Levels], running[Levels];
  WARPFOLD_UNROLL
  for (int j = 0; j < Levels; ++j) {
    exponents[j] = j == 0 ? Extraction::start(item_exponent) : Extraction::next_start(exponents[j > 0 ? j - 1 : 0]);
    start[j] = bits_as<double>(static_cast<std::uint64_t>(2 * (exponents[j] + 1023) + 1) << 51);
    running[j] = start[j];
  }
  bool is_left = false;
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) {
    if constexpr (Extraction::is_whole) {
      running[0] += items[k];
      continue;
    }
    double rest = items[k];
    WARPFOLD_UNROLL
    for (int j = 0; j < Levels; ++j) {
      // Rounded additions: the item may be a product, which must not be contracted with them.
      const double next = warpfold::detail::add(running[j], rest);
      rest = warpfold::detail::add(rest, -warpfold::detail::add(next, -running[j]));
      running[j] = next;
    }
    items[k] = static_cast<F>(rest);  // exact: no larger than the item, with the same last digit
    is_left = is_left || rest != 0;
  }
  WARPFOLD_UNROLL
  for (int j = 0; j < Levels; ++j) sums[j] = bits_as<std::int64_t>(running[j]) - bits_as<std::int64_t>(start[j]);
  return is_left;
}

/// The sum of the lanes' values, each between -2^51 and 2^51, in every lane.
__device__ inline std::int64_t warp_sum(std::int64_t value) {
  const auto low = static_cast<unsigned>(value) & ((1u << 26) - 1);
  const auto high = static_cast<int>(value >> 26);
  return (std::int64_t{warp::all_reduce(high, plus{})} << 26) + warp::all_reduce(low, plus{});
}

/// A superaccumulator in shared memory whose digits have 32 bits, and words 64: carries wait until the end. A warp owns
/// it. Every addition changes a word by less than 2^32, so that there may be 2^30 additions until `carry`.
template <class T> struct lazy_superaccumulator {
  static constexpr int words = superaccumulator<T>::words;

  unsigned long long word[words];  ///< in two's complement

  /// Adds sum * 2^exponent. The warp calls it, with the same arguments; a __syncwarp must stand before the next use.
  __device__ void add(std::int64_t sum, int exponent) {
    const int position = exponent - superaccumulator<T>::least_exponent, lane = arch::lane_id();
    const shifted_digits digits = shift_up(sum, position % 32);
    if (lane < 3)
      word[position / 32 + lane] += lane == 0   ? digits.low & 0xffffffffu
                                    : lane == 1 ? digits.low >> 32
                                                : static_cast<unsigned long long>(digits.high);
  }
  /// Carries what words hold beyond their digits; the top carry is dropped, as in the sum. The warp calls it.
  __device__ void carry() {
    __syncwarp();
    if (arch::lane_id() == 0) {
      std::int64_t left = 0;
      for (int i = 0; i < words; ++i) {
        left += static_cast<std::int64_t>(word[i]);
        word[i] = static_cast<unsigned long long>(left) & 0xffffffffull;
        left >>= 32;
      }
    }
    __syncwarp();
  }
  /// Adds an item, beside other lanes. Returns its kinds. Not inlined: it is rare, and there are many calls.
  template <class F> __device__ __attribute__((noinline)) unsigned add_item(F item) {
    const item_parts parts = parts_of(item);
    if (parts.mantissa != 0) {
      const int position = parts.exponent - superaccumulator<T>::least_exponent, first = position / 32;
      const auto magnitude = static_cast<std::int64_t>(parts.mantissa);
      const shifted_digits digits = shift_up(parts.is_negative ? -magnitude : magnitude, position % 32);
      atomicAdd(word + first, static_cast<unsigned long long>(digits.low & 0xffffffffu));
      atomicAdd(word + first + 1, static_cast<unsigned long long>(digits.low >> 32));
      if (digits.high != 0) atomicAdd(word + first + 2, static_cast<unsigned long long>(digits.high));
    }
    return parts.kinds;
  }
};

/// Adds the items of the warp's lanes to `sum`, and returns the kinds of the lane's. Items are used up; those that do
/// not exist must be -0. All lanes call it. Cost: 3 additions a level, and one pass for every 90 octaves (double: 140)
/// of exponents; infinities, NaN, and what is left after a few passes, is added item by item.
template <class V, class F, int Items> __device__ unsigned add_items(F (&items)[Items], lazy_superaccumulator<V>& sum) {
  using extraction = exact::extraction<V, Items>;
  constexpr int max_passes = 4;
  unsigned kinds = 0;
  bool is_left = true;
  WARPFOLD_NO_UNROLL
  for (int pass = 0; is_left && pass < max_passes; ++pass) {
    const largest_item largest = find_largest(items);
    if (largest.is_other_than_minus_zero) kinds = has_other_than_minus_zero;
    const int exponent = (largest.field > 0 ? largest.field : 1) - format<F>::max_exponent;
    if (largest.field == static_cast<int>(format<F>::max_field) || exponent > extraction::max_exponent) break;
    int exponents[extraction::levels];
    std::int64_t sums[extraction::levels];
    is_left = __any_sync(full_warp, extract<extraction>(items, exponent, exponents, sums));
    WARPFOLD_UNROLL
    for (int j = 0; j < extraction::levels; ++j) {
      sum.add(warp_sum(sums[j]), exponents[j] - 52);
      __syncwarp();
    }
  }
  if (is_left) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (items[k] != 0) kinds |= sum.add_item(items[k]);
    __syncwarp();
  }
  return kinds;
}

}  // namespace warpfold::exact
