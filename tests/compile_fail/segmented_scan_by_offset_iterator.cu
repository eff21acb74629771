// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan's output does not tell the number of segments.
#include <warpfold/segmented_scan.cuh>

#include <span>

namespace wf = warpfold;

void scan(std::span<const int> in, std::span<const int> offsets, std::span<int> out) {
#if defined(MISTAKE)
  wf::segmented_inclusive_scan(in, offsets.data(), out);
#else
  wf::segmented_inclusive_scan(in, offsets, out);
#endif
}
