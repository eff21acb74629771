// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much scratch a reduction needs.
#pragma once
#include <cstddef>
#include <warpfold/host/device.cuh>
#include <warpfold/host/scratch.hpp>
#include <warpfold/reduce/policy.hpp>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The need of a reduction with `accumulator_bytes`-byte accumulators on `device`, whatever its plan.
inline host_side::scratch_need scratch(int device, std::size_t accumulator_bytes) {
  const int most_blocks = host_side::limits_of(device).multiprocessors * max_blocks_per_multiprocessor,
            most = greatest_of(most_blocks, max_units(accumulator_bytes, max_block_warps));
  return {0, static_cast<std::size_t>(most) * accumulator_bytes};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
