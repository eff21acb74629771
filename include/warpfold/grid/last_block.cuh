// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hand-over to the last block: every block publishes its partial results and takes a ticket; the block that takes
// the last one may read them all. Nobody waits.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/ticket.cuh>

namespace warpfold::grid {

/// True in all lanes of the warp that comes last, false in the others. The first warp of every block calls it, once. What
/// that warp wrote before, or was handed by a barrier, is visible to the last one after. `ticket` must be zero before the
/// grid starts, and is zero again when it ends.
__device__ inline bool warp_arrives_last(unsigned* ticket) {
  __syncwarp();
  unsigned last = 0;
  if (arch::lane_id() == 0) last = arch::take_ticket(ticket, gridDim.x);
  __syncwarp();  // a shuffle alone orders no memory
  return __shfl_sync(full_warp, last, 0);
}

/// As above for whole blocks: all threads call it. What *warp 0* wrote before, or was handed by a barrier, is visible to
/// all threads of the last block after. `is_last` is shared.
__device__ inline bool block_arrives_last(unsigned* ticket, bool& is_last) {
  if (arch::flat_warp() == 0) {
    const bool last = warp_arrives_last(ticket);
    if (arch::lane_id() == 0) is_last = last;
  }
  __syncthreads();
  return is_last;
}

}  // namespace warpfold::grid
