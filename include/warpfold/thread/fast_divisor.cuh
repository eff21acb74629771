// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division by a number that the host knows: a multiplication and a shift. Source: Granlund and Montgomery 1994.
#pragma once
#include <warpfold/config.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::thread {

/// A divisor from 1 to 2^31, for dividends below 2^31. With s = ceil(log2 d) and m = ceil(2^(31 + s) / d), the error of
/// n m / 2^(31 + s) is below 1 / d, since n < 2^31. m fits 32 bits.
struct fast_divisor {
  std::uint32_t divisor, multiplier;
  int shift;

  WARPFOLD_JIT constexpr fast_divisor() : fast_divisor(1) {}
  explicit WARPFOLD_JIT constexpr fast_divisor(std::int64_t number)
      : divisor(static_cast<std::uint32_t>(number)), multiplier(0), shift(31) {
    while ((std::int64_t{1} << (shift - 31)) < number) ++shift;
    const auto power = std::uint64_t{1} << shift;
    multiplier = static_cast<std::uint32_t>((power - 1) / divisor + 1);
  }

  __host__ __device__ constexpr std::uint32_t quotient(std::uint32_t dividend) const {
    return static_cast<std::uint32_t>(std::uint64_t{dividend} * multiplier >> shift);
  }
};

}  // namespace warpfold::thread
