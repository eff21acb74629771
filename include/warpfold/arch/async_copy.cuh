// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies of a few bytes from global to shared memory: a thread starts them and goes on.
#pragma once
#include <warpfold/arch/mbarrier.cuh>
#include <warpfold/arch/shared_access.cuh>

namespace warpfold::arch {

/// Starts to copy `Bytes` bytes (4, 8 or 16) into this block's shared memory. Both addresses are multiples of `Bytes`;
/// nobody writes the source while the kernel runs. (Below sm_80 the copy is made at once.) Copies of fewer than 16
/// bytes go through the multiprocessor's cache, those of 16 only if `Caches`. Without the cache, the two halves of a
/// sector are fetched apart if lanes do not copy them to neighbouring places.
template <int Bytes = 16, bool Caches = (Bytes < 16)>
__device__ void async_copy_to_shared(void* target, const void* source) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
  static_assert(Caches || Bytes == 16);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (!Caches)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(target)),
                 "l"(__cvta_generic_to_global(source))
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(target)),
                 "l"(__cvta_generic_to_global(source)), "n"(Bytes)
                 : "memory");
#elif defined(__CUDACC__)
  typename vector_type<Bytes>::type bytes;
  load<Bytes>(source, &bytes);
  store_shared<Bytes>(target, &bytes);
#else
  cuda_emulator::async_copy_to_shared(target, source, Bytes);
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

/// Makes a group of the copies that the calling thread has started since the last one.
__device__ inline void close_async_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#elif !defined(__CUDACC__)
  cuda_emulator::close_async_copies();
#endif
}
/// Waits for the copies of all closed groups but the last `Pending`.
template <int Pending> __device__ void wait_async_groups() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#elif !defined(__CUDACC__)
  cuda_emulator::wait_async_copies(Pending);
#endif
}

}  // namespace warpfold::arch
