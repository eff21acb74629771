// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Persistent blocks leave one result each, which a finish must join.
#include <warpfold/reduce.cuh>
#include <warpfold/strategies.cuh>

#include <span>

namespace wf = warpfold;
#if defined(MISTAKE)
using persistent = wf::strategy<wf::block::tree<>, wf::grid::persistent>;
#else
using persistent = wf::strategy<wf::block::tree<>, wf::grid::persistent, wf::finish::two_launch>;
#endif

void fold(std::span<const int> in, int* out) { wf::reduce<persistent>(in, out); }
