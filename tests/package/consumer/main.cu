// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two translation units that both use Warpfold make one program, whose exit status says whether both sums are right.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

int largest(std::span<const int> items);  // in other.cu

int main() {
  std::vector<int> items(1000);
  std::iota(items.begin(), items.end(), 1);

  int* device_items = nullptr;
  if (cudaMalloc(&device_items, items.size() * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMemcpy(device_items, items.data(), items.size() * sizeof(int), cudaMemcpyDefault) != cudaSuccess) return 1;
  const std::span<const int> device_span(device_items, items.size());
  const int sum = warpfold::reduce_value(device_span);
  const int maximum = largest(device_span);
  cudaFree(device_items);

  std::printf("sum %d, maximum %d\n", sum, maximum);
  return sum == 500500 && maximum == 1000 ? 0 : 1;
}
