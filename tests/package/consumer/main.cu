// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two translation units that both use Warpfold, and one without, make one program. Its exit status says whether the
// results are right.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

void largest_of_each(std::span<const int> items,
                     std::span<int> results);  // in other.cu; of segments as long as another

int add_in_two_threads();  // in kernel.cu or plain.cu, with any number

int main() {
  std::vector<int> items(1000);
  std::iota(items.begin(), items.end(), 1);

  int* device_items = nullptr;
  if (cudaMalloc(&device_items, items.size() * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMemcpy(device_items, items.data(), items.size() * sizeof(int), cudaMemcpyDefault) != cudaSuccess) return 1;
  const std::span<const int> device_span(device_items, items.size());
  const int sum = warpfold::reduce_value(device_span);

  int* device_results = nullptr;
  if (cudaMalloc(&device_results, 2 * sizeof(int)) != cudaSuccess) return 1;
  largest_of_each(device_span, std::span<int>(device_results, 2));
  int largest[2];
  if (cudaMemcpy(largest, device_results, sizeof largest, cudaMemcpyDefault) != cudaSuccess) return 1;
  cudaFree(device_results);
  cudaFree(device_items);

  std::printf("sum %d, largest of each half %d and %d\n", sum, largest[0], largest[1]);
  const int added = add_in_two_threads();
  std::printf("added %d\n", added);
  return sum == 500500 && (added == 80 || added == 82) && largest[0] == 500 && largest[1] == 1000 ? 0 : 1;
}
