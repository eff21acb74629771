// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part as a pointer and a count.
#include <warpfold/accumulation.cuh>

#include <span>

void push(warpfold::accumulation<float>& sum, const float* in, long count) {
#if defined(MISTAKE)
  sum.push(in, count);
#else
  sum.push(std::span(in, static_cast<std::size_t>(count)));
#endif
}
