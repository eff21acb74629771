// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The identity of an extremum might not fit the output.
#include <warpfold/reduce.cuh>
#include <warpfold/where.hpp>

struct is_positive {
  __host__ __device__ bool operator()(int x) const { return x > 0; }
};
void call(const int* in, int count, signed char* out) {
#if defined(MISTAKE)
  warpfold::reduce(in, count, out, warpfold::where(is_positive{}, warpfold::minimum{}));
#else
  warpfold::reduce(in, count, out, warpfold::where(is_positive{}, warpfold::minimum{}, 0));
#endif
}
