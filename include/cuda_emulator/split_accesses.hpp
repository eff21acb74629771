// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain accesses at which other threads may run, so that `*count = *count + 1` by two threads may lose one.
//
// -fsanitize=thread has the compiler call a function before each plain access. This file defines these functions in
// place of ThreadSanitizer's library, which is not linked. Before an access of memory that threads share, drawn from
// the seed, they let other threads run. They also check that the address suits the type.
//
// The compiler takes these functions for ones that do not throw. So when a kernel fails, a thread that stands at an
// access goes on to the next call of the emulator, and is unwound from there. A thread whose access is the fault is
// given up, and its destructors do not run.
#pragma once

#include <cuda_emulator/undivided.hpp>

#if defined(CUDA_EMULATOR_SPLIT_ACCESSES)
#include <cuda_emulator/polling.hpp>

#include <cstddef>
#include <cstdint>

namespace cuda_emulator {

inline bool scheduler::shares(const void* address) {
  bool found = false;
  visit_memory([&](const std::byte* first, std::size_t bytes) {
    found |= static_cast<const std::byte*>(address) >= first && static_cast<const std::byte*>(address) < first + bytes;
  });
  return found;
}

// Like fail, but it throws nothing and does not unwind the thread.
inline void scheduler::abandon(fault kind, const std::string& message) {
  try {
    stop(kind, message);
  } catch (const error&) {}
  thread& self = *current_thread;
  self.exited = true;
  self.on->abandoned = true;
  to_host(self.suspended, self.on->body.bounds, true);
  std::abort();
}

inline void scheduler::split() {
  thread& self = *current_thread;
  wake(self);
  thread* next = pick();
  if (next == &self) return;
  if (next != nullptr) resume(*next, self.suspended, self.on->body.bounds);
  else to_host(self.suspended, self.on->body.bounds);
}

namespace detail {

// The compiler also instruments this function, so it would call itself: `undivided` prevents that.
[[gnu::noinline]] inline void before_access(const void* address, std::size_t alignment_bytes, bool is_due) {
  const undivided whole;
  scheduler& s = *current_scheduler;
  const std::size_t past = reinterpret_cast<std::uintptr_t>(address) % alignment_bytes;
  if (past != 0)
    s.abandon(fault::misaligned,
              text("a plain access, ", past, " bytes past a multiple of its alignment, ", alignment_bytes, " bytes"));
  if (s.unwinding()) return;
  if (is_due && s.draw_next_split() && s.shares(address)) s.split();
}

[[gnu::no_sanitize("thread"), gnu::always_inline]] inline void access(const void* address,
                                                                      std::size_t alignment_bytes) {
  if (!in_kernel_code) return;
  const bool is_due = --current_scheduler->until_split == 0;
  if (is_due || (reinterpret_cast<std::uintptr_t>(address) & (alignment_bytes - 1)) != 0)
    before_access(address, alignment_bytes, is_due);
}

}  // namespace detail
}  // namespace cuda_emulator

#define CUDA_EMULATOR_HOOK extern "C" [[gnu::used, gnu::no_sanitize("thread")]] inline
// GCC calls these for types of this alignment. It calls those of 16 bytes for two words of 8 bytes, too.
#define CUDA_EMULATOR_ACCESS(name, alignment_bytes) \
  CUDA_EMULATOR_HOOK void __tsan_##name(void* address) { cuda_emulator::detail::access(address, alignment_bytes); }
CUDA_EMULATOR_ACCESS(read1, 1)
CUDA_EMULATOR_ACCESS(read2, 2)
CUDA_EMULATOR_ACCESS(read4, 4)
CUDA_EMULATOR_ACCESS(read8, 8)
CUDA_EMULATOR_ACCESS(read16, 8)
CUDA_EMULATOR_ACCESS(write1, 1)
CUDA_EMULATOR_ACCESS(write2, 2)
CUDA_EMULATOR_ACCESS(write4, 4)
CUDA_EMULATOR_ACCESS(write8, 8)
CUDA_EMULATOR_ACCESS(write16, 8)
#undef CUDA_EMULATOR_ACCESS
CUDA_EMULATOR_HOOK void __tsan_read_range(void* address, long) { cuda_emulator::detail::access(address, 1); }
CUDA_EMULATOR_HOOK void __tsan_write_range(void* address, long) { cuda_emulator::detail::access(address, 1); }

CUDA_EMULATOR_HOOK void __tsan_init() {}
CUDA_EMULATOR_HOOK void __tsan_func_entry(void*) {}
CUDA_EMULATOR_HOOK void __tsan_func_exit(void*) {}
CUDA_EMULATOR_HOOK void __tsan_vptr_update(void*, void*) {}
CUDA_EMULATOR_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CUDA_EMULATOR_HOOK void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// Atomics are calls, too. They are as they would be without the sanitizer, but sequentially consistent.
#define CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, change)                                       \
  CUDA_EMULATOR_HOOK word __tsan_atomic##bits##_##change(volatile void* p, word value, int) { \
    return __atomic_##change(static_cast<volatile word*>(p), value, __ATOMIC_SEQ_CST);        \
  }
#define CUDA_EMULATOR_ATOMIC_EXCHANGE(bits, word, strength, weak)                                                   \
  CUDA_EMULATOR_HOOK bool __tsan_atomic##bits##_compare_exchange_##strength(volatile void* p, void* expected,       \
                                                                            word desired, int, int) {               \
    return __atomic_compare_exchange_n(static_cast<volatile word*>(p), static_cast<word*>(expected), desired, weak, \
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                                         \
  }
#define CUDA_EMULATOR_ATOMICS(bits, word)                                                     \
  CUDA_EMULATOR_HOOK word __tsan_atomic##bits##_load(const volatile void* p, int) {           \
    return __atomic_load_n(static_cast<const volatile word*>(p), __ATOMIC_SEQ_CST);           \
  }                                                                                           \
  CUDA_EMULATOR_HOOK void __tsan_atomic##bits##_store(volatile void* p, word value, int) {    \
    __atomic_store_n(static_cast<volatile word*>(p), value, __ATOMIC_SEQ_CST);                \
  }                                                                                           \
  CUDA_EMULATOR_HOOK word __tsan_atomic##bits##_exchange(volatile void* p, word value, int) { \
    return __atomic_exchange_n(static_cast<volatile word*>(p), value, __ATOMIC_SEQ_CST);      \
  }                                                                                           \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_add)                                          \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_sub)                                          \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_and)                                          \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_or)                                           \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_xor)                                          \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_nand)                                         \
  CUDA_EMULATOR_ATOMIC_EXCHANGE(bits, word, strong, false)                                    \
  CUDA_EMULATOR_ATOMIC_EXCHANGE(bits, word, weak, true)
CUDA_EMULATOR_ATOMICS(8, unsigned char)
CUDA_EMULATOR_ATOMICS(16, unsigned short)
CUDA_EMULATOR_ATOMICS(32, unsigned)
CUDA_EMULATOR_ATOMICS(64, unsigned long)
#undef CUDA_EMULATOR_ATOMICS
#undef CUDA_EMULATOR_ATOMIC_EXCHANGE
#undef CUDA_EMULATOR_ATOMIC_CHANGE
#undef CUDA_EMULATOR_HOOK
#endif
