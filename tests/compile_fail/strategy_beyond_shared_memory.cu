// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Twenty stages of 16 KiB are more than a multiprocessor has.
#include <warpfold/reduce.cuh>
#include <warpfold/strategies.cuh>

#include <span>

namespace wf = warpfold;
#if defined(MISTAKE)
constexpr int stages = 20;
#else
constexpr int stages = 4;
#endif
using schedule = wf::grid::bulk_producer_consumer<1, 4, stages>;

void fold(std::span<const float> in, float* out) {
  wf::reduce<wf::strategy<wf::block::shuffle<128>, schedule, wf::finish::last_block>>(in, out);
}
