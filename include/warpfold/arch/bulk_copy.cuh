// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies from global to shared memory, by the copy engine of sm_90.
#pragma once
#include <warpfold/arch/mbarrier.cuh>
#include <warpfold/config.hpp>

namespace warpfold::arch {

/// Starts a copy of `bytes` bytes into this block's shared memory, and returns. `barrier` counts the bytes as they
/// arrive; one thread must announce them by arrive_expect_tx. Both addresses and `bytes` are multiples of 16; the
/// source is in global memory. Traps below sm_90.
__device__ inline void bulk_copy_to_shared(void* target, const void* source, unsigned bytes, mbarrier& barrier) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(target)),
               "l"(static_cast<std::uint64_t>(__cvta_generic_to_global(source))), "r"(bytes),
               "r"(shared_address(&barrier))
               : "memory");
#elif defined(__CUDACC__)
  __trap();
#else
  cuda_emulator::bulk_copy_to_shared(target, source, bytes, &barrier);
#endif
}

}  // namespace warpfold::arch
