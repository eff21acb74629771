// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several results in one read
//
// `fuse` makes one operator of several, so the items are read once. Each result has the bits of a call of its own.
// `with` puts a transform before one of them. A `_value` form returns the results side by side. `wf::outputs(a, b, c)` takes
// them to arrays of their own without waiting.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

struct square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

int main() {
  const examples::device_array<float> in(std::vector<float>{3, 1, -4, 1, 5, -9, 2, 6});

  const auto [sum, largest, squares] =
      wf::reduce_value(in, wf::fuse(wf::plus{}, wf::maximum{}, wf::with(square{}, wf::plus{})));

  std::printf("sum %g, largest %g, sum of squares %g\n", sum, largest, squares);
  return 0;
}
