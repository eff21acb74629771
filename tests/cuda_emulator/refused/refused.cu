// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the emulator refuses must not compile, and the compiler must name it. Each mistake stands behind a macro.
#include <warpfold/config.hpp>

__global__ void kernel([[maybe_unused]] unsigned* out) {
#if defined(ACTIVEMASK)
  *out = __activemask();
#elif defined(LEGACY_SHUFFLE)
  *out = __shfl(*out, 0);
#elif defined(LEGACY_BALLOT)
  *out = __ballot(1);
#elif defined(EXTERN_SHARED)
  extern __shared__ unsigned memory[];
  *out = memory[0];
#endif
}

#if defined(CLUSTER_DIMS)
__global__ void __cluster_dims__(2, 1, 1) clustered() {}
#endif

cudaError_t launch(unsigned* out) {
#if defined(UNTYPED_LAUNCH)
  void* arguments[] = {&out};
  return cudaLaunchKernel(reinterpret_cast<const void*>(&kernel), 1, 1, arguments, 0, nullptr);
#elif defined(UNTYPED_LAUNCH_EX)
  void* arguments[] = {&out};
  const cudaLaunchConfig_t config{};
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&kernel), arguments);
#else
  const cudaLaunchConfig_t config{};
  return cudaLaunchKernelEx(&config, kernel, out);
#endif
}
