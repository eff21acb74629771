// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel without a race: two of a block's three warps hand values to each other at a barrier of their own. run.py asks
// racecheck about it before it believes what racecheck says of kernels whose warps have different tasks.
#include <cstdio>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/named_barrier.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/dispatch/launch.cuh>

__global__ void exchange_kernel(int steps, int* out) {
  auto& shared = warpfold::arch::dynamic_shared<int[64]>();
  const int rank = static_cast<int>(threadIdx.x);
  int value = rank;
  if (rank < 64) {
    for (int k = 0; k < steps; ++k) {
      shared[rank] = value;
      warpfold::arch::sync_warps<1, 64>();
      value = shared[63 - rank] + 1;
      warpfold::arch::sync_warps<1, 64>();
    }
  }
  __syncthreads();
  out[rank] = value;
}

int main() {
  constexpr int steps = 10, threads = 96;
  int *device_out = nullptr, out[threads];
  warpfold::check(cudaMalloc(&device_out, sizeof(out)), "cudaMalloc");
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = 64 * sizeof(int);
  warpfold::launch(&exchange_kernel, config, steps, device_out);
  warpfold::check(cudaMemcpy(out, device_out, sizeof(out), cudaMemcpyDefault), "cudaMemcpy");
  warpfold::check(cudaFree(device_out), "cudaFree");
  for (int rank = 0; rank < threads; ++rank)
    if (out[rank] != (rank < 64 ? rank + steps : rank)) return std::printf("thread %d has %d\n", rank, out[rank]), 1;
}
