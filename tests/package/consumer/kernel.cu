// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel without Warpfold. The file is compiled with and without nvcc.
#include <cuda_emulator/cuda_emulator.hpp>

#if !defined(ADDED)
#define ADDED 40
#endif

__global__ void add(int* out, int value) { atomicAdd(out, value + ADDED - 1); }

// 2 threads add 1 + ADDED each.
int add_in_two_threads() {
  int* out = nullptr;
  int result = -1;
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.blockDim.x = 2;
  if (cudaMalloc(reinterpret_cast<void**>(&out), sizeof(int)) != cudaSuccess) return -1;
  if (cudaMemset(out, 0, sizeof(int)) != cudaSuccess) return -1;
  if (cudaLaunchKernelEx(&config, add, out, 2) != cudaSuccess) return -1;
  if (cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDefault) != cudaSuccess) return -1;
  cudaFree(out);
  return result;
}
