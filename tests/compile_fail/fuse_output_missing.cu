// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each result needs an output.
#include <warpfold/fuse.hpp>
#include <warpfold/reduce_axes.cuh>

void call(warpfold::strided<const int, 2> in, warpfold::strided<int, 1> least, warpfold::strided<int, 1> sum) {
#if defined(MISTAKE)
  (void)sum;
  warpfold::reduce_axes(in, warpfold::outputs(least), warpfold::axes{0},
#else
  warpfold::reduce_axes(in, warpfold::outputs(least, sum), warpfold::axes{0},
#endif
                        warpfold::fuse(warpfold::minimum{}, warpfold::plus{}));
}
