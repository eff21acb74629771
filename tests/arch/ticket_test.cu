// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters by which warps find out who comes last.
#include <warpfold/arch/ticket.cuh>

#include <gtest/gtest.h>

#include "common/device.cuh"

namespace {

/// Block b leaves a value and arrives 1 + b % 3 times, at one of two counters; the last block of each counter sums all
/// values.
__global__ void arrive_kernel(unsigned* counters, unsigned* left, unsigned expected, unsigned* sums, unsigned* lasts) {
  const unsigned which = blockIdx.x % 2, arrivals = 1 + blockIdx.x % 3;
  left[blockIdx.x] = blockIdx.x + 1;
  if (!warpfold::arch::arrive(counters + which, arrivals, expected)) return;
  atomicAdd(lasts + which, 1u);
  for (unsigned b = which; b < gridDim.x; b += 2) sums[which] += left[b];
}

TEST(arrive, tells_the_last_and_clears_the_counter) {
  const wf_test::device_array<unsigned> counters(std::vector<unsigned>{0, 0});
  for (const unsigned pairs : {3u, 30u, 300u})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const wf_test::schedule_seed scheduled(seed);
      const unsigned blocks =
          2 * pairs;  // in either half of the blocks, one third arrives once, twice, three times each
      const wf_test::device_array<unsigned> left(std::vector<unsigned>(blocks, 1u << 30));
      const wf_test::device_array<unsigned> sums(std::vector<unsigned>{0, 0}), lasts(std::vector<unsigned>{0, 0});
      wf_test::launch_and_wait(&arrive_kernel, static_cast<int>(blocks), 1, 0, counters.data(), left.data(), 2 * pairs,
                               sums.data(), lasts.data());
      EXPECT_EQ(lasts.to_host(), (std::vector<unsigned>{1, 1})) << blocks << " blocks";
      EXPECT_EQ(sums.to_host(), (std::vector<unsigned>{pairs * pairs, pairs * pairs + pairs})) << blocks << " blocks";
      EXPECT_EQ(counters.to_host(), (std::vector<unsigned>{0, 0})) << "ready for the next launch";
    }
}

}  // namespace
