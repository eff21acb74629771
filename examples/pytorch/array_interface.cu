// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function for any language that can call C. It enqueues its work and returns; not 0 means that it refused the call.
#include <warpfold/warpfold.cuh>

namespace wf = warpfold;

extern "C" int exact_sum(const float* in, std::int64_t count, float* out, cudaStream_t stream) try {
  wf::reduce(in, count, out, wf::exact_plus{}, {.stream = stream});
  return 0;
} catch (...) {
  return 1;
}
