// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to shared memory, one instruction each: of 4, 8 and 16 bytes, and of a word that other threads change. (On
// the CPU the former are a memcpy, because reading items through a vector type breaks strict aliasing.)
#pragma once
#include <warpfold/arch/vector_load.cuh>

namespace warpfold::arch {

/// The 32-bit address that PTX uses within shared memory.
__device__ inline unsigned shared_address([[maybe_unused]] const void* p) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
#else
  return 0;
#endif
}

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

/// Reads a word of shared memory that other threads of the block change by atomics meanwhile.
__device__ inline unsigned observe_shared([[maybe_unused]] unsigned* word) {
  unsigned value = 0;
#if defined(__CUDA_ARCH__)
  asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared_address(word)) : "memory");
#elif !defined(__CUDACC__)
  value = cuda_emulator::load(word, std::memory_order_relaxed, cuda_emulator::scope::block);
#endif
  return value;
}

}  // namespace warpfold::arch
