// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibers: stacks on one host thread, with a switch between them that takes a few nanoseconds.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#if defined(__x86_64__) && !defined(CUDA_EMULATOR_PORTABLE_FIBERS)
#define CUDA_EMULATOR_X86_64 1
#else
#include <ucontext.h>
#include <csetjmp>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define CUDA_EMULATOR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUDA_EMULATOR_ASAN 1
#endif
#endif
#if defined(CUDA_EMULATOR_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace cuda_emulator {

#if defined(CUDA_EMULATOR_ASAN)
inline constexpr std::size_t stack_bytes = 256 * 1024;
#else
inline constexpr std::size_t stack_bytes = 64 * 1024;
#endif

// The registers of a suspended stack.
struct context {
#if defined(CUDA_EMULATOR_X86_64)
  void* stack_pointer = nullptr;
  void* base_pointer = nullptr;
  void* rbx = nullptr;
  void* next_instruction = nullptr;
#else
  std::jmp_buf registers;
#endif
};

// AddressSanitizer must know these before a switch to the stack.
struct stack_bounds {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  void* fake_stack = nullptr;
};

// The optimiser must not look into the switch, because values in registers do not survive it.
#if defined(__clang__)
#define CUDA_EMULATOR_OPAQUE [[gnu::noinline]]
#else
#define CUDA_EMULATOR_OPAQUE [[gnu::noinline, gnu::noipa]]
#endif

namespace detail {

#if defined(CUDA_EMULATOR_X86_64)
// The compiler saves the registers of the clobber list. The stack and base pointers and rbx cannot be in that list, so
// this code saves them. It pushes nothing, because the compiler may keep locals below the stack pointer.
CUDA_EMULATOR_OPAQUE inline void swap_stacks(context* from, const context* to) {
  asm volatile(
      "lea 1f(%%rip), %%rax\n\t"
      "mov %%rsp, 0(%0)\n\t"
      "mov %%rbp, 8(%0)\n\t"
      "mov %%rbx, 16(%0)\n\t"
      "mov %%rax, 24(%0)\n\t"
      "mov 0(%1), %%rsp\n\t"
      "mov 8(%1), %%rbp\n\t"
      "mov 16(%1), %%rbx\n\t"
      "jmp *24(%1)\n"
      "1:\n\t"
      "endbr64\n\t"
      : "+D"(from), "+S"(to)
      :
      : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3",
        "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc",
        "memory");
}
#else
// Another name for longjmp, whose fortified form rejects jumps to another stack.
extern "C" [[noreturn]] void cuda_emulator_jump(std::jmp_buf, int) __asm__("_longjmp");

CUDA_EMULATOR_OPAQUE inline void swap_stacks(context* from, context* to) {
  if (_setjmp(from->registers) == 0) cuda_emulator_jump(to->registers, 1);
}
#endif

#if defined(CUDA_EMULATOR_ASAN)
inline constinit thread_local stack_bounds* left_stack = nullptr;
#endif

// Every stack calls this when it starts or continues.
inline void arrive_on([[maybe_unused]] const stack_bounds& self) {
#if defined(CUDA_EMULATOR_ASAN)
  __sanitizer_finish_switch_fiber(self.fake_stack, &left_stack->bottom, &left_stack->bytes);
#endif
}

}  // namespace detail

// `last` says that the caller's stack is never used again.
[[gnu::always_inline]] inline void switch_context(context& from, context& to,
                                                  [[maybe_unused]] stack_bounds& from_bounds,
                                                  [[maybe_unused]] const stack_bounds& to_bounds,
                                                  [[maybe_unused]] bool last = false) {
#if defined(CUDA_EMULATOR_ASAN)
  detail::left_stack = &from_bounds;
  __sanitizer_start_switch_fiber(last ? nullptr : &from_bounds.fake_stack, to_bounds.bottom, to_bounds.bytes);
#endif
  detail::swap_stacks(&from, &to);
  detail::arrive_on(from_bounds);
}

// Memory for stacks, each with a guard page below it. Host threads that end leave it to those that follow, because the
// system takes longer to map it than most kernels take to run.
class stack_memory {
 public:
  static std::byte* take() {
    {
      const std::lock_guard<std::mutex> lock(spare().mutex);
      if (std::vector<std::byte*>& list = spare().list; !list.empty()) {
        std::byte* const memory = list.back();
        list.pop_back();
        return memory;
      }
    }
    void* const memory = mmap(nullptr, stack_bytes + page_bytes(), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory, page_bytes(), PROT_NONE);
    return static_cast<std::byte*>(memory);
  }
  static void give_back(std::byte* memory) {
    {
      const std::lock_guard<std::mutex> lock(spare().mutex);
      if (spare().list.size() < most_spare) return spare().list.push_back(memory);
    }
    munmap(memory, stack_bytes + page_bytes());
  }
  static std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
  }

 private:
  static constexpr std::size_t most_spare = 8192;  // of some kilobytes each that have been touched
  struct spare_stacks {
    spare_stacks() { list.reserve(most_spare); }
    std::mutex mutex;
    std::vector<std::byte*> list;
  };
  // Never destroyed, because a detached thread may end after the program's last static variable.
  static spare_stacks& spare() {
    static spare_stacks& all = *new spare_stacks;
    return all;
  }
};

// A stack with a guard page below it. `run` must never return: its last act is switch_context(..., true).
class stack {
 public:
  // `colour` shifts the first frame, so that the hot frames of different stacks use different cache sets.
  stack(void (*run)(), unsigned colour) {
    bounds.bottom = memory_ + stack_memory::page_bytes();
    bounds.bytes = stack_bytes;
    prepare(run, (colour % 61) * 64);
  }
  ~stack() {
#if defined(CUDA_EMULATOR_ASAN)
    __asan_unpoison_memory_region(bounds.bottom, bounds.bytes);
#endif
    stack_memory::give_back(memory_);
  }
  stack(const stack&) = delete;
  stack& operator=(const stack&) = delete;

  context start;
  stack_bounds bounds;

 private:
#if defined(CUDA_EMULATOR_X86_64)
  void prepare(void (*run)(), std::size_t offset) {
    auto* top = reinterpret_cast<void**>(memory_ + stack_memory::page_bytes() + stack_bytes - offset);
    top[-1] = nullptr;  // the return address of `run`, where a debugger's backtrace ends
    start.stack_pointer = top - 1;
    start.next_instruction = reinterpret_cast<void*>(run);
  }
#else
  void prepare(void (*run)(), std::size_t offset) {
    ucontext_t host, fresh;
    getcontext(&fresh);
    fresh.uc_stack.ss_sp = memory_ + stack_memory::page_bytes();
    fresh.uc_stack.ss_size = stack_bytes - offset;
    fresh.uc_link = nullptr;
    boot() = {run, this, &host};
    makecontext(&fresh, &first_entry, 0);
    swapcontext(&host, &fresh);
  }
  struct boot_record {
    void (*run)();
    stack* self;
    ucontext_t* host;
  };
  static boot_record& boot() {
    static thread_local boot_record record{};
    return record;
  }
  // ucontext enters each stack once. It is too slow for more, since it restores signal masks at every switch.
  static void first_entry() {
    const boot_record record = boot();
    if (_setjmp(record.self->start.registers) == 0) setcontext(record.host);
    record.run();
  }
#endif

  std::byte* const memory_ = stack_memory::take();
};

}  // namespace cuda_emulator
