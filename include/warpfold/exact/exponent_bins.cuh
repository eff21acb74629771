// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of floats of any exponents, each item in one step: each lane has an integer of 64 bits for every 16
// exponents, and adds an item's significand, shifted by the exponent's low bits, to one of them. Source: Kulisch.
#pragma once
#include <warpfold/exact/lazy_superaccumulator.cuh>

namespace warpfold::exact {

/// Of one warp, in shared memory. An item adds less than 2^39, so that a lane may add 2^24 of them until `move_to`.
struct exponent_bins {
  static constexpr int octaves = 16, bins = 256 / octaves;

  std::int64_t bin[bins][warp_lanes];

  /// All lanes call each member.
  __device__ void clear() {
    WARPFOLD_UNROLL
    for (int i = 0; i < bins; ++i) bin[i][arch::lane_id()] = 0;
  }
  /// Adds items of the lane. They must be finite.
  template <int Items> __device__ void add(const float (&items)[Items]) {
    const int lane = arch::lane_id();
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) {
      const auto bits = bits_as<std::uint32_t>(items[k]);
      // Of a subnormal number twice the fraction, as if its exponent's field, 0, stood for half of 1's power of two.
      const std::uint32_t magnitude = (bits & 0x7f800000u) != 0 ? (bits & 0x7fffffu) | 0x800000u : bits << 1;
      const auto significand = static_cast<std::int32_t>(bits >> 31 ? 0u - magnitude : magnitude);
      const std::int32_t power = 1 << (bits >> 23 & (octaves - 1));
      bin[bits >> 27 & (bins - 1)][lane] += std::int64_t{significand} * power;
    }
  }
  /// Moves all to a superaccumulator whose items are those of float.
  template <class T> __device__ void move_to(lazy_superaccumulator<T>& sum) {
    constexpr int part_bits = 24;
    for (int i = 0; i < bins; ++i) {
      // The lowest bin counts halves of the least number, always an even number of them.
      const int exponent = i > 0 ? octaves * i + format<float>::least_exponent - 1 : format<float>::least_exponent;
      std::int64_t rest = i > 0 ? bin[i][arch::lane_id()] : bin[i][arch::lane_id()] >> 1;
      bin[i][arch::lane_id()] = 0;
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

}  // namespace warpfold::exact
