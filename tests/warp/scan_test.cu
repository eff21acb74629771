// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of integers over a warp's lanes.
#include <warpfold/warp/scan.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace {

namespace wf = warpfold;
using wf_test::device_array;

struct scans {
  int sum, sum_of_8;
};

__global__ void scan_kernel(const int* values, scans* results) {
  const unsigned own = blockIdx.x * 32 + threadIdx.x;
  results[own] = {wf::warp::sum_through(values[own]), wf::warp::sum_through<8>(values[own])};
}

TEST(warp_scan, of_sums) {
  constexpr int warps = 40;
  std::vector<int> values(warps * 32);
  wf_test::random_source random(7);
  for (int& value : values) value = static_cast<int>(random.below(2'000'001)) - 1'000'000;
  std::fill_n(values.begin(), 32, 0);
  std::fill_n(values.begin() + 32, 32, 1);
  const device_array<int> in(values);
  const device_array<scans> out(warps * 32);
  wf_test::launch_and_wait(&scan_kernel, warps, 32, 0, in.data(), out.data());
  const auto found = out.to_host();
  for (std::size_t first = 0; first < values.size(); first += 32) {
    int sum = 0;
    for (std::size_t i = first; i < first + 32; ++i) {
      sum += values[i];
      EXPECT_EQ(found[i].sum, sum) << "lane " << i - first;
      if (i < first + 8) {
        EXPECT_EQ(found[i].sum_of_8, sum) << "lane " << i - first;
      }
    }
  }
}

}  // namespace
