// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sampling from logits
//
// A language model gives each token a logit. The next token is drawn from the k tokens of the largest logits, each with
// a weight of exp(logit). `segmented_top_k` finds these tokens for all rows in one read, best first; k is known when the
// call is made, up to 1024. A kernel sums the weights of a row, and takes the token at which the sum passes the draw.
#include <warpfold/warpfold.cuh>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

constexpr int rows = 3, tokens = 50'000, k = 40;

/// One thread per row. `draws` are uniform numbers from 0 to 1.
__global__ void draw(const float* logits, const int* candidates, const float* draws, int* drawn) {
  const float* const best = logits + threadIdx.x * k;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += std::exp(best[i] - best[0]);
  float rest = draws[threadIdx.x] * sum;
  int i = 0;
  for (; i < k - 1; ++i) {
    rest -= std::exp(best[i] - best[0]);
    if (rest < 0) break;
  }
  drawn[threadIdx.x] = candidates[threadIdx.x * k + i];
}

int main() {
  std::vector<float> numbers(rows * tokens);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 7919 % 100'003) / 10'000;
  const examples::device_array<float> logits(numbers), best(rows * k), draws(std::vector<float>{0.1f, 0.5f, 0.9f});
  const examples::device_array<int> candidates(rows * k), drawn(rows);

  wf::segmented_top_k(logits, wf::fixed_length{tokens}, k, best, candidates);

  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(rows);
  wf::launch(draw, config, best.data(), candidates.data(), draws.data(), drawn.data());  // <<<1, rows>>>, with checks

  for (const int token : drawn.to_host()) std::printf("token %d\n", token);
  return 0;
}
