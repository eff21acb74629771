// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owners do not tell where a segment begins.
#include <warpfold/arg_reduce.cuh>

#include <span>

namespace wf = warpfold;

void find(std::span<const float> in, std::span<const int> ids, std::span<wf::indexed_value<float>> out) {
#if defined(MISTAKE)
  wf::segmented_reduce(in, wf::owners{ids}, out, wf::within_segment{wf::arg_minimum{}});
#else
  wf::segmented_reduce(in, wf::owners{ids}, out, wf::within_run{wf::arg_minimum{}});
#endif
}
