// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Top ten
//
// `top_k<K>` is an operator that finds the K largest items and where they are, `bottom_k<K>` the smallest ones. K is at
// most 16. Of equal items the first ones win. They are operators like others: `segmented_reduce(in, offsets, out,
// wf::top_k<4>{})` finds those of each segment. `wf::top_k_items(in, k, values, indices)` takes up to 1024 items, and
// `wf::segmented_top_k` those of each segment.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

int main() {
  std::vector<float> numbers(10'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 7919 % 10'007);
  const examples::device_array<float> in(numbers);

  const auto best = wf::reduce_value(in, wf::top_k<10>{});

  for (const auto& [value, index] : best.item) std::printf("%5g at %lld\n", value, static_cast<long long>(index));
  return 0;
}
