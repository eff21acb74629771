// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter in global memory by which blocks find out who comes last.
#pragma once
#include <warpfold/arch/lane.cuh>

namespace warpfold::arch {

/// Counts the caller at `ticket`, and says whether it is number `count`, upon which the counter is zero again. Releases
/// what the caller wrote or was handed by a barrier, and acquires what earlier callers released. (One instruction with
/// both orders: __threadfence() around an atomic would be sequentially consistent, which costs more.)
__device__ inline bool take_ticket(unsigned* ticket, unsigned count) {
#if defined(__CUDA_ARCH__)
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(ticket)), "r"(count - 1)
               : "memory");
  return before == count - 1;
#else
  return atomicInc(ticket, count - 1) == count - 1;
#endif
}

/// Adds `arrivals` at `counter`, and says whether that makes `expected`, upon which the counter is zero again. Orders
/// memory as take_ticket does.
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

/// arrive for a warp, all lanes of which call it and get the answer: what they wrote before is released, what others did is
/// visible to all of them after.
__device__ inline bool warp_completes(unsigned* counter, std::int64_t arrivals, std::int64_t expected) {
  __syncwarp();
  int last = 0;
  if (lane_id() == 0) last = arrive(counter, static_cast<unsigned>(arrivals), static_cast<unsigned>(expected));
  __syncwarp();  // a shuffle alone orders no memory
  return __shfl_sync(full_warp, last, 0);
}

}  // namespace warpfold::arch
