// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that -fsanitize=thread has the compiler call, in place of ThreadSanitizer's library: each plain access,
// each call of a function, and std::atomic. memcpy, memmove and memset are functions of this file in the whole program,
// since they access memory, too.
#pragma once

#include <cuda_emulator/races/undefined_behaviour.hpp>

#if defined(CUDA_EMULATOR_RACES)

namespace cuda_emulator::races::detail {

// Memory of the thread itself is nobody else's.
[[gnu::no_sanitize("thread"), gnu::always_inline]] inline bool is_on_stack(const void* address) {
  const stack_bounds& bounds = current_thread->on->body.bounds;
  return static_cast<std::size_t>(static_cast<const char*>(address) - static_cast<const char*>(bounds.bottom)) <
         bounds.bytes;
}
[[gnu::no_sanitize("thread"), gnu::noinline]] inline void shared_access(const void* address, std::size_t bytes,
                                                                        unsigned kind, const void* place) {
  cuda_emulator::detail::in_kernel_code = false;
  thread& t = *current_thread;
  current->take({reinterpret_cast<std::uintptr_t>(address), bytes, static_cast<std::uint8_t>(kind),
                 current->calls().child(t.race.calls, place), &t.race, t.race.who, t.race.stamp});
  cuda_emulator::detail::in_kernel_code = true;
}
[[gnu::no_sanitize("thread"), gnu::always_inline]] inline void seen(const void* address, std::size_t bytes,
                                                                    unsigned kind, const void* place) {
  if (!cuda_emulator::detail::in_kernel_code || is_on_stack(address)) return;
  shared_access(address, bytes, kind, place);
}
// GCC announces 16 bytes for two words of 8 bytes, too.
[[gnu::no_sanitize("thread"), gnu::always_inline]] inline void seen_aligned(const void* address, std::size_t bytes,
                                                                            unsigned kind, const void* place) {
  const std::size_t alignment_bytes = bytes < 8 ? bytes : 8;
  if (cuda_emulator::detail::in_kernel_code && reinterpret_cast<std::uintptr_t>(address) % alignment_bytes != 0)
    misaligned(address, alignment_bytes, place);
  seen(address, bytes, kind, place);
}
// std::atomic and volatile have the scope of the system.
[[gnu::no_sanitize("thread")]] inline void seen_strong(const volatile void* address, std::size_t bytes, bool reads,
                                                       bool is_write, int order, const void* place) {
  if (!cuda_emulator::detail::in_kernel_code || is_on_stack(const_cast<const void*>(address))) return;
  cuda_emulator::detail::in_kernel_code = false;
  strong_access_at(address, bytes, reads, is_write, static_cast<std::memory_order>(order & 0xFF), scope::device, place);
  cuda_emulator::detail::in_kernel_code = true;
}

}  // namespace cuda_emulator::races::detail

#define CUDA_EMULATOR_HOOK extern "C" [[gnu::used, gnu::no_sanitize("thread")]] inline
#define CUDA_EMULATOR_ACCESS(bytes)                                                             \
  CUDA_EMULATOR_HOOK void __tsan_read##bytes(void* address) {                                   \
    cuda_emulator::races::detail::seen_aligned(address, bytes, 0, __builtin_return_address(0)); \
  }                                                                                             \
  CUDA_EMULATOR_HOOK void __tsan_write##bytes(void* address) {                                  \
    cuda_emulator::races::detail::seen_aligned(address, bytes, cuda_emulator::races::writes,    \
                                               __builtin_return_address(0));                    \
  }                                                                                             \
  CUDA_EMULATOR_HOOK void __tsan_volatile_read##bytes(void* address) {                          \
    cuda_emulator::races::detail::seen_strong(address, bytes, true, false, __ATOMIC_RELAXED,    \
                                              __builtin_return_address(0));                     \
  }                                                                                             \
  CUDA_EMULATOR_HOOK void __tsan_volatile_write##bytes(void* address) {                         \
    cuda_emulator::races::detail::seen_strong(address, bytes, false, true, __ATOMIC_RELAXED,    \
                                              __builtin_return_address(0));                     \
  }
