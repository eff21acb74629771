// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter in global memory by which warps and blocks find out which of them comes last. Nobody waits.
#pragma once
#include <cstdint>
#include <warpfold/arch/lane.cuh>

namespace warpfold::arch {

/// Adds `arrivals` to `counter`, and returns whether that makes `expected`; the counter is then zero again. The add
/// releases what the caller wrote or was handed by a barrier, and acquires what earlier callers released. (It is one
/// instruction with both orders: __threadfence() around an atomic is sequentially consistent, which costs more.)
__device__ inline bool arrive(unsigned* counter, unsigned arrivals, unsigned expected) {
  unsigned before;
#if defined(__CUDA_ARCH__)
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter)), "r"(arrivals)
               : "memory");
#else
  before = atomicAdd(counter, arrivals);
#endif
  if (before + arrivals != expected) return false;
  *counter = 0;
  return true;
}

/// arrive for a warp. All lanes call it, and all get the answer. What any lane wrote before is released; what earlier
/// warps released is visible to all lanes afterwards.
__device__ inline bool warp_completes(unsigned* counter, std::int64_t arrivals, std::int64_t expected) {
  __syncwarp();
  int last = 0;
  if (lane_id() == 0) last = arrive(counter, static_cast<unsigned>(arrivals), static_cast<unsigned>(expected));
  __syncwarp();  // a shuffle alone orders no memory
  return __shfl_sync(full_warp, last, 0);
}

}  // namespace warpfold::arch
