// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value with which the items cannot be compared.
#include <warpfold/quantifiers.cuh>

#include <span>

void count(std::span<const float> in, std::int64_t* out) {
#if defined(MISTAKE)
  warpfold::count(in, out, "one");
#else
  warpfold::count(in, out, 1);
#endif
}
