// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditions that only device code can check, in builds with WARPFOLD_CHECKS (config.hpp).
#pragma once
#include <warpfold/config.hpp>

#if WARPFOLD_CHECKS
#include <stdio.h>  // printf, the device's too
#endif

namespace warpfold::arch {

namespace detail {
__device__ inline const char* printable(const char* name) { return name; }
__device__ inline long long printable(long long number) { return number; }
}  // namespace detail

/// Stops the kernel with a message unless `holds`, in builds with WARPFOLD_CHECKS. Costs nothing in others. `format`
/// and `values` are those of printf; the values are numbers of 64 bits (%lld) and names (%s). On a GPU the process
/// loses its CUDA context (__trap); in the emulator the launch throws.
template <class... Values>
__device__ void require([[maybe_unused]] bool holds, [[maybe_unused]] const char* format,
                        [[maybe_unused]] Values... values) {
#if WARPFOLD_CHECKS
  if (holds) return;
#if defined(__CUDACC__)
  printf("warpfold: ");
  printf(format, detail::printable(values)...);
  printf(" (block %d, thread %d)\n", static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x));
  __trap();
#else
  char message[256];
  if constexpr (sizeof...(Values) == 0) snprintf(message, sizeof message, "%s", format);
  else snprintf(message, sizeof message, format, detail::printable(values)...);
  cuda_emulator::stop_kernel(message);
#endif
#endif
}

}  // namespace warpfold::arch
