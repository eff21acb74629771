// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce and scans on an emulated device of another kind: many multiprocessors, no clusters, as before compute
// capability 9.0.
#include <gtest/gtest.h>

#include <warpfold/scan.cuh>

#include "common/interval.hpp"
#include "common/samples.hpp"
#include "ways.cuh"

namespace wf = warpfold;
using wf_test::interval, wf_test::join;

namespace {

// Before any test, since attributes of a device are asked once and kept.
[[maybe_unused]] const bool device_is_set = [] {
  cuda_emulator::options& device = cuda_emulator::settings();
  device.compute_capability_major = 8;
  device.multiprocessors = 20;
  return true;
}();

TEST(reduce_without_clusters, keeps_order_at_every_border) {
  wf_test::asked<interval<>> asked(interval<>::of(-1), interval<>::poison());
  std::int64_t turn = 0, number = 0;
  for (const std::int64_t size : wf_test::border_sizes<interval<>>(1 << 19)) {
    if (!wf_test::in_sample(number++)) continue;
    const wf_test::device_array<interval<>> in(wf_test::interval_items(size), turn % 2);
    const auto all = wf_test::ways(turn, {0, 33});
    for (const std::size_t k : {turn % 3, 3 + (turn + 1) % 3}) {
      wf::reduce(in.items(), asked.out(), join{}, asked.options(all[k]));
      EXPECT_EQ(asked.result(), interval<>::of(all[k].has_init() ? -1 : 0, size - 1)) << size << " items, " << all[k];
    }
    ++turn;
  }
}

TEST(scan_without_clusters, few_tiles_look_back_over_a_list) {
  for (const std::int64_t size : {500, 1'025, 2'000, 4'500, 8'192, 40'000}) {
    const wf_test::device_array<interval<>> in(wf_test::interval_items(size)), out(size);
    wf::inclusive_scan(in.items(), out.data(), join{});
    const auto found = out.to_host();
    for (std::int64_t i = 0; i < size; ++i) ASSERT_EQ(found[static_cast<std::size_t>(i)], interval<>::of(0, i)) << i;
  }
}

TEST(reduce_without_clusters, device_is_the_other_one) {
  int multiprocessors = 0, clusters = -1;
  wf::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  wf::check(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, 0), "cudaDeviceGetAttribute");
  EXPECT_EQ(multiprocessors, 20);
  EXPECT_EQ(clusters, 0);
}

}  // namespace
