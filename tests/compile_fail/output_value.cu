// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A result is written to device memory, not to a variable.
#include <warpfold/reduce.cuh>

#include <span>

struct result {
  float value;
};

void fold(std::span<const float> in, [[maybe_unused]] result& of_host, [[maybe_unused]] float* out) {
#if defined(MISTAKE)
  warpfold::reduce(in, of_host);
#else
  warpfold::reduce(in, out);
#endif
}
