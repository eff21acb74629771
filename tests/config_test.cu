// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The few constants that everything stands on, against the device.
#include <gtest/gtest.h>

#include <warpfold/config.hpp>
#include <warpfold/version.hpp>

#include "common/device.cuh"

namespace {

static_assert(warpfold::is_power_of_two(1) && warpfold::is_power_of_two(2) && warpfold::is_power_of_two(1 << 30));
static_assert(!warpfold::is_power_of_two(0) && !warpfold::is_power_of_two(-2) && !warpfold::is_power_of_two(12));

__global__ void warp_kernel(int* lanes, unsigned* voted) {
  *lanes = warpSize;
  *voted = __ballot_sync(warpfold::full_warp, true);
}

TEST(Config, TheWarpIsTheDevices) {
  const wf_test::device_array<int> lanes(1);
  const wf_test::device_array<unsigned> voted(1);
  wf_test::launch_and_wait(&warp_kernel, 1, warpfold::warp_lanes, 0, lanes.data(), voted.data());
  EXPECT_EQ(lanes.value(), warpfold::warp_lanes);
  EXPECT_EQ(voted.value(), warpfold::full_warp);
}

__global__ void loop_kernel(int* sum) {
  WARPFOLD_UNROLL
  for (int i = 0; i < 5; ++i) *sum += i;
  WARPFOLD_NO_UNROLL
  for (int i = 0; i < 5; ++i) *sum += i;
}

TEST(Config, UnrollPragmasLeaveLoopsAlone) {
  const wf_test::device_array<int> sum(std::vector<int>{0});
  wf_test::launch_and_wait(&loop_kernel, 1, 1, 0, sum.data());
  EXPECT_EQ(sum.value(), 20);
}

}  // namespace
