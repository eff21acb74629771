// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much scratch a reduction over axes needs: as much for any shape.
#pragma once
#include <warpfold/axes/policy.hpp>
#include <warpfold/host/scratch.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Bytes of control words and partial results that any reduction with `accumulator_bytes`-byte accumulators needs.
constexpr std::size_t scratch_bytes(std::size_t accumulator_bytes) {
  return host::control_bytes + partial_bytes(accumulator_bytes);
}
// Each tile that blocks share has a counter. One counts draws.
static_assert((std::size_t{max_work_items} + 1) * sizeof(unsigned) <= host::feature_control_bytes);

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
