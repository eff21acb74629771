// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several passes need no finish.
#include <warpfold/reduce.cuh>
#include <warpfold/strategies.cuh>

#include <span>

namespace wf = warpfold;
#if defined(MISTAKE)
using multi_pass = wf::strategy<wf::block::tree<>, wf::grid::multi_pass, wf::finish::last_block>;
#else
using multi_pass = wf::strategy<wf::block::tree<>, wf::grid::multi_pass>;
#endif

void fold(std::span<const int> in, int* out) { wf::reduce<multi_pass>(in, out); }
