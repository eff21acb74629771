// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words in global memory by which a block tells other blocks something while the grid runs.
#pragma once
#include <warpfold/config.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::arch {

/// Publishes `value` alone: other blocks may see it before the caller's earlier writes.
__device__ inline void publish(unsigned* word, unsigned value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "r"(value) : "memory");
#elif !defined(__CUDACC__)
  cuda_emulator::store(word, value);
#endif
}

/// Reads the value that is published now.
__device__ inline unsigned observe(unsigned* word) {
#if defined(__CUDA_ARCH__)
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(word)) : "memory");
  return value;
#elif defined(__CUDACC__)
  return 0;
#else
  return cuda_emulator::load(word);
#endif
}

/// 16 bytes that other blocks see as a whole. If one of the words says that the message is there, no fence is needed.
struct alignas(16) message {
  std::uint32_t words[4];
};

/// Publishes `value` alone, as above.
__device__ inline void publish(message* target, const message& value) {
#if defined(__CUDA_ARCH__)
  asm volatile(
      "{ .reg .b64 low, high; .reg .b128 all; mov.b64 low, {%1, %2}; mov.b64 high, {%3, %4}; mov.b128 all, {low, "
      "high};\n"
      "  st.relaxed.gpu.global.b128 [%0], all; }" ::"l"(__cvta_generic_to_global(target)),
      "r"(value.words[0]), "r"(value.words[1]), "r"(value.words[2]), "r"(value.words[3])
      : "memory");
#elif defined(__CUDACC__)
  *target = value;
#else
  cuda_emulator::store_whole(target, value);
#endif
}

/// Reads the value that is published now.
__device__ inline message observe(const message* source) {
  message value;
#if defined(__CUDA_ARCH__)
  asm volatile(
      "{ .reg .b64 low, high; .reg .b128 all; ld.relaxed.gpu.global.b128 all, [%4];\n"
      "  mov.b128 {low, high}, all; mov.b64 {%0, %1}, low; mov.b64 {%2, %3}, high; }"
      : "=r"(value.words[0]), "=r"(value.words[1]), "=r"(value.words[2]), "=r"(value.words[3])
      : "l"(__cvta_generic_to_global(source))
      : "memory");
#elif defined(__CUDACC__)
  value = *source;
#else
  value = cuda_emulator::load_whole(source);
#endif
  return value;
}

/// Publishes `value`. A thread that acquires it sees what the caller wrote before, or was handed by a barrier.
__device__ inline void release(unsigned* word, unsigned value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "r"(value) : "memory");
#elif !defined(__CUDACC__)
  cuda_emulator::store(word, value, std::memory_order_release);
#endif
}

/// The value that `word` holds now, with what its writer released.
__device__ inline unsigned acquire(unsigned* word) {
#if defined(__CUDA_ARCH__)
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(word)) : "memory");
  return value;
#elif defined(__CUDACC__)
  return 0;
#else
  return cuda_emulator::load(word, std::memory_order_acquire);
#endif
}

/// For loops that wait for another block. Hundreds of blocks may poll the same few words; without a pause their reads
/// delay the writes they wait for. (The emulator lets another thread run.)
template <int Nanoseconds = 200> __device__ void pause() {
#if defined(__CUDA_ARCH__)
  __nanosleep(Nanoseconds);
#elif !defined(__CUDACC__)
  cuda_emulator::yield();
#endif
}

}  // namespace warpfold::arch
