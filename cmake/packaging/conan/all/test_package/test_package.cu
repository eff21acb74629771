#include <warpfold/reduce.cuh>

#include <cstdio>

int main() {
  int* items = nullptr;
  if (cudaMalloc(&items, 3 * sizeof(int)) != cudaSuccess) return 1;
  const int host[] = {20, 1, 21};
  if (cudaMemcpy(items, host, sizeof host, cudaMemcpyDefault) != cudaSuccess) return 1;
  const int sum = warpfold::reduce_value(items, 3);
  std::printf("sum %d\n", sum);
  cudaFree(items);
  return sum == 42 ? 0 : 1;
}
