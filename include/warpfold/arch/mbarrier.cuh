// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mbarrier of sm_90: a barrier object in shared memory that threads and bulk copies arrive at.
#pragma once
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/config.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::arch {

/// Lives in shared memory. Phase n (from 0) is complete once `count` arrivals have been made in it and all the bytes
/// that they announced have been copied; then phase n + 1 begins. A waiter names the parity of its phase.
/// Traps below sm_90.
class mbarrier {
 public:
  /// One thread, once, followed by fence_mbarrier_init() and a block (or cluster) barrier before anyone else uses it.
  __device__ void init(unsigned count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&word_)), "r"(count) : "memory");
#elif defined(__CUDACC__)
    __trap();
#else
    cuda_emulator::barrier_init(&word_, count);
#endif
  }

  /// Makes the memory free for other use. One thread, after all others are done with the barrier.
  __device__ void invalidate() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&word_)) : "memory");
#elif defined(__CUDACC__)
    __trap();
#else
    cuda_emulator::barrier_invalidate(&word_);
#endif
  }

  /// One arrival; releases the caller's earlier writes to those who wait.
  __device__ void arrive() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.release.cta.shared::cta.b64 state, [%0];\n\t}" ::"r"(
                     shared_address(&word_))
                 : "memory");
#elif defined(__CUDACC__)
    __trap();
#else
    cuda_emulator::barrier_arrive(&word_);
#endif
  }

  /// One arrival that announces `bytes` of bulk copies in this phase; 2^20 - 1 at most may be outstanding.
  __device__ void arrive_expect_tx(unsigned bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [%0], %1;\n\t}" ::"r"(
            shared_address(&word_)),
        "r"(bytes)
        : "memory");
#elif defined(__CUDACC__)
    __trap();
#else
    cuda_emulator::barrier_arrive(&word_, bytes);
#endif
  }

  /// Whether the phase of this parity is complete, after waiting for it a while.
  __device__ bool try_wait_parity(unsigned parity) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned complete;
    asm volatile(
        "{\n\t.reg .pred complete;\n\t"
        "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 complete, [%1], %2;\n\t"
        "selp.b32 %0, 1, 0, complete;\n\t}"
        : "=r"(complete)
        : "r"(shared_address(&word_)), "r"(parity)
        : "memory");
    return complete != 0;
#elif defined(__CUDACC__)
    __trap();
    return false;
#else
    return cuda_emulator::barrier_try_wait(&word_, parity);
#endif
  }

  /// Returns once the phase of this parity is complete; what its arrivals released and its copies wrote is visible.
  __device__ void wait_parity(unsigned parity) {
#if defined(__CUDACC__)
    while (!try_wait_parity(parity)) {}
#else
    cuda_emulator::barrier_wait(&word_, parity);
#endif
  }

 private:
  alignas(8) std::uint64_t word_;
};

/// Makes an init visible to the cluster and to bulk copies. By the thread that called init.
__device__ inline void fence_mbarrier_init() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// Orders ordinary accesses of shared memory before later bulk copies into it. By the threads that made them.
__device__ inline void fence_proxy_async() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#elif !defined(__CUDACC__)
  cuda_emulator::fence_proxy_async();
#endif
}

}  // namespace warpfold::arch
