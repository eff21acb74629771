// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much scratch a reduction needs.
#pragma once
#include <cstddef>
#include <warpfold/host/device.cuh>
#include <warpfold/host/scratch.hpp>
#include <warpfold/reduce/policy.hpp>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Bytes of scratch that a reduction with `accumulator_bytes`-byte accumulators needs on `device`, whatever its plan.
inline std::size_t scratch_bytes(int device, std::size_t accumulator_bytes) {
  const std::size_t most_blocks = static_cast<std::size_t>(host::limits_of(device).multiprocessors) * 4;
  return host::control_bytes + (max_nodes + 1) * most_blocks * accumulator_bytes;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
