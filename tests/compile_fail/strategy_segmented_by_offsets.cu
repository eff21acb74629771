// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sources' segmented algorithms read an owner for each item.
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/strategies.cuh>

#include <span>

namespace wf = warpfold;
using in_passes = wf::strategy<wf::block::segmented::tree<>, wf::grid::multi_pass>;

void fold(std::span<const int> in, std::span<const int> numbers, std::span<int> out) {
#if defined(MISTAKE)
  wf::segmented_reduce<in_passes>(in, numbers, out);
#else
  wf::segmented_reduce<in_passes>(in, wf::owners{numbers}, out);
#endif
}
