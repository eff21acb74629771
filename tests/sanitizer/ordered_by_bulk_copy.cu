// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel without a race: what a bulk copy writes is read after its mbarrier's phase, and written over after all readers
// have arrived. run.py asks racecheck about it before it believes what racecheck says of kernels with bulk copies.
#include <cstdio>
#include <numeric>
#include <vector>
#include <warpfold/arch/bulk_copy.cuh>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/dispatch/launch.cuh>

struct ring {
  alignas(16) int stage[2][32];
  warpfold::arch::mbarrier full[2], empty[2];
};

/// Warp 0 fills, warp 1 reads.
__global__ void sum_kernel(const int* items, int steps, int* out) {
  auto& shared = warpfold::arch::dynamic_shared<ring>();
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; ++s) shared.full[s].init(1), shared.empty[s].init(32);
    warpfold::arch::fence_mbarrier_init();
  }
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < steps; ++k) {
    const int s = k % 2, phase = k / 2 % 2;
    if (threadIdx.x == 0) {
      if (k >= 2) shared.empty[s].wait_parity(1 - phase);
      shared.full[s].arrive_expect_tx(sizeof(shared.stage[s]));
      warpfold::arch::bulk_copy_to_shared(shared.stage[s], items + 32 * k, sizeof(shared.stage[s]), shared.full[s]);
    } else if (threadIdx.x >= 32) {
      shared.full[s].wait_parity(phase);
      sum += shared.stage[s][threadIdx.x - 32];
      shared.empty[s].arrive();
    }
  }
  if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

int main() {
  constexpr int steps = 20;
  std::vector<int> items(32 * steps), sums(32);
  std::iota(items.begin(), items.end(), 0);
  int *device_items = nullptr, *device_sums = nullptr;
  warpfold::check(cudaMalloc(&device_items, items.size() * sizeof(int)), "cudaMalloc");
  warpfold::check(cudaMalloc(&device_sums, sums.size() * sizeof(int)), "cudaMalloc");
  warpfold::check(cudaMemcpy(device_items, items.data(), items.size() * sizeof(int), cudaMemcpyDefault), "cudaMemcpy");
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  config.dynamicSmemBytes = sizeof(ring);
  warpfold::launch(&sum_kernel, config, device_items, steps, device_sums);
  warpfold::check(cudaMemcpy(sums.data(), device_sums, sums.size() * sizeof(int), cudaMemcpyDefault), "cudaMemcpy");
  warpfold::check(cudaFree(device_items), "cudaFree");
  warpfold::check(cudaFree(device_sums), "cudaFree");
  const int expected = 32 * steps * (32 * steps - 1) / 2, sum = std::accumulate(sums.begin(), sums.end(), 0);
  if (sum != expected) std::printf("the sum is %d, not %d\n", sum, expected);
  return sum == expected ? 0 : 1;
}
