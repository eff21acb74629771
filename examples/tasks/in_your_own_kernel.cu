// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a kernel of your own
//
// `wf::warp` and `wf::block` have the same functions for the values of lanes and threads: `reduce`, `all_reduce` (the result
// in all of them), `inclusive_scan` and `exclusive_scan`. They fold in the order of the threads, with any operator, and
// compile under NVRTC, too. This kernel divides each row by its largest item.
#include <warpfold/block/reduce.cuh>
#include <warpfold/host/launch.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

constexpr int row_items = 64;

__global__ void scale_rows(float* rows) {
  __shared__ wf::block::reduce_storage<float, row_items> storage;
  float& item = rows[blockIdx.x * row_items + threadIdx.x];
  item /= wf::block::all_reduce<row_items>(storage, item, wf::maximum{});
}

int main() {
  std::vector<float> numbers(2 * row_items);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i + 1);
  const examples::device_array<float> rows(numbers);

  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(row_items);
  wf::launch(scale_rows, config, rows.data());  // <<<2, row_items>>>, with checks

  const std::vector<float> scaled = rows.to_host();
  for (int row = 0; row < 2; ++row)
    std::printf("%g to %g\n", scaled[row * row_items], scaled[(row + 1) * row_items - 1]);
  return 0;
}
