// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel without a race, in the way of grid::producer_consumer: the first two of five warps hand values to each other
// at a barrier of their own, twice a step, while the others write a buffer that the two read in the next step; all meet
// at the end of each step. run.py asks racecheck about it before it believes what racecheck says of kernels whose warps
// have different tasks. Racecheck of CUDA 13.0 loses its count of barriers there: it reports the values that
// __syncthreads() hands over.
#include <cstdio>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/named_barrier.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/host/launch.cuh>

struct exchange {
  int own[64];        ///< of the two warps that exchange
  int buffer[2][96];  ///< of the others
  bool is_last;
};

/// Thread `rank` of the first two ends with its number, a 1 for each step, and what the others wrote in each step but
/// the last: the step's number. Threads of the others end with their number and 1.
__global__ void exchange_kernel(int steps, int* out) {
  auto& shared = warpfold::arch::dynamic_shared<exchange>();
  const int rank = static_cast<int>(threadIdx.x);
  int value = rank;
  for (int k = 0; k < steps; ++k) {
    if (rank < 64) {
      if (k > 0) value += shared.buffer[(k - 1) % 2][rank];
      shared.own[rank] = value;
      warpfold::arch::sync_warps<1, 64>();
      value = shared.own[63 - rank] + 1;
      warpfold::arch::sync_warps<1, 64>();
    } else shared.buffer[k % 2][rank - 64] = k;
    __syncthreads();
  }
  if (rank == 0) shared.is_last = true;
  __syncthreads();
  out[rank] = rank < 64 ? value : rank + shared.is_last;
}

int main() {
  constexpr int steps = 10, threads = 160;
  int *device_out = nullptr, out[threads];
  warpfold::check(cudaMalloc(&device_out, sizeof(out)), "cudaMalloc");
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = sizeof(exchange);
  warpfold::launch(&exchange_kernel, config, steps, device_out);
  warpfold::check(cudaMemcpy(out, device_out, sizeof(out), cudaMemcpyDefault), "cudaMemcpy");
  for (int rank = 0; rank < threads; ++rank) {
    const int expected = rank < 64 ? rank + steps + (steps - 2) * (steps - 1) / 2 : rank + 1;
    if (out[rank] != expected) return std::printf("thread %d has %d, not %d\n", rank, out[rank], expected), 1;
  }
  warpfold::check(cudaFree(device_out), "cudaFree");
}
