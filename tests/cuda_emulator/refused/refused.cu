// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that the emulator refuses must not compile, and the compiler must name it. Each mistake stands behind a macro.
#include <cuda_emulator/cuda_emulator.hpp>
#include <string>
#include <vector>

__global__ void kernel([[maybe_unused]] unsigned* out) {
#if defined(ACTIVEMASK)
  *out = __activemask();
#endif
#if defined(LEGACY_SHUFFLE)
  *out = __shfl(*out, 0);
#endif
#if defined(LEGACY_BALLOT)
  *out = __ballot(1);
#endif
#if defined(EXTERN_SHARED)
  extern __shared__ unsigned memory[];
  *out = memory[0];
#endif
}

#if defined(CLUSTER_DIMS)
__global__ void __cluster_dims__(2, 1, 1) clustered() {}
#endif

#if defined(PARAMETERS)
struct large {
  char bytes[32768];
};
__global__ void takes_string(std::string) {}
__global__ void takes_reference(unsigned& out) { out = 1; }
__global__ void takes_function(unsigned (*function)(), unsigned* out) { *out = function(); }
__global__ void takes_large(large) {}
template <class Function> __global__ void calls(Function function, unsigned* out) { *out = function(); }
unsigned one() { return 1; }
#endif

cudaError_t launch([[maybe_unused]] unsigned* out) {
#if defined(PARAMETERS)
  namespace e = cuda_emulator;
  const auto owning = [numbers = std::vector<unsigned>(3)] { return numbers[0]; };
  e::launch(calls<decltype(owning)>, cudaLaunchConfig_t{}, owning, out);
  e::launch(takes_string, cudaLaunchConfig_t{}, "text");
  e::launch(takes_reference, cudaLaunchConfig_t{}, *out);
  e::launch(takes_function, cudaLaunchConfig_t{}, &one, out);
  e::launch(takes_large, cudaLaunchConfig_t{}, large{});
#endif
  [[maybe_unused]] void* arguments[] = {&out};
  const cudaLaunchConfig_t config{};
#if defined(UNTYPED_LAUNCH)
  cudaLaunchKernel(reinterpret_cast<const void*>(&kernel), 1, 1, arguments, 0, nullptr);
#endif
#if defined(UNTYPED_LAUNCH_EX)
  cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&kernel), arguments);
#endif
  return cudaLaunchKernelEx(&config, kernel, out);
}
