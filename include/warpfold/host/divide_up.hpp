// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic for plans: quotients and logarithms, rounded up.
#pragma once
#include <bit>
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// ceil(a / b) for a > 0, b > 0.
constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }
/// The least k with 2^k >= number.
constexpr int ceil_log2(std::int64_t number) {
  return number <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(number - 1)));
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
