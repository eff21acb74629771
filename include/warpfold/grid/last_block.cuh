// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hand-over to the last block: every block publishes its partial results and arrives at a ticket. The block that
// arrives last may read all partial results. Nobody waits.
#pragma once
#include <warpfold/arch/ticket.cuh>

namespace warpfold::grid {

/// True in all lanes of the warp that arrives last, false in the others. The first warp of every block calls it once.
/// Memory that each such warp wrote before, or was handed by a barrier, is visible to the last warp afterwards.
/// `ticket` must be zero before the grid starts, and is zero again when it ends.
__device__ inline bool warp_arrives_last(unsigned* ticket) { return arch::warp_completes(ticket, gridDim.x); }

/// True in all threads of the block that arrives last. All threads of every block call it once, with a ticket as above.
/// Memory that *warp 0* wrote before, or was handed by a barrier, is visible to all threads of the last block after it.
/// `is_last` is shared. Cost: one barrier.
__device__ inline bool block_arrives_last(unsigned* ticket, bool& is_last) {
  if (arch::flat_warp() == 0) {
    const bool last = warp_arrives_last(ticket);
    if (arch::lane_id() == 0) is_last = last;
  }
  __syncthreads();
  return is_last;
}

}  // namespace warpfold::grid
