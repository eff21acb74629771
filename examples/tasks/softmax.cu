// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of each row
//
// The softmax of x is exp(x) / (exp(x0) + exp(x1) + ...), or exp(x - l), where l is the logarithm of that sum. The operator
// `log_sum_exp` finds l for each row in one read, without overflow. A kernel of one line does the rest.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

constexpr int rows = 2, columns = 4;

__global__ void weigh(const float* x, const float* logarithms, float* weights) {
  const unsigned i = blockIdx.x * columns + threadIdx.x;  // one block per row
  weights[i] = std::exp(x[i] - logarithms[blockIdx.x]);
}

int main() {
  const std::vector<float> numbers{1, 2, 3, 4, 1000, 1000, 1000, 1001};  // exp(1000) is no float
  const examples::device_array<float> x(numbers), logarithms(rows), weights(numbers.size());

  wf::reduce_rows(wf::strided(x.data(), {rows, columns}), logarithms, wf::log_sum_exp{});

  cudaLaunchConfig_t config{};
  config.gridDim = dim3(rows);
  config.blockDim = dim3(columns);
  wf::launch(weigh, config, x.data(), logarithms.data(), weights.data());  // <<<rows, columns>>>, with checks

  const std::vector<float> all = weights.to_host();
  for (std::size_t i = 0; i < all.size(); i += columns)
    std::printf("%.4f %.4f %.4f %.4f\n", all[i], all[i + 1], all[i + 2], all[i + 3]);
  return 0;
}
