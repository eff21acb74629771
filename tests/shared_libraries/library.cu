// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Built twice, with another OFFSET each: the same templates under the same names, with other code behind them. Were
// kernels, caches or workspaces of the two merged, one library would run what belongs to the other.
#include "library.hpp"

#include <warpfold/warpfold.cuh>

#include <span>

struct plus_offset {
  __host__ __device__ int operator()(int item) const { return item + OFFSET; }
};

static std::span<const int> items(const int* first, std::int64_t count) {
  return {first, static_cast<std::size_t>(count)};
}

__global__ static void do_nothing() {}

int sum(const int* device_items, std::int64_t count) { return warpfold::reduce_value(items(device_items, count)); }

int sum_with_offset(const int* device_items, std::int64_t count) {
  return warpfold::transform_reduce_value(items(device_items, count), warpfold::plus{}, plus_offset{});
}

void enqueue_sum(const int* device_items, std::int64_t count, int* device_out, cudaStream_t stream) {
  warpfold::reduce(items(device_items, count), device_out, {.stream = stream});
}

void be_refused() {
  int* nowhere = nullptr;
  warpfold::reduce(nowhere, -1, nowhere);
}

void meet_cuda_error() {
  cudaLaunchConfig_t too_many_threads{};
  too_many_threads.blockDim = 4096;
  warpfold::launch(do_nothing, too_many_threads);
}
