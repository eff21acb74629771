// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mean of each column
//
// A matrix is an array with two axes: `wf::strided`, or any mdspan, says how it lies in memory. `reduce_columns` gives one
// result for each column, `reduce_rows` one for each row, and `reduce_axes` reduces any axes of up to eight. The mean is
// an operator, as are `wf::moments{}` for variances, `wf::euclidean_norm{}` and others.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

int main() {
  const std::vector<float> numbers{1, 10, 100,   //
                                   2, 20, 200,   //
                                   3, 30, 300,   //
                                   4, 40, 400};  // four rows of three columns
  const examples::device_array<float> items(numbers), means(3);

  const wf::strided matrix(items.data(), {4, 3});
  wf::reduce_columns(matrix, means, wf::arithmetic_mean{});

  for (const float mean : means.to_host()) std::printf("%g\n", mean);
  return 0;
}
