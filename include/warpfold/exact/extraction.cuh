// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of items that lanes hold in registers, in a few additions per item: error-free extraction. Each lane adds
// its items to a large number, whose last digit is a fixed power of two. An item thereby adds a multiple of that power;
// its rest is found exactly and goes to the next level. Sources: Rump; Demmel and Nguyen.
#pragma once
#include <warpfold/exact/lane_team.cuh>
#include <warpfold/exact/superaccumulator.cuh>

namespace warpfold::exact {

/// How lanes sum items of type `V`: each lane sums `Items` of them, as numbers of type float or double.
///
/// With the largest magnitude below 2^(e + 1), level 0 starts at 1.5 * 2^E, E = e + 3 + log2(Items): the lane's sum
/// stays between 2^E and 2^(E + 1), where doubles are multiples of 2^(E - 52). Rests are at most half of that. So one
/// level covers 51 - log2(Items) bits: floats whose exponents span about 20 octaves. Two levels cover 60 octaves of
/// floats; three those of double.
template <class V, int Items> struct extraction {
  using number = typename superaccumulator<V>::number;
  static constexpr int log_items = log2_of(Items);
  /// Levels that are tried first, and the most levels that are tried.
  static constexpr int first_levels = std::is_same_v<V, double> ? 2 : 1;
  static constexpr int most_levels = std::is_same_v<V, __half> ? 1 : std::is_same_v<V, double> ? 3 : 2;
  /// Whether one level holds every item whole: half has 40 bits.
  static constexpr bool is_whole = 41 + log_items < 52 && std::is_same_v<V, __half>;
  /// Below it digits are less than the least subnormal number.
  static constexpr int min_exponent = format<V>::least_exponent + 52;
  /// Above it level 0 would overflow.
  static constexpr int max_exponent = 1023 - 3 - log_items;

  __device__ static int start(int item_exponent) { return greatest_of(item_exponent + 3 + log_items, min_exponent); }
  __device__ static int next_start(int exponent) { return greatest_of(exponent - 51 + log_items, min_exponent); }
};

/// The item of largest magnitude of a team of lanes.
template <class F> struct largest_item {
  int field;           ///< its exponent's field
  bool is_minus_zero;  ///< whether all items of the team are -0

  __device__ bool is_finite() const { return field != static_cast<int>(format<F>::max_field); }
  __device__ int exponent() const { return (field > 0 ? field : 1) - format<F>::max_exponent; }
};
template <class F, int Items> __device__ largest_item<F> find_largest(const F (&items)[Items], lane_team team) {
  using bits = typename format<F>::bits;
  constexpr int high_digits = std::is_same_v<F, float> ? 23 : 20;
  unsigned largest = 0;
  if constexpr (std::is_same_v<F, float>) {
    float magnitude = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) magnitude = maximum{}(magnitude, fabsf(items[k]));  // or NaN
    largest = bits_as<std::uint32_t>(magnitude);
  } else {
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) {
      const unsigned magnitude = static_cast<unsigned>(bits_as<bits>(items[k]) >> 32) & 0x7fffffffu;
      largest = magnitude > largest ? magnitude : largest;
    }
  }
  largest = team.largest(largest);
  bool is_minus_zero = false;
  if (__builtin_expect(__any_sync(full_warp, largest == 0), false)) {
    bool other = largest != 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) other = other || bits_as<bits>(items[k]) != bits_as<bits>(F(-0.0));
    is_minus_zero = (__ballot_sync(full_warp, other) & team.mask()) == 0;
  }
  return {static_cast<int>(largest >> high_digits), is_minus_zero};
}

/// The lanes' sums on each level, as multiples of 2^(exponent[j] - 52): below 2^51.
template <int Levels> struct level_sums {
  int exponent[Levels];
  std::int64_t sum[Levels];
};

/// Takes out of each item the part that `Levels` levels hold. Returns whether any rest is not zero. If `KeepsRests`,
/// items are replaced by their rests, exactly.
template <class Extraction, bool KeepsRests, int Levels, class F, int Items>
__device__ bool extract(F (&items)[Items], int item_exponent, level_sums<Levels>& sums) {
  double start[Levels], running[Levels];
  WARPFOLD_UNROLL
  for (int j = 0; j < Levels; ++j) {
    sums.exponent[j] =
        j == 0 ? Extraction::start(item_exponent) : Extraction::next_start(sums.exponent[j > 0 ? j - 1 : 0]);
    start[j] = bits_as<double>(static_cast<std::uint64_t>(2 * (sums.exponent[j] + 1023) + 1) << 51);
    running[j] = start[j];
  }
  // The high words of all rests: they are multiples of the least number, and so not subnormal as doubles.
  std::uint32_t rests = 0;
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) {
    if constexpr (Extraction::is_whole) {
      running[0] = warpfold::detail::add(running[0], static_cast<double>(items[k]));
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
    if constexpr (KeepsRests) items[k] = static_cast<F>(rest);  // exact: the same last digit, and no larger
    if constexpr (std::is_same_v<F, float>) rests |= static_cast<std::uint32_t>(bits_as<std::uint64_t>(rest) >> 32);
    else rests |= rest != 0;
  }
  WARPFOLD_UNROLL
  for (int j = 0; j < Levels; ++j)
    sums.sum[j] = static_cast<std::int64_t>(bits_as<std::uint64_t>(running[j]) - bits_as<std::uint64_t>(start[j]));
  return (rests & 0x7fffffffu) != 0;
}

}  // namespace warpfold::exact
