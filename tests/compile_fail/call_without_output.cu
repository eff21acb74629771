// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that fit no form of a function, whose result is used as if they did.
#include <warpfold/reduce.cuh>

#include <span>

float twice_the_sum(std::span<const float> in, [[maybe_unused]] float* out) {
#if defined(MISTAKE)
  warpfold::reduce(in);
  const auto [sum, other] = warpfold::reduce_value(in, warpfold::plus{}, out, out, out);
  return sum;
#else
  warpfold::reduce(in, out);
  return 2 * warpfold::reduce_value(in);
#endif
}
