// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of kernels whose warps take batches in turn.
#pragma once
#include <bit>
#include <cstdint>
#include <warpfold/host/call_frame.cuh>
#include <warpfold/host/divide_up.hpp>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

struct batch_plan {
  int blocks, block_warps;
};
/// If there are fewer batches than warps, blocks are small, so that all multiprocessors load.
inline batch_plan plan_batches(std::int64_t batches, int multiprocessors, int resident_blocks, int max_block_warps,
                               int max_blocks) {
  const std::int64_t even =
      batches <= max_block_warps ? batches : host_side::divide_up(batches, std::int64_t{multiprocessors});
  const auto fitting = static_cast<std::uint64_t>(least_of<std::int64_t>(even, max_block_warps));
  const int warps = static_cast<int>(std::bit_ceil(fitting));
  std::int64_t blocks = least_of<std::int64_t>(host_side::divide_up(batches, std::int64_t{warps}), resident_blocks);
  if (max_blocks > 0) blocks = least_of<std::int64_t>(blocks, max_blocks);
  return {static_cast<int>(blocks), warps};
}

/// The same for a call of `Kernel`, as many blocks as are resident.
template <auto* Kernel>
batch_plan plan_batches(const call_frame& frame, std::int64_t batches, int max_block_warps, std::size_t shared_bytes) {
  return plan_batches(batches, frame.multiprocessors(),
                      frame.resident_blocks<Kernel>(max_block_warps * warp_lanes, shared_bytes), max_block_warps,
                      frame.max_blocks());
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
