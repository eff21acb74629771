// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An algorithm that reduces everything to one value cannot keep segments apart.
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/strategies.cuh>

#include <span>

namespace wf = warpfold;
#if defined(MISTAKE)
using persistent = wf::strategy<wf::block::tree<>, wf::grid::persistent, wf::finish::last_block>;
#else
using persistent = wf::strategy<wf::block::segmented::tree<>, wf::grid::persistent, wf::finish::last_block>;
#endif

void fold(std::span<const int> in, std::span<const int> ids, std::span<int> out) {
  wf::segmented_reduce<persistent>(in, wf::owners{ids}, out);
}
