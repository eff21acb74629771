// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel gets a lambda's captures as bytes: a string cannot travel. nvcc hides from the host what a lambda captures.
#include <warpfold/reduce.cuh>

#include <span>
#include <string>

#if defined(MISTAKE)
using word = std::string;
#else
using word = int;
#endif

void fold(std::span<const int> in, int* out, word longest) {
  warpfold::reduce(in, out, [longest] __host__ __device__(int left, int right) {
    return left + right + 0 * static_cast<int>(sizeof(longest));
  });
}
