// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hand-over to the last block: every block publishes its partial results and takes a ticket; the block that takes
// the last one may read them all. Nobody waits.
#pragma once
#include <warpfold/arch/lane.cuh>

namespace warpfold::grid {

/// True in all threads of the block that comes last, false in the others. All threads of all blocks must call it, once.
/// What any thread wrote before is visible to the last block after: release by the fence before the ticket, acquire by
/// the fence after it. `ticket` must be zero before the grid starts, and is zero again when it ends. `is_last` is shared.
__device__ inline bool arrive_last(unsigned* ticket, bool& is_last) {
  __syncthreads();
  if (arch::thread_rank() == 0) {
    __threadfence();
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  return is_last;
}

}  // namespace warpfold::grid
