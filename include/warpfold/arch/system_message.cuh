// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages of 16 bytes between devices, in the memory of either, and the clock by which a wait for one ends.
#pragma once
#include <warpfold/arch/published.cuh>

namespace warpfold::arch {

/// Publishes `value` alone to all devices that reach `target`. They see its 16 bytes as a whole, so no fence is needed
/// if one of the words says that the message is there.
__device__ inline void publish_to_system(message* target, const message& value) {
#if defined(__CUDA_ARCH__)
  asm volatile(
      "{ .reg .b64 low, high; .reg .b128 all; mov.b64 low, {%1, %2}; mov.b64 high, {%3, %4}; mov.b128 all, {low, "
      "high};\n"
      "  st.relaxed.sys.global.b128 [%0], all; }" ::"l"(__cvta_generic_to_global(target)),
      "r"(value.words[0]), "r"(value.words[1]), "r"(value.words[2]), "r"(value.words[3])
      : "memory");
#elif defined(__CUDACC__)
  *target = value;
#else  // host threads see 8 bytes as a whole: the half with the first word is written last, and read first
  std::uint64_t half[2];
  static_assert(sizeof half == sizeof value);
  __builtin_memcpy(half, &value, sizeof half);
  cuda_emulator::store(reinterpret_cast<std::uint64_t*>(target) + 1, half[1], std::memory_order_release);
  cuda_emulator::store(reinterpret_cast<std::uint64_t*>(target), half[0], std::memory_order_release);
#endif
}

/// Reads what a device has published.
__device__ inline message observe_from_system(const message* source) {
  message value;
#if defined(__CUDA_ARCH__)
  asm volatile(
      "{ .reg .b64 low, high; .reg .b128 all; ld.relaxed.sys.global.b128 all, [%4];\n"
      "  mov.b128 {low, high}, all; mov.b64 {%0, %1}, low; mov.b64 {%2, %3}, high; }"
      : "=r"(value.words[0]), "=r"(value.words[1]), "=r"(value.words[2]), "=r"(value.words[3])
      : "l"(__cvta_generic_to_global(source))
      : "memory");
#elif defined(__CUDACC__)
  value = *source;
#else
  std::uint64_t half[2];
  half[0] = cuda_emulator::load(reinterpret_cast<const std::uint64_t*>(source), std::memory_order_acquire);
  half[1] = cuda_emulator::load(reinterpret_cast<const std::uint64_t*>(source) + 1, std::memory_order_acquire);
  __builtin_memcpy(&value, half, sizeof half);
#endif
  return value;
}

/// Time in nanoseconds from some instant on. The clock may stand still for a microsecond.
__device__ inline std::uint64_t nanoseconds() {
#if defined(__CUDA_ARCH__)
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
#elif defined(__CUDACC__)
  return 0;
#else
  return static_cast<std::uint64_t>(clock64());
#endif
}

}  // namespace warpfold::arch
