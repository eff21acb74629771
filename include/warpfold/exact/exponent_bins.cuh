// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of items of any exponents, in one step per item: each integer of 64 bits stands for 16 or 32 exponents,
// and an item's significand, shifted by the exponent's low bits, is added to one or two of them. Source: Kulisch.
#pragma once
#include <warpfold/exact/lazy_superaccumulator.cuh>

namespace warpfold::exact {

/// The bins of one warp, in shared memory. All lanes call each member:
///
///   clear()          before the first use, and before the next one after move_to
///   add(items)       adds items of the lane, finite ones
///   move_to(sum)     moves all to a superaccumulator for the same items: adds less than 2^53 to each word
///   most_lane_items  a lane may add up to this many items before they are moved
template <class F> struct exponent_bins;

/// low + high * 2^32: it may need more than 64 bits.
struct wide_count {
  std::uint64_t low;
  std::int64_t high;

  /// The sum of 16 bins. Neighbouring lanes begin with different ones, so that no two read the same bank at once.
  __device__ static wide_count sum_of(const std::int64_t* bins) {
    wide_count sum{0, 0};
    WARPFOLD_UNROLL_4
    for (int i = 0; i < 16; ++i) {
      const std::int64_t bin = bins[(i + arch::lane_id()) % 16];
      sum.low += static_cast<std::uint32_t>(bin);
      sum.high += bin >> 32;
    }
    return sum;
  }
  /// Adds it to `sum`, in halves of word i's unit. All lanes of the warp call it, each for another word, or for none.
  template <class T> __device__ void add_to(lazy_superaccumulator<T>& sum, int i, bool exists) const {
    if (exists) sum.word[i] += (low >> 1) + (static_cast<unsigned long long>(high & 1) << 31);
    __syncwarp();
    if (exists) sum.word[i + 1] += static_cast<unsigned long long>(high >> 1);
    __syncwarp();
    if (exists && i > 0) sum.word[i - 1] += (low & 1) << 31;  // in word 0 their number is even
    __syncwarp();
  }
};

/// Each lane has bins of its own. Bin i counts units of 2^(16 i - 1) least subnormal numbers. An item adds less than
/// 2^39 to one.
template <> struct exponent_bins<float> {
  static constexpr unsigned most_lane_items = 1u << 24;
  static constexpr int octaves = 16, bins = 256 / octaves;

  std::int64_t bin[bins][warp_lanes];

  __device__ void clear() {
    WARPFOLD_UNROLL
    for (int i = 0; i < bins; ++i) bin[i][arch::lane_id()] = 0;
  }
  template <int Items> __device__ void add(const float (&items)[Items]) {
    const int lane = arch::lane_id();
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) {
      const auto bits = bits_as<std::uint32_t>(items[k]);
      // The fraction of a subnormal number is doubled: its exponent's field, 0, stands for half of 1's power of two.
      const std::uint32_t magnitude = (bits & 0x7f800000u) != 0 ? (bits & 0x7fffffu) | 0x800000u : bits << 1;
      const auto significand = static_cast<std::int32_t>(bits >> 31 ? 0u - magnitude : magnitude);
      const std::int32_t power = 1 << (bits >> 23 & (octaves - 1));
      bin[bits >> 27 & (bins - 1)][lane] += std::int64_t{significand} * power;
    }
  }
  /// Not inlined: it is rare, and would take registers from extraction, so bfloat16 would take 4 % longer.
  template <class T> WARPFOLD_NO_INLINE __device__ void move_to(lazy_superaccumulator<T>& sum) {
    static_assert(bins == 16 && 2 * octaves == 32);
    __syncwarp();
    const int lane = arch::lane_id(), i = lane % bins;
    wide_count count = wide_count::sum_of(bin[i] + lane / bins * 16);
    // Two lanes have one bin's halves; two bins make a word.
    count.low <<= i % 2 * octaves;
    count.high *= 1 << i % 2 * octaves;
    WARPFOLD_UNROLL
    for (const int distance : {bins, 1}) {
      count.low += warp::shuffle_xor(count.low, distance);
      count.high += warp::shuffle_xor(count.high, distance);
    }
    count.add_to(sum, i / 2, lane < bins && i % 2 == 0);
  }
};

