// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpfold/fuse.hpp>
#include <warpfold/reduce.cuh>

struct text {
  char letters[8];
};
struct length {
#if defined(MISTAKE)
  __host__ __device__ int operator()(const char*) const { return 0; }
#else
  __host__ __device__ int operator()(const text& of) const { return of.letters[0] != 0; }
#endif
};

void call(const text* in, int* out) { warpfold::reduce(in, 1, out, warpfold::with(length{}, warpfold::plus{})); }
