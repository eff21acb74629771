// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much scratch a reduction over axes needs: as much for any shape.
#pragma once
#include <warpfold/axes/policy.hpp>
#include <warpfold/host/scratch.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The scratch of a reduction whose accumulators have `accumulator_bytes` bytes. Each tile that blocks share has a
/// counter. One more counts draws.
constexpr host_side::scratch_need scratch(std::size_t accumulator_bytes) {
  return {(std::size_t{max_work_items} + 1) * sizeof(unsigned), partial_bytes(accumulator_bytes)};
}
static_assert(scratch(1).feature_bytes <= host_side::feature_control_bytes);

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
