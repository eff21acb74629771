// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of any length
//
// Lists of different lengths lie one after another, and offsets say where each begins: a ragged tensor, the rows of a
// sparse matrix, the sentences of a batch. `segmented_reduce` gives one result for each. An empty list gives the operator's
// identity, or what `.empty` says. Each list has the bits of `reduce` over it alone, whatever stands beside it.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

int main() {
  const examples::device_array<float> in(std::vector<float>{1, 2, 3, 10, 20, 5, 6, 7, 8});
  const examples::device_array<int> offsets(std::vector<int>{0, 3, 3, 5, 9});  // list s: offsets[s] to offsets[s + 1]
  const examples::device_array<float> sums(offsets.size() - 1);

  wf::segmented_reduce(in, offsets, sums, wf::plus{}, {.empty = -1});

  for (const float sum : sums.to_host()) std::printf("%g\n", sum);
  return 0;
}
