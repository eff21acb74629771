// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sources' scans with their default blocks: a small case of each kernel, also for compute-sanitizer.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/strategies.cuh>

#include "common/device.cuh"

namespace wf_test {
namespace {

namespace wf = warpfold;
namespace strategies = wf::strategies;

template <class Algorithm> class strategies_scan_sums : public testing::Test {};
using algorithms = testing::Types<wf::block::hillis_steele<>, wf::block::up_down_sweep<wf::block::padding::none>,
                                  wf::block::up_down_sweep<>, wf::block::matrix_scan<>>;
TYPED_TEST_SUITE(strategies_scan_sums, algorithms);

TYPED_TEST(strategies_scan_sums, are_those_of_the_standard_library) {
  using S = wf::scan_strategy<TypeParam>;
  for (const std::int64_t count : {1, 600, 2 * TypeParam::data_block_items + 77}) {
    std::vector<std::int64_t> items(static_cast<std::size_t>(count)), expected(items.size());
    std::iota(items.begin(), items.end(), -40);
    const device_array<std::int64_t> in(items), out(count);
    strategies::exclusive_scan<S>(in.items(), out.data(), wf::plus{}, {.init = 7});
    std::exclusive_scan(items.begin(), items.end(), expected.begin(), std::int64_t{7});
    EXPECT_EQ(out.to_host(), expected) << count;
    strategies::inclusive_scan<S>(in.items(), in.data(), wf::plus{});
    std::inclusive_scan(items.begin(), items.end(), expected.begin());
    EXPECT_EQ(in.to_host(), expected) << count;
  }
}

TYPED_TEST(strategies_scan_sums, are_those_of_each_segment) {
  using S = wf::scan_strategy<TypeParam>;
  const std::int64_t count = 3 * TypeParam::data_block_items + 5;
  std::vector<int> ids(static_cast<std::size_t>(count)), expected(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<int>(i / 700);
    expected[i] = static_cast<int>(i % 700) + 1;
  }
  const device_array<int> in(std::vector<int>(ids.size(), 1)), owners(ids), out(count);
  strategies::segmented_inclusive_scan<S>(in.items(), wf::owners{owners.items()}, out.data(), wf::plus{});
  EXPECT_EQ(out.to_host(), expected);
  strategies::segmented_exclusive_scan<S>(in.items(), wf::owners{owners.items()}, out.data(), wf::plus{});
  for (int& sum : expected) --sum;
  EXPECT_EQ(out.to_host(), expected);
}

}  // namespace
}  // namespace wf_test
