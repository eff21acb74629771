// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the emulator refuses must not compile, and the compiler must name it. Each mistake stands behind a macro.
#include <cuda_emulator/cuda_emulator.hpp>
#include <string>
#include <vector>

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

#if defined(HOST_STATE_IN_ARGUMENT)
__global__ void takes_string(std::string) {}
#elif defined(OWNING_CAPTURE)
template <class Function> __global__ void calls(Function function, unsigned* out) { *out = function(); }
#elif defined(REFERENCE_PARAMETER)
__global__ void takes_reference(unsigned& out) { out = 1; }
#elif defined(HOST_FUNCTION_ARGUMENT)
__global__ void calls(unsigned (*function)(), unsigned* out) { *out = function(); }
unsigned one() { return 1; }
#elif defined(LARGE_ARGUMENT)
struct large {
  char bytes[32768];
};
__global__ void takes_large(large) {}
#endif

cudaError_t launch([[maybe_unused]] unsigned* out) {
#if defined(HOST_STATE_IN_ARGUMENT)
  return cuda_emulator::launch(takes_string, cudaLaunchConfig_t{}, "text");
#elif defined(OWNING_CAPTURE)
  const auto owning = [numbers = std::vector<unsigned>(3)] { return numbers[0]; };
  return cuda_emulator::launch(calls<decltype(owning)>, cudaLaunchConfig_t{}, owning, out);
#elif defined(REFERENCE_PARAMETER)
  return cuda_emulator::launch(takes_reference, cudaLaunchConfig_t{}, *out);
#elif defined(HOST_FUNCTION_ARGUMENT)
  return cuda_emulator::launch(calls, cudaLaunchConfig_t{}, &one, out);
#elif defined(LARGE_ARGUMENT)
  return cuda_emulator::launch(takes_large, cudaLaunchConfig_t{}, large{});
#elif defined(UNTYPED_LAUNCH)
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
