// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches a kernel, on the GPU or in the emulator.
#pragma once
#include <utility>
#include <warpfold/error.hpp>

namespace warpfold {
inline namespace v1 WARPFOLD_HIDDEN {

/// Enqueues kernel(args...) as `config` says. Throws cuda_error where CUDA refuses it. The arguments are converted to the
/// kernel's parameter types.
template <class... Parameters, class... Args>
void launch(void (*kernel)(Parameters...), const cudaLaunchConfig_t& config, Args&&... args) {
#if defined(__CUDACC__)
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...), "cudaLaunchKernelEx");
#else
  check(emulator::launch(kernel, config, std::forward<Args>(args)...), "cudaLaunchKernelEx");
#endif
}

}  // namespace v1
}  // namespace warpfold