/// Two lanes share bins, and take turns: a warp's bins take 8 KiB. With bins for each lane fewer warps fit, and less of
/// the L1 cache is left, so narrow items take longer: measured by exact_plus_bench. Bin i counts units of 2^(32 i - 1)
/// least subnormal numbers. An item adds at most 2^52 to one bin, and at most 2^32 to the one below.
template <> struct exponent_bins<double> {
  static constexpr int octaves = 32, classes = 2048 / octaves, bins = classes + 1;
  static constexpr int sharers = 2, columns = warp_lanes / sharers;
  static constexpr unsigned most_lane_items = 1000;

  std::int64_t bin[bins][columns];

  __device__ void clear() {
    for (int i = arch::lane_id(); i < bins * columns; i += warp_lanes) bin[i / columns][i % columns] = 0;
    __syncwarp();
  }
  template <int Items> __device__ void add(const double (&items)[Items]) {
    constexpr int turn_items = Items % 8 == 0 ? 8 : 1;  // that a lane adds in a turn: the more, the fewer turns
    const int column = arch::lane_id() % columns, own_turn = arch::lane_id() / columns;
    WARPFOLD_UNROLL
    for (int first = 0; first < Items; first += turn_items) {
      item_counts counts[turn_items];
      WARPFOLD_UNROLL
      for (int k = 0; k < turn_items; ++k) counts[k] = counts_of(items[first + k]);
      WARPFOLD_NO_UNROLL
      for (int turn = 0; turn < sharers; ++turn) {
        if (turn == own_turn) {
          WARPFOLD_UNROLL
          for (int k = 0; k < turn_items; ++k) {
            std::int64_t &low = bin[counts[k].bin][column], &high = bin[counts[k].bin + 1][column];
            const std::int64_t old_low = low, old_high = high;  // both loads before the first store, which might alias
            low = old_low + counts[k].low;
            high = old_high + 2 * counts[k].half_high;
          }
        }
        __syncwarp();
      }
    }
  }
  template <class T> __device__ void move_to(lazy_superaccumulator<T>& sum) {
    static_assert(lazy_superaccumulator<T>::words > bins && columns == 16);
    WARPFOLD_NO_UNROLL
    for (int i = arch::lane_id(); i - arch::lane_id() < bins; i += warp_lanes)
      wide_count::sum_of(bin[i < bins ? i : 0]).add_to(sum, i, i < bins);
  }

 private:
  /// A finite double is low + half_high * 2^33 units of bin `bin`.
  struct item_counts {
    std::int64_t low, half_high;
    int bin;
  };
  /// A power of two moves the items of each bin to the same 32 exponents; it makes subnormal numbers normal. Two large
  /// numbers then round them to multiples of their own last digits, which their bits count, as in extraction.cuh. Only
  /// the first sum is rounded, and `rest` is what that takes away.
  __device__ static item_counts counts_of(double item) {
    constexpr double high_start = 1.5 * (std::uint64_t{1} << 33), low_start = 1.5;
    constexpr std::uint32_t bin_field = 0x7e000000, power_field = 30 << 20;
    const auto top = static_cast<std::uint32_t>(bits_as<std::uint64_t>(item) >> 32);
    const auto power = bits_as<double>(std::uint64_t{(~top & bin_field) | power_field} << 32);
    const double moved = std::fma(item, power, high_start), rest = std::fma(item, power, high_start - moved),
                 low = warpfold::detail::add(rest, low_start);
    return {static_cast<std::int64_t>(bits_as<std::uint64_t>(low) - bits_as<std::uint64_t>(low_start)),
            static_cast<std::int64_t>(bits_as<std::uint64_t>(moved) - bits_as<std::uint64_t>(high_start)),
            static_cast<int>((top & bin_field) >> 25)};
  }
};

}  // namespace warpfold::exact
