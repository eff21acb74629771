// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The promises at the head of scan_axes.cuh, in small.
#include <gtest/gtest.h>
#include <warpfold/reduce.cuh>
#include <warpfold/scan_axes.cuh>

#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"

namespace wf = warpfold;
using wf_test::device_array;

namespace scan_axes_at_a_glance {

TEST(scan_axes, the_examples) {
  const device_array<int> in(std::vector<int>{1, 2, 3, 4, 5, 6}), out(6);
  const wf::strided matrix(in.data(), {2, 3}), to(out.data(), {2, 3});
  wf::inclusive_scan_axes(matrix, to, wf::axes{0});
  EXPECT_EQ(out.to_host(), (std::vector<int>{1, 2, 3, 5, 7, 9}));
  wf::inclusive_scan_axes(matrix, to, wf::axes{1});
  EXPECT_EQ(out.to_host(), (std::vector<int>{1, 3, 6, 4, 9, 15}));
  wf::inclusive_scan_axes(matrix, to, wf::backwards{-1}, wf::maximum{});
  EXPECT_EQ(out.to_host(), (std::vector<int>{3, 3, 3, 6, 6, 6}));
  wf::exclusive_scan_axes(matrix, to, wf::axes{1}, {.init = 10});
  EXPECT_EQ(out.to_host(), (std::vector<int>{10, 11, 13, 10, 14, 19}));
  wf::exclusive_scan_axes(matrix, to, wf::backwards{0});
  EXPECT_EQ(out.to_host(), (std::vector<int>{4, 5, 6, 0, 0, 0}));
  wf::transform_inclusive_scan_axes(matrix, to, wf::axes{0}, wf::plus{}, [] __device__(int x) -> int { return -x; });
  EXPECT_EQ(out.to_host(), (std::vector<int>{-1, -2, -3, -5, -7, -9}));
  wf::inclusive_scan_axes(matrix, wf::strided(in.data(), {2, 3}), wf::axes{0});  // in place
  EXPECT_EQ(in.to_host(), (std::vector<int>{1, 2, 3, 5, 7, 9}));
}

}  // namespace scan_axes_at_a_glance
