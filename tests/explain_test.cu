// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What explain and the log say of calls.
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/explain.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/scan.cuh>

#include "common/device.cuh"

namespace explain_tests {

namespace wf = warpfold;
using wf_test::device_array;

TEST(explain, names_the_kernel_of_a_call_and_its_grid) {
  const device_array<float> in(std::vector<float>(100'000, 1)), out(1);
  const auto launches = wf::explain([&] { wf::reduce(in.items(), out.data(), wf::plus{}, {.max_blocks = 3}); });
  ASSERT_EQ(launches.size(), 1u) << "one launch";
  const wf::kernel_launch& launch = launches[0];
  EXPECT_EQ(launch.function, "reduce");
  EXPECT_TRUE(launch.kernel.starts_with("reduction::")) << launch.kernel;
  EXPECT_NE(launch.kernel.find("_kernel<"), std::string::npos) << launch.kernel;
  EXPECT_NE(launch.kernel.find("float"), std::string::npos) << launch.kernel;
  EXPECT_EQ(launch.kernel.find("::v1"), std::string::npos) << launch.kernel;
  EXPECT_GE(launch.blocks, 1);
  EXPECT_LE(launch.blocks, 3);
  EXPECT_GT(launch.threads, 0);
  EXPECT_GT(launch.scratch_bytes, 0u);
  EXPECT_TRUE(launch.line().starts_with("reduce: " + launch.kernel + ", " + std::to_string(launch.blocks) +
                                        (launch.blocks == 1 ? " block of " : " blocks of ") +
                                        std::to_string(launch.threads) + " threads"))
      << launch.line();
  EXPECT_EQ(launch.items, 100'000);
  EXPECT_EQ(launch.item, "float");
  EXPECT_EQ(launch.title(), "reduce 100000 float");
  EXPECT_NE(launch.line().find(", for 100000 items of float (" + launch.why + ")"), std::string::npos) << launch.line();
  EXPECT_EQ(out.value(), 100'000.0f) << "the call has run";
}

TEST(explain, tells_why_this_kernel) {
  const device_array<float> in(std::vector<float>(1'000'000, 1)), out(5'000);
  const auto why = [&](std::size_t items) {
    return wf::explain([&] { wf::reduce(in.items().first(items), out.data(), wf::plus{}, {.max_blocks = 2}); })
        .at(0)
        .why;
  };
  EXPECT_EQ(why(100), "the items fit a block");
  EXPECT_EQ(why(1'000'000), "more items than one tile for each resident block");
  const auto scan = wf::explain([&] { wf::inclusive_scan(in.items().first(10), out.data()); }).at(0);
  EXPECT_EQ(scan.title(), "inclusive_scan 10 float");
  EXPECT_EQ(scan.why, "the items fit one tile");
}

TEST(explain, hears_all_launches_of_this_call_and_no_others) {
  const device_array<int> in(std::vector<int>(5'000, 1)), out(5'000), one(1);
  std::vector<wf::kernel_launch> inner;
  const auto outer = wf::explain([&] {
    wf::reduce(in.items(), one.data());
    inner = wf::explain([&] { wf::inclusive_scan(in.items(), out.data()); });
    wf::reduce(in.items().first(0), one.data());
  });
  ASSERT_EQ(outer.size(), 2u);
  EXPECT_EQ(outer[1].function, "reduce");
  EXPECT_EQ(outer[1].blocks, 1);
  EXPECT_EQ(outer[1].scratch_bytes, 0u) << "nothing is folded";
  ASSERT_EQ(inner.size(), 1u);
  EXPECT_EQ(inner[0].function, "inclusive_scan");
  wf::reduce(in.items(), one.data());
  EXPECT_EQ(outer.size(), 2u);
}

TEST(explain, passes_exceptions_on_and_listens_no_more) {
  const device_array<int> in(std::vector<int>(100, 1)), one(1);
  EXPECT_THROW(wf::explain([&] { wf::reduce(in.items(), one.data(), wf::plus{}, {.max_blocks = -1}); }),
               std::invalid_argument);
  wf::reduce(in.items(), one.data());
  EXPECT_EQ(wf::explain([] {}).size(), 0u);
}

void reduce_and_exit() {
  const device_array<int> in(std::vector<int>(100, 1)), one(1);
  wf::reduce(in.items(), one.data());
  std::exit(0);
}
// The variable is read once by a process.
TEST(explain, the_log_prints_a_line_for_each_launch) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ::setenv("WARPFOLD_LOG", "1", 1);
  EXPECT_EXIT(reduce_and_exit(), testing::ExitedWithCode(0),
              "warpfold: reduce: reduction::.*_kernel<.*int.*, 1 block of [0-9]+ threads");
  ::unsetenv("WARPFOLD_LOG");
}

}  // namespace explain_tests
