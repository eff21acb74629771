// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each kernel of the ladder once, small enough for compute-sanitizer: several blocks, the last one partial.
#include <gtest/gtest.h>

#include "ladder_problem.cuh"

namespace {

using namespace ladder;

TEST(ladder_under_sanitizer, runs_every_kernel) {
  const std::vector<int> items = random_array<int>(5003, 1).items;
  device_problem<int> on_device(items);
  for (const rung<int>& r : all_rungs<int>()) {
    const std::vector<int> sums = on_device.run(r);
    for (int k = 0; k < r.results; ++k)
      EXPECT_TRUE(is_right(sums[static_cast<std::size_t>(k)], sum_of(items, k, r.results), true, 0)) << r.about.name;
  }
}

// Any other array than this would pass a kernel that reads too little: only the vector with the value is told apart.
TEST(ladder_under_sanitizer, read_only_kernels_read_every_vector) {
  constexpr unsigned told = 0x9e3779b9;  // what a read-only kernel writes down if it comes upon it
  constexpr std::size_t count = 4 * 9001;
  for (const read_only_variant& v : read_only_variants) {
    for (const std::size_t at : {std::size_t{0}, count / 2, count - 1}) {
      std::vector<unsigned> items(count);
      items[at] = told;
      const examples::device_array<unsigned> input(items), never(std::vector<unsigned>{0});
      run(v, input.data(), static_cast<std::int64_t>(count * sizeof(unsigned)), never.data(),
          this_device().multiProcessorCount);
      EXPECT_EQ(never.to_host()[0], told) << to_string(v) << ", item " << at;
    }
  }
}

}  // namespace
