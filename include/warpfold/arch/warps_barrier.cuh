// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier among some whole warps of a block, while the others go their own way: one of the hardware's 16 barriers.
#pragma once
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::arch {

/// Lives in shared memory (where the CPU keeps its state; the GPU's is in hardware).
class warps_barrier {
 public:
  /// One thread, once, followed by a block barrier before anyone else uses it.
  __device__ void init([[maybe_unused]] int threads) {
#if !defined(__CUDACC__)
    emulator::barrier_init(&word_, static_cast<unsigned>(threads));
#endif
  }

  /// As __syncthreads() among the `Threads` threads of the warps that call it. `Id`: 1 to 15, a block's barriers differ.
  template <int Id, int Threads> __device__ void sync() {
    static_assert(Id >= 1 && Id <= 15 && Threads % warp_lanes == 0);
#if defined(__CUDA_ARCH__)
    asm volatile("bar.sync %0, %1;" ::"n"(Id), "n"(Threads) : "memory");
#elif !defined(__CUDACC__)
    const unsigned parity = emulator::barrier_test(&word_, 0) ? 1 : 0;
    emulator::barrier_arrive(&word_);
    emulator::barrier_wait(&word_, parity);
#endif
  }

 private:
  alignas(8) std::uint64_t word_;
};

}  // namespace warpfold::arch
