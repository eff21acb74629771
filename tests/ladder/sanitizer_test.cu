// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each kernel of the ladder once, small enough for compute-sanitizer: several blocks, the last one partial.
#include <gtest/gtest.h>

#include "ladder_problem.cuh"

namespace {

using namespace ladder;

TEST(LadderUnderSanitizer, RunsEveryKernel) {
  const std::vector<int> items = random_array<int>(5003, 1).items;
  device_problem<int> on_device(items);
  for (const rung<int>& r : all_rungs<int>()) {
    const std::vector<int> sums = on_device.run(r);
    for (int k = 0; k < r.results; ++k)
      EXPECT_TRUE(is_right(sums[static_cast<std::size_t>(k)], sum_of(items, k, r.results), true, 0)) << r.about.name;
  }
}

}  // namespace
