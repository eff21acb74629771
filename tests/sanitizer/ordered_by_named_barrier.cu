// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel without a race: two of a block's three warps hand values to each other at a barrier of their own, step by step, at
// the end of which all three meet or do not; then all three meet, and the third reads what the first has written. run.py asks racecheck about it before it believes what racecheck
// says of kernels whose warps have different tasks: it seems to count barriers a warp, and then to find the third behind.
#include <cstdio>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/named_barrier.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/host/launch.cuh>

__global__ void exchange_kernel(int steps, bool meet_each_step, int* out) {
  auto& shared = warpfold::arch::dynamic_shared<int[65]>();
  const int rank = static_cast<int>(threadIdx.x);
  int value = rank;
  for (int k = 0; k < steps; ++k) {
    if (rank < 64) {
      shared[rank] = value;
      warpfold::arch::sync_warps<1, 64>();
      value = shared[63 - rank] + 1;
      warpfold::arch::sync_warps<1, 64>();
    }
    if (meet_each_step) __syncthreads();
  }
  if (rank == 0) shared[64] = steps;
  __syncthreads();
  out[rank] = rank < 64 ? value : rank + shared[64];
}

int main() {
  constexpr int steps = 10, threads = 96;
  int *device_out = nullptr, out[threads];
  warpfold::check(cudaMalloc(&device_out, sizeof(out)), "cudaMalloc");
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = 65 * sizeof(int);
  for (const bool meet_each_step : {false, true}) {
    warpfold::launch(&exchange_kernel, config, steps, meet_each_step, device_out);
    warpfold::check(cudaMemcpy(out, device_out, sizeof(out), cudaMemcpyDefault), "cudaMemcpy");
    for (int rank = 0; rank < threads; ++rank)
      if (out[rank] != rank + steps) return std::printf("thread %d has %d\n", rank, out[rank]), 1;
  }
  warpfold::check(cudaFree(device_out), "cudaFree");
}
