// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer division for plans.
#pragma once
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// ceil(a / b) for a > 0, b > 0.
constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
