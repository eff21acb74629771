// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a matrix fold rows; its warps have no results that atomics could join.
#include <warpfold/reduce.cuh>
#include <warpfold/strategies.cuh>

#include <span>

namespace wf = warpfold;
#if defined(MISTAKE)
using algorithm = wf::block::matrix<>;
#else
using algorithm = wf::block::warp_tree<>;
#endif

void fold(std::span<const int> in, int* out) {
  wf::reduce<wf::strategy<algorithm, wf::grid::persistent, wf::finish::warp_atomic>>(in, out);
}
