// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers and shared memory hold accumulators before they have a value.
#include <warpfold/reduce.cuh>

#include <span>

struct item {
  int value;
#if defined(MISTAKE)
  __host__ __device__ explicit item(int v) : value(v) {}
#else
  item() = default;
  __host__ __device__ explicit item(int v) : value(v) {}
#endif
};
struct add {
  __host__ __device__ item operator()(item a, item b) const { return item(a.value + b.value); }
};

void fold(std::span<const item> in, item* out) { warpfold::reduce(in, out, add{}); }
