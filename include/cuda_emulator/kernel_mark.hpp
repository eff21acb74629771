// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds launches of functions without `__global__`, in programs that define CUDA_EMULATOR_MARK_KERNELS. C++20 cannot
// ask a function for an attribute, so the keyword leaves a mark: 8 one-byte no-operations in front of the function's
// first instruction, where compilers put none by themselves. Not by default: GCC 12 also notes the marked functions in
// a section of the object file that cannot be linked where another object holds the same kernel template.
#pragma once

#include <cuda_emulator/symbols.hpp>

#include <cuda_runtime.h>

#include <cstring>

#undef __global__
#if defined(CUDA_EMULATOR_MARK_KERNELS) && defined(__x86_64__) && defined(__has_attribute)
#if __has_attribute(patchable_function_entry)
#define CUDA_EMULATOR_MARKS_KERNELS 1
#endif
#endif
#if defined(CUDA_EMULATOR_MARKS_KERNELS)
#define __global__ __attribute__((patchable_function_entry(8, 8)))
#else
#define __global__
#endif

namespace cuda_emulator::detail {

/// Whether `function` is certainly no kernel. An address without a symbol may be a linker's stub that jumps to a
/// kernel.
inline bool lacks_global(const void* function) {
#if defined(CUDA_EMULATOR_MARKS_KERNELS)
  static constexpr unsigned char mark[8] = {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90};
  const auto* code = static_cast<const unsigned char*>(function);
  asm("" : "+r"(code));  // compilers take a function for an object of one byte, and warn about the bytes in front of it
  return std::memcmp(code - sizeof mark, mark, sizeof mark) != 0 && !symbol_of(function).empty();
#else
  static_cast<void>(function);
  return false;
#endif
}

}  // namespace cuda_emulator::detail
