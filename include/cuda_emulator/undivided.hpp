// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks code that other threads never see half done. It matters where plain accesses are split (split_accesses.hpp).
#pragma once

/// Defined: threads also switch between plain accesses of kernels. The same in all translation units of a program.
/// cuda_emulate(target SPLIT_ACCESSES) defines it, with the options that it needs.
///
/// CUDA_EMULATOR_RACES, in the same way: plain accesses that race are found (races/detector.hpp). It needs
/// -fno-builtin-memcpy, -fno-builtin-memmove and -fno-builtin-memset, too.
#if defined(CUDA_EMULATOR_SPLIT_ACCESSES) && defined(CUDA_EMULATOR_RACES)
#error "cuda_emulator: CUDA_EMULATOR_SPLIT_ACCESSES and CUDA_EMULATOR_RACES are two modes: choose one"
#endif
#if defined(CUDA_EMULATOR_SPLIT_ACCESSES) || defined(CUDA_EMULATOR_RACES)
#define CUDA_EMULATOR_SEES_ACCESSES 1
#if !defined(__SANITIZE_THREAD__) || defined(__clang__)
#error "cuda_emulator: to see plain accesses needs GCC, with -fsanitize=thread to compile and without it to link"
#endif
#endif

// Functions whose accesses and calls the compiler does not announce.
#if defined(CUDA_EMULATOR_SEES_ACCESSES)
#define CUDA_EMULATOR_UNSEEN [[gnu::no_sanitize("thread")]]
#else
#define CUDA_EMULATOR_UNSEEN
#endif

namespace cuda_emulator {

#if defined(CUDA_EMULATOR_SEES_ACCESSES)
namespace detail {
// Whether plain accesses of this host thread are a kernel's. Fibers switch only where it is false.
inline constinit thread_local bool in_kernel_code = false;

class kernel_code {
 public:
  explicit kernel_code(bool now) : before_(in_kernel_code) { set(now); }
  ~kernel_code() { set(before_); }
  kernel_code(const kernel_code&) = delete;
  kernel_code& operator=(const kernel_code&) = delete;

 private:
  // GCC takes the call at a function's end for one that reads no memory, and would write behind it.
  static void set(bool value) {
    in_kernel_code = value;
    asm volatile("" : : : "memory");
  }

  bool before_;
};
}  // namespace detail

/// While this lives, no other thread runs between two plain accesses of the caller. For the emulator's own functions,
/// and for functions of libraries that stand for one instruction.
class undivided : detail::kernel_code {
 public:
  undivided() : kernel_code(false) {}
};
#else
namespace detail {
struct kernel_code {
  explicit constexpr kernel_code(bool) {}
  ~kernel_code() {}  // not trivial, so that it counts as used
};
}  // namespace detail
struct undivided {
  constexpr undivided() {}
  ~undivided() {}
};
#endif

}  // namespace cuda_emulator
