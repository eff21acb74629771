// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies of 16 bytes from global to shared memory: a thread starts them and goes on.
#pragma once
#include <warpfold/arch/mbarrier.cuh>
#include <warpfold/arch/shared_access.cuh>

namespace warpfold::arch {

/// Starts to copy 16 bytes into this block's shared memory. Both addresses are multiples of 16; nobody writes the
/// source while the kernel runs. (Below sm_80 the copy is made at once.)
__device__ inline void async_copy_to_shared(void* target, const void* source) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(target)),
               "l"(__cvta_generic_to_global(source))
               : "memory");
#elif defined(__CUDACC__)
  uint4 bytes;
  load<16>(source, &bytes);
  store_shared<16>(target, &bytes);
#else
  cuda_emulator::async_copy_to_shared(target, source);
#endif
}

/// Returns once the calling thread's copies have been made; others see them after a barrier.
__device__ inline void wait_async_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#elif !defined(__CUDACC__)
  cuda_emulator::wait_async_copies();
#endif
}

}  // namespace warpfold::arch
