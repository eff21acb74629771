// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much scratch a scan needs: control words only.
#pragma once
#include <warpfold/grid/node_ring.cuh>
#include <warpfold/host/scratch.hpp>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

constexpr host_side::scratch_need scratch(std::size_t accumulator_bytes) {
  return {grid::ring_bytes<1>(accumulator_bytes), 0};
}
/// Whether the nodes of `accumulator_bytes`-byte accumulators fit among the control words.
constexpr bool fits_control_words(std::size_t accumulator_bytes) {
  return grid::ring_bytes<1>(accumulator_bytes) <= host_side::feature_control_bytes;
}
static_assert(fits_control_words(1) && fits_control_words(72) && fits_control_words(1024));

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
