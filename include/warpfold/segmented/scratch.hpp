// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much scratch a segmented reduction needs.
#pragma once
#include <cstddef>
#include <warpfold/host/scratch.hpp>
#include <warpfold/segmented/policy.hpp>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The scratch of any segmented reduction with `accumulator_bytes`-byte accumulators: two values for each unit.
constexpr host_side::scratch_need scratch(std::size_t accumulator_bytes) {
  return {max_warps * counters_per_warp * sizeof(unsigned),
          2 * static_cast<std::size_t>(max_units(accumulator_bytes) + 2) * accumulator_bytes};
}
static_assert(scratch(1).feature_bytes <= host_side::feature_control_bytes);

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