CUDA_EMULATOR_ACCESS(1)
CUDA_EMULATOR_ACCESS(2)
CUDA_EMULATOR_ACCESS(4)
CUDA_EMULATOR_ACCESS(8)
CUDA_EMULATOR_ACCESS(16)
#undef CUDA_EMULATOR_ACCESS
CUDA_EMULATOR_HOOK void __tsan_read_range(void* address, long bytes) {
  cuda_emulator::races::detail::seen(address, static_cast<std::size_t>(bytes), 0, __builtin_return_address(0));
}
CUDA_EMULATOR_HOOK void __tsan_write_range(void* address, long bytes) {
  cuda_emulator::races::detail::seen(address, static_cast<std::size_t>(bytes), cuda_emulator::races::writes,
                                     __builtin_return_address(0));
}

CUDA_EMULATOR_HOOK void __tsan_init() {}
CUDA_EMULATOR_HOOK void __tsan_func_entry(void* caller) {
  if (!cuda_emulator::detail::in_kernel_code) return;
  auto& state = cuda_emulator::current_thread->race;
  cuda_emulator::detail::in_kernel_code = false;
  state.calls = cuda_emulator::races::current->calls().child(state.calls, caller);
  cuda_emulator::detail::in_kernel_code = true;
}
CUDA_EMULATOR_HOOK void __tsan_func_exit(void*) {
  if (!cuda_emulator::detail::in_kernel_code) return;
  auto& state = cuda_emulator::current_thread->race;
  cuda_emulator::detail::in_kernel_code = false;
  state.calls = cuda_emulator::races::current->calls().parent(state.calls);
  cuda_emulator::detail::in_kernel_code = true;
}
CUDA_EMULATOR_HOOK void __tsan_vptr_update(void*, void*) {}
CUDA_EMULATOR_HOOK void __tsan_atomic_thread_fence(int order) {
  if (cuda_emulator::detail::in_kernel_code)
    cuda_emulator::races::fence(static_cast<std::memory_order>(order), cuda_emulator::races::scope::device);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
CUDA_EMULATOR_HOOK void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// Byte by byte in one instruction, which the compiler does not replace by a call of the function itself.
CUDA_EMULATOR_HOOK void* cuda_emulator_memcpy(void* to, const void* from, std::size_t bytes) __asm__("memcpy");
CUDA_EMULATOR_HOOK void* cuda_emulator_memcpy(void* to, const void* from, std::size_t bytes) {
  cuda_emulator::races::detail::seen(from, bytes, 0, __builtin_return_address(0));
  cuda_emulator::races::detail::seen(to, bytes, cuda_emulator::races::writes, __builtin_return_address(0));
  void* const result = to;
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
  return result;
}
CUDA_EMULATOR_HOOK void* cuda_emulator_memmove(void* to, const void* from, std::size_t bytes) __asm__("memmove");
CUDA_EMULATOR_HOOK void* cuda_emulator_memmove(void* to, const void* from, std::size_t bytes) {
  cuda_emulator::races::detail::seen(from, bytes, 0, __builtin_return_address(0));
  cuda_emulator::races::detail::seen(to, bytes, cuda_emulator::races::writes, __builtin_return_address(0));
  void* const result = to;
  if (static_cast<std::size_t>(static_cast<char*>(to) - static_cast<const char*>(from)) >= bytes) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
  } else {
    to = static_cast<char*>(to) + bytes - 1;
    from = static_cast<const char*>(from) + bytes - 1;
    asm volatile("std; rep movsb; cld" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
  }
  return result;
}
CUDA_EMULATOR_HOOK void* cuda_emulator_memset(void* to, int value, std::size_t bytes) __asm__("memset");
CUDA_EMULATOR_HOOK void* cuda_emulator_memset(void* to, int value, std::size_t bytes) {
  cuda_emulator::races::detail::seen(to, bytes, cuda_emulator::races::writes, __builtin_return_address(0));
  void* const result = to;
  asm volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
  return result;
}

#define CUDA_EMULATOR_SEEN_ATOMIC(...) \
  cuda_emulator::races::detail::seen_strong(__VA_ARGS__, __builtin_return_address(0))
#include <cuda_emulator/sanitized_atomics.hpp>
#undef CUDA_EMULATOR_SEEN_ATOMIC
#undef CUDA_EMULATOR_HOOK
#endif
