// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four stages of 512 bytes fit, but the second launch reduces accumulators of 256 bytes: four stages of 128 KiB do not.
#include <warpfold/reduce.cuh>
#include <warpfold/strategies.cuh>

#include <span>

namespace wf = warpfold;
#if defined(MISTAKE)
using finish = wf::finish::two_launch;
#else
using finish = wf::finish::last_block;
#endif
using schedule = wf::grid::bulk_producer_consumer<1, 4, 4>;

struct histogram {
  int bins[64];
};
struct add {
  __host__ __device__ histogram operator()(histogram a, const histogram& b) const {
    for (int i = 0; i < 64; ++i) a.bins[i] += b.bins[i];
    return a;
  }
};
struct count {
  __host__ __device__ histogram operator()(signed char item) const {
    histogram result{};
    result.bins[item & 63] = 1;
    return result;
  }
};

void fold(std::span<const signed char> in, histogram* out) {
  wf::transform_reduce<wf::strategy<wf::block::tree<256>, schedule, finish>>(in, out, add{}, count{});
}
