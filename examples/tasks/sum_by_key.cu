// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sum by key
//
// Items with equal keys that stand side by side form a run, and each run gives one key and one value. (To group by keys
// in any order, sort first: `thrust::sort_by_key`.) `reduce_by_key_value` waits and returns the number of runs;
// `reduce_by_key` leaves it in device memory.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

int main() {
  const examples::device_array<int> keys(std::vector<int>{7, 7, 7, 3, 3, 9}), found(6);
  const examples::device_array<float> values(std::vector<float>{1, 2, 3, 4, 5, 6}), sums(6);

  const auto runs = static_cast<std::size_t>(wf::reduce_by_key_value(keys, values, found, sums));

  const std::vector<int> key = found.to_host();
  const std::vector<float> sum = sums.to_host();
  for (std::size_t run = 0; run < runs; ++run) std::printf("key %d: %g\n", key[run], sum[run]);
  return 0;
}
