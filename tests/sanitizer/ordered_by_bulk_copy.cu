// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel without a race: what a bulk copy and the lanes of a warp write is read after the phase of an mbarrier at
// which the copy and, after __syncwarp(), one lane for all have arrived; it is written over after the readers have
// arrived in the same way. run.py asks racecheck about it before it believes what racecheck says of kernels that hand
// over so: it seems to know the order of the arriving lane's accesses alone, while order in PTX passes through
// __syncwarp().
#include <cstdio>
#include <numeric>
#include <vector>
#include <warpfold/arch/bulk_copy.cuh>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/host/launch.cuh>

struct ring {
  alignas(16) int stage[2][36];  // 32 items by a bulk copy, 4 by lanes
  warpfold::arch::mbarrier full[2], empty[2];
};

/// Warp 0 fills, warp 1 reads. Lane l sums the items l, and l + 32 where the row has that, of each row of 36.
__global__ void sum_kernel(const int* items, int steps, int* out) {
  auto& shared = warpfold::arch::dynamic_shared<ring>();
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; ++s) shared.full[s].init(1), shared.empty[s].init(1);
    warpfold::arch::fence_mbarrier_init();
  }
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < steps; ++k) {
    const int s = k % 2, phase = k / 2 % 2;
    const int* row = items + 36 * k;
    if (threadIdx.x < 32) {
      if (k >= 2) shared.empty[s].wait_parity(1 - phase);
      if (threadIdx.x < 4) shared.stage[s][32 + threadIdx.x] = row[32 + threadIdx.x];
      warpfold::arch::fence_proxy_async();
      __syncwarp();
      if (threadIdx.x == 0) {
        shared.full[s].arrive_expect_tx(32 * sizeof(int));
        warpfold::arch::bulk_copy_to_shared(shared.stage[s], row, 32 * sizeof(int), shared.full[s]);
      }
    } else {
      const int lane = threadIdx.x - 32;
      shared.full[s].wait_parity(phase);
      sum += shared.stage[s][lane] + (lane < 4 ? shared.stage[s][32 + lane] : 0);
      __syncwarp();
      if (lane == 0) shared.empty[s].arrive();
    }
  }
  if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

int main() {
  constexpr int steps = 20;
  std::vector<int> items(36 * steps), sums(32);
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
  const int expected = 36 * steps * (36 * steps - 1) / 2, sum = std::accumulate(sums.begin(), sums.end(), 0);
  if (sum != expected) std::printf("the sum is %d, not %d\n", sum, expected);
  return sum == expected ? 0 : 1;
}
