// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much scratch a segmented reduction needs.
#pragma once
#include <cstddef>
#include <warpfold/host/scratch.hpp>
#include <warpfold/segmented/policy.hpp>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Bytes that any segmented reduction with `accumulator_bytes`-byte accumulators needs: two values for each unit.
constexpr std::size_t scratch_bytes(std::size_t accumulator_bytes) {
  return host::control_bytes + 2 * static_cast<std::size_t>(max_units(accumulator_bytes) + 2) * accumulator_bytes;
}
static_assert(max_warps * counters_per_warp * sizeof(unsigned) <= host::feature_control_bytes);

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
