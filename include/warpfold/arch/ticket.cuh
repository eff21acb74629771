// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter in global memory by which warps and blocks find out which of them comes last. Nobody waits.
#pragma once
#include <warpfold/arch/lane.cuh>

namespace warpfold::arch {

/// Counts the caller at `counter`, and returns whether it is number `expected`; the counter is then zero again. The
/// increment releases what the caller wrote or was handed by a barrier, and acquires what earlier callers released. (It
/// is one instruction with both orders: __threadfence() around an atomic is sequentially consistent, which costs more.)
__device__ inline bool arrive(unsigned* counter, unsigned expected) {
  unsigned before;
#if defined(__CUDA_ARCH__)
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter)), "r"(expected - 1)
               : "memory");
#elif defined(__CUDACC__)
  before = 0;
#else
  before = cuda_emulator::atomic_inc(counter, expected - 1, std::memory_order_acq_rel);
#endif
  return before == expected - 1;
}

/// The same for `arrivals` at once. It takes longer: the compiler joins additions of several lanes into one, although
/// there is only one lane.
__device__ inline bool arrive(unsigned* counter, unsigned arrivals, unsigned expected) {
  unsigned before;
#if defined(__CUDA_ARCH__)
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter)), "r"(arrivals)
               : "memory");
#elif defined(__CUDACC__)
  before = 0;
#else
  before = cuda_emulator::atomic_add(counter, arrivals, std::memory_order_acq_rel);
#endif
  if (before + arrivals != expected) return false;
  *counter = 0;
  return true;
}

/// arrive(counter, numbers...) for a warp. All lanes call it, and all get the answer. It releases all lanes' earlier
/// writes; afterwards all lanes see the writes that earlier warps released.
template <class... Numbers> __device__ bool warp_completes(unsigned* counter, Numbers... numbers) {
  __syncwarp();
  int last = 0;
  if (lane_id() == 0) last = arrive(counter, static_cast<unsigned>(numbers)...);
  __syncwarp();  // a shuffle alone orders no memory
  return __shfl_sync(full_warp, last, 0);
}

/// Counts the caller at `counter`, which is zero again after `expected` arrivals, and returns how many came before.
/// It releases what the caller read or was handed by a barrier. Nothing is acquired: the caller need not wait for the
/// number before it goes on.
__device__ inline unsigned count_arrival(unsigned* counter, unsigned expected) {
  unsigned before;
#if defined(__CUDA_ARCH__)
  asm volatile("atom.release.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter)), "r"(expected - 1)
               : "memory");
#elif defined(__CUDACC__)
  before = 0;
#else
  before = cuda_emulator::atomic_inc(counter, expected - 1, std::memory_order_release);
#endif
  return before;
}

/// Releases what the caller wrote, read or was handed by a barrier to those who see that it arrives later. It takes a
/// trip to memory, which the caller need not make when it arrives.
__device__ inline void fence_before_arrival() {
#if !defined(__CUDACC__)
  cuda_emulator::fence(std::memory_order_release);
#elif !defined(__CUDA_ARCH__)
#elif __CUDACC_VER_MAJOR__ >= 13
  asm volatile("fence.release.gpu;" ::: "memory");
#else
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
}

/// Acquires, for the last one to arrive, what all earlier ones released. (It does not release: a fence that does waits
/// for the caller's own writes, a trip to memory.)
__device__ inline void fence_after_arrivals() {
#if !defined(__CUDACC__)
  cuda_emulator::fence(std::memory_order_acquire);
#elif !defined(__CUDA_ARCH__)
#elif __CUDACC_VER_MAJOR__ >= 13
  asm volatile("fence.acquire.gpu;" ::: "memory");
#else
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
}

}  // namespace warpfold::arch
