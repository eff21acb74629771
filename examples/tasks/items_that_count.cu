// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only the items that count
//
// `where` makes of any operator one over the items that a predicate selects, or a mask. Here the mean of each column
// leaves out missing measurements, which are NaN, and the sum of all takes the items that a mask names.
#include <warpfold/warpfold.cuh>

#include <cmath>
#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

struct is_number {
  __host__ __device__ bool operator()(float x) const { return x == x; }
};

int main() {
  constexpr int rows = 3, columns = 2;
  const examples::device_array<float> matrix(std::vector<float>{1, NAN, 5, 6, 9, 10}), means(columns);
  const examples::device_array<unsigned char> mask(std::vector<unsigned char>{1, 0, 1, 0, 0, 1});

  wf::reduce_columns(wf::strided(matrix.data(), {rows, columns}), means, wf::where(is_number{}, wf::arithmetic_mean{}));
  const float sum = wf::reduce_value(matrix, wf::where(mask.data(), wf::plus{}));

  const std::vector<float> mean = means.to_host();
  std::printf("means %g and %g, sum of three %g\n", mean[0], mean[1], sum);
  return 0;
}
