// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// There is no atomic multiplication.
#include <warpfold/reduce.cuh>
#include <warpfold/strategies.cuh>

#include <span>

namespace wf = warpfold;
using by_atomics = wf::strategy<wf::block::shuffle<>, wf::grid::persistent, wf::finish::block_atomic>;

void fold(std::span<const float> in, float* out) {
#if defined(MISTAKE)
  wf::reduce<by_atomics>(in, out, wf::multiplies{});
#else
  wf::reduce<by_atomics>(in, out, wf::plus{});
#endif
}
