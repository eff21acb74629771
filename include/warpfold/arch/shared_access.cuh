// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of 4, 8 and 16 bytes to shared memory, one instruction each. (On the CPU they are a memcpy, because reading
// items through a vector type breaks strict aliasing.)
#pragma once
#include <warpfold/arch/mbarrier.cuh>
#include <warpfold/arch/vector_load.cuh>

namespace warpfold::arch {

/// Copies `Bytes` from shared memory to registers. `source` must be aligned to `Bytes`; so too below.
template <int Bytes> __device__ void load_shared(const void* source, void* target) {
#if defined(__CUDA_ARCH__)
  const auto value = *static_cast<const typename vector_type<Bytes>::type*>(source);
  memcpy(target, &value, Bytes);
#else
  detail::require_aligned<Bytes>(source);
  std::memcpy(target, source, Bytes);
#endif
}

/// Copies `Bytes` from registers to shared memory.
template <int Bytes> __device__ void store_shared(void* target, const void* source) {
#if defined(__CUDA_ARCH__)
  typename vector_type<Bytes>::type value;
  memcpy(&value, source, Bytes);
  *static_cast<typename vector_type<Bytes>::type*>(target) = value;
#else
  detail::require_aligned<Bytes>(target);
  std::memcpy(target, source, Bytes);
#endif
}

/// Reads the value of a word of shared memory that other threads change meanwhile.
__device__ inline unsigned observe_shared(unsigned* word) {
#if defined(__CUDA_ARCH__)
  unsigned value;
  asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared_address(word)) : "memory");
  return value;
#elif defined(__CUDACC__)
  return 0;
#else
  return cuda_emulator::load(word);
#endif
}

}  // namespace warpfold::arch
