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
#include <cuda_emulator/endless_loop.hpp>
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

#define CUDA_EMULATOR_SEEN_ATOMIC(...)
#include <cuda_emulator/sanitized_atomics.hpp>
#undef CUDA_EMULATOR_SEEN_ATOMIC
#undef CUDA_EMULATOR_HOOK
#endif
