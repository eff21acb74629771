// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much scratch a reduction by key needs.
#pragma once
#include <cstddef>
#include <warpfold/by_key/policy.hpp>
#include <warpfold/host/scratch.hpp>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The need of any reduction by key with `accumulator_bytes`-byte accumulators. Partial results outlast an epoch.
constexpr host_side::scratch_need scratch(std::size_t accumulator_bytes) {
  return {by_key_control_bytes, epochs_bytes(accumulator_bytes)};
}
static_assert(scratch(1).own_control_bytes() == host_side::control_bytes, "no feature needs more control words");

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
