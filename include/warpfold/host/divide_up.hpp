// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every plan counts with.
#pragma once
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

/// How many times `b` > 0 covers `a` > 0.
constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
