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
///   move_to(sum)     moves all to a superaccumulator for the same items
///   most_lane_items  a lane may add up to this many items before they are moved
template <class F> struct exponent_bins;

/// Each lane has bins of its own. An item adds less than 2^39 to one.
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
  template <class T> __device__ void move_to(lazy_superaccumulator<T>& sum) {
    constexpr int part_bits = 24;
    for (int i = 0; i < bins; ++i) {
      // The lowest bin counts halves of the least number, always an even number of them.
      const int exponent = i > 0 ? octaves * i + format<float>::least_exponent - 1 : format<float>::least_exponent;
      std::int64_t rest = i > 0 ? bin[i][arch::lane_id()] : bin[i][arch::lane_id()] >> 1;
      WARPFOLD_UNROLL
      for (int part = 0; part < 3; ++part) {
        const std::int64_t low = part < 2 ? rest & ((std::int64_t{1} << part_bits) - 1) : rest;
        rest >>= part_bits;
        sum.add(whole_warp().sum(low), exponent + part * part_bits, whole_warp());
        __syncwarp();
      }
    }
  }
};

/// Two lanes share bins, which are words of a superaccumulator: a warp's bins take 8 KiB, where bins for each lane
/// would take 17. The two lanes take turns. An item adds less than 2^52 to one word, and less than 2^32 to the one
/// below.
template <> struct exponent_bins<double> {
  static constexpr int sharers = 2, columns = warp_lanes / sharers, words = superaccumulator<double>::words;
  static constexpr unsigned most_lane_items = 1u << 9;

  std::int64_t word[words][columns];

  __device__ void clear() {
    for (int i = arch::lane_id(); i < words * columns; i += warp_lanes) word[i / columns][i % columns] = 0;
    __syncwarp();
  }
  template <int Items> __device__ void add(const double (&items)[Items]) {
    constexpr int turn_items = Items % 8 == 0 ? 8 : 1;  // that a lane adds in a turn: the more, the fewer turns
    const int column = arch::lane_id() % columns, own_turn = arch::lane_id() / columns;
    WARPFOLD_UNROLL
    for (int first = 0; first < Items; first += turn_items) {
      item_words parts[turn_items];
      WARPFOLD_UNROLL
      for (int k = 0; k < turn_items; ++k) parts[k] = words_of(items[first + k]);
      WARPFOLD_NO_UNROLL
      for (int turn = 0; turn < sharers; ++turn) {
        if (turn == own_turn) {
          WARPFOLD_UNROLL
          for (int k = 0; k < turn_items; ++k) {
            word[parts[k].index][column] += parts[k].low;
            word[parts[k].index + 1][column] += parts[k].high;
          }
        }
        __syncwarp();
      }
    }
  }
  /// Each word passes the bits beyond its digit to the next word, all at once.
  template <class T> __device__ void move_to(lazy_superaccumulator<T>& sum) {
    static_assert(lazy_superaccumulator<T>::words == words);
    for (int i = arch::lane_id(); i < words; i += warp_lanes)
      for (int column = 0; column < columns; ++column)
        sum.word[i] += static_cast<std::uint32_t>(word[i][column]) +
                       static_cast<unsigned long long>(i > 0 ? word[i - 1][column] >> 32 : 0);
    __syncwarp();
  }

 private:
  /// A finite double is low * 2^(32 index) + high * 2^(32 (index + 1)), as multiples of the least subnormal number.
  struct item_words {
    std::uint32_t low;
    std::int64_t high;
    int index;
  };
  __device__ static item_words words_of(double item) {
    const auto bits = bits_as<std::uint64_t>(item);
    const int field = static_cast<int>(bits >> 52 & 0x7ff), position = field > 0 ? field - 1 : 0, shift = position % 32;
    const auto magnitude = static_cast<std::int64_t>((bits & 0xfffffffffffff) | std::uint64_t{field > 0} << 52);
    const std::int64_t value = bits >> 63 ? -magnitude : magnitude;
    return {static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) << shift), value >> (32 - shift),
            position / 32};
  }
};

}  // namespace warpfold::exact
