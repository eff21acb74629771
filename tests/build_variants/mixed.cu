// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translation units that are compiled in different ways make one program, whose exit status says whether all results
// are right.
#include <cuda_runtime.h>

#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

using sum_function = int(std::span<const int> items, std::span<int, 2> totals);  // sum.cu
sum_function sum_plain, sum_more_architectures, sum_checked;

int main() {
  std::vector<int> items(1000);
  std::iota(items.begin(), items.end(), 1);
  int* device_items = nullptr;
  if (cudaMalloc(&device_items, (items.size() + 2) * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMemcpy(device_items, items.data(), items.size() * sizeof(int), cudaMemcpyDefault) != cudaSuccess) return 1;

  bool right = true;
  for (sum_function* sum : {&sum_plain, &sum_more_architectures, &sum_checked}) {
    int* const device_totals = device_items + items.size();
    const int total = sum(std::span<const int>(device_items, items.size()), std::span<int, 2>(device_totals, 2));
    int totals[2] = {};
    if (cudaMemcpy(totals, device_totals, sizeof totals, cudaMemcpyDefault) != cudaSuccess) return 1;
    std::printf("sum %d, of each half %d and %d\n", total, totals[0], totals[1]);
    right = right && total == 500500 && totals[0] == 125250 && totals[1] == 375250;
  }
  cudaFree(device_items);
  return right ? 0 : 1;
}
