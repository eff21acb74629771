// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arg-reductions compare by <.
#include <warpfold/arg_reduce.cuh>

#include <span>

struct unordered_item {
  int value;
#if !defined(MISTAKE)
  __host__ __device__ friend bool operator<(const unordered_item& a, const unordered_item& b) {
    return a.value < b.value;
  }
#endif
};

void find(std::span<const unordered_item> in, warpfold::indexed_value<unordered_item>* out) {
  warpfold::argmax(in, out);
}
