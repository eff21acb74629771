// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the largest item is
//
// `argmax` gives the item and its index, `argmin` those of the smallest one, `arg_minmax` both; `segmented_argmax`,
// `argmax_by_key` and the operator `wf::arg_maximum{}` do the same for segments, keys and axes. Of equal items the first
// one counts, of NaN the first NaN: template arguments say otherwise.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

int main() {
  const examples::device_array<float> in(std::vector<float>{3, 1, 4, 1, 5, 9, 2, 6, 5, 3});

  const auto [value, index] = wf::argmax_value(in);

  std::printf("%g at %lld\n", value, static_cast<long long>(index));
  return 0;
}
