// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The few constants on which everything relies, against the device.
#include <gtest/gtest.h>

#include <string_view>
#include <warpfold/config.hpp>
#include <warpfold/version.hpp>

#include "common/device.cuh"

namespace {

static_assert(warpfold::is_power_of_two(1) && warpfold::is_power_of_two(2) && warpfold::is_power_of_two(1 << 30));
static_assert(!warpfold::is_power_of_two(0) && !warpfold::is_power_of_two(-2) && !warpfold::is_power_of_two(12));

// The namespace's name holds every architecture that a translation unit is compiled for: nvcc 13.0 knows 12.
#define WF_TEST_TEXT_OF(...) #__VA_ARGS__
#define WF_TEST_TEXT(...) WF_TEST_TEXT_OF(__VA_ARGS__)
#define WF_TEST_ALL_OF_13 750, 800, 860, 870, 880, 890, 900, 1000, 1030, 1100, 1200, 1210
constexpr std::string_view one = WF_TEST_TEXT(WARPFOLD_PASTE(v1, sm, 900)),
                           twelve = WF_TEST_TEXT(WARPFOLD_PASTE(v1, sm, WF_TEST_ALL_OF_13)),
                           thirty_six = WF_TEST_TEXT(
                               WARPFOLD_PASTE(v1, sm, WF_TEST_ALL_OF_13, WF_TEST_ALL_OF_13, WF_TEST_ALL_OF_13));
static_assert(one == "v1_sm_900");
static_assert(twelve == "v1_sm_750_800_860_870_880_890_900_1000_1030_1100_1200_1210");
static_assert(thirty_six.size() == 3 * twelve.size() - 2 * one.substr(0, 5).size());
static_assert(thirty_six.substr(thirty_six.size() - 53) == twelve.substr(twelve.size() - 53));

__global__ void warp_kernel(int* lanes, unsigned* voted) {
  *lanes = warpSize;
  *voted = __ballot_sync(warpfold::full_warp, true);
}

TEST(config, the_warp_is_the_devices) {
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

TEST(config, unroll_pragmas_leave_loops_alone) {
  const wf_test::device_array<int> sum(std::vector<int>{0});
  wf_test::launch_and_wait(&loop_kernel, 1, 1, 0, sum.data());
  EXPECT_EQ(sum.value(), 20);
}

}  // namespace
