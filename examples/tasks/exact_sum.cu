// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum that cannot be wrong
//
// `exact_plus` adds without any error and rounds once at the end: the result is the float next to the true sum, in any
// order, on any number of GPUs. `compensated_plus` costs less and is as good as a sum in twice the precision. The plain sum
// has the same bits everywhere, but the errors of floating point.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

int main() {
  std::vector<float> numbers;
  for (int i = 0; i < 1000; ++i) numbers.insert(numbers.end(), {1e20f, 1, -1e20f});  // the sum is 1000
  const examples::device_array<float> in(numbers);

  std::printf("plus        %g\n", wf::reduce_value(in));
  std::printf("exact_plus  %g\n", wf::reduce_value(in, wf::exact_plus{}));
  return 0;
}
