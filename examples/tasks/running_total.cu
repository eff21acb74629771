// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running total
//
// `inclusive_scan` gives the sum up to each item, `exclusive_scan` the sum before it. Any associative operator will do:
// with `wf::maximum{}` it is the record so far. Each result has the bits of `reduce` over the items up to there.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

int main() {
  const examples::device_array<float> in(std::vector<float>{3, 1, 4, 1, 5, 9}), totals(in.size());

  wf::inclusive_scan(in, totals);

  for (const float total : totals.to_host()) std::printf("%g ", total);
  std::printf("\n");
  return 0;
}
