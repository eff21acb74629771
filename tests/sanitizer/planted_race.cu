// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel written to be wrong: a barrier is missing between a write and another thread's read of shared memory.
// run.py shows with it that racecheck sees races on this machine, before it is asked about Warpfold.
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/host/launch.cuh>

__global__ void race_kernel(int* out) {
  auto& shared = warpfold::arch::dynamic_shared<int[64]>();
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = shared[63 - threadIdx.x];
}

int main() {
  int* out = nullptr;
  warpfold::check(cudaMalloc(&out, 64 * sizeof(int)), "cudaMalloc");
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  config.dynamicSmemBytes = 64 * sizeof(int);
  warpfold::launch(&race_kernel, config, out);
  warpfold::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  warpfold::check(cudaFree(out), "cudaFree");
}
