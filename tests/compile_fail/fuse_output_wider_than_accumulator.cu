// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpfold/fuse.hpp>
#include <warpfold/reduce.cuh>

#if defined(MISTAKE)
using sum = long long;
#else
using sum = int;
#endif

void call(const int* in, int* least, sum* out) {
  warpfold::reduce(in, 1, warpfold::outputs(least, out), warpfold::fuse(warpfold::minimum{}, warpfold::plus{}));
}
