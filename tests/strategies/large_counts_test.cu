// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named strategies past 2^31 and 2^32 items, which an iterator computes. The emulator is too slow for so many.
#include <warpfold/segmented_reduce.cuh>

#include "common/interval.hpp"
#include "expect_fold.cuh"

namespace wf_test {
namespace {

using item = interval<std::int64_t>;

struct counted {
  using value_type = item;
  using difference_type = std::int64_t;
  __host__ __device__ item operator[](std::int64_t i) const { return item::of(i); }
};

template <class S> class strategies_large_counts : public testing::Test {};
using large_strategies =
    testing::Types<wf::strategy<wf::block::shuffle<>, wf::grid::multi_pass>,
                   wf::strategy<wf::block::matrix<>, wf::grid::persistent, wf::finish::last_block>,
                   wf::strategy<wf::block::warp_tree<>, wf::grid::producer_consumer<8, 8>, wf::finish::two_launch>,
                   wf::strategy<wf::block::tree<>, wf::grid::bulk_producer_consumer<2, 8, 3>, wf::finish::last_block>>;
TYPED_TEST_SUITE(strategies_large_counts, large_strategies, composition_names);

TYPED_TEST(strategies_large_counts, keep_order) {
  if (!runs_here<TypeParam>()) GTEST_SKIP() << needs_bulk_copies;
  const device_array<item> out(1);
  for (const std::int64_t count : {(std::int64_t{1} << 31) + 1, (std::int64_t{1} << 32) + 12'345}) {
    wf::reduce<TypeParam>(counted{}, count, out.data(), join{}, {.init = item::of(-1)});
    EXPECT_EQ(out.value(), item::of(-1, count - 1)) << count;
  }
}

/// Owners of one byte; of five segments two are empty, and two have more than 2^31 - 13'000 items.
template <class S> void expect_segmented_order() {
  const std::int64_t count = (std::int64_t{1} << 32) + 12'345, first = (std::int64_t{1} << 31) + 77;
  const device_array<std::uint8_t> ids(count);
  const device_array<item> out(5);
  const auto fill = [&](std::int64_t from, std::int64_t to, int owner) {
    wf::check(cudaMemset(ids.data() + from, owner, static_cast<std::size_t>(to - from)), "cudaMemset");
  };
  fill(0, first, 0), fill(first, first + 3, 2), fill(first + 3, count, 3);
  wf::segmented_reduce<S>(counted{}, count, wf::owners{ids.items()}, std::span(out.data(), 5), join{},
                          {.empty = item::of(-7)});
  EXPECT_EQ(out.to_host(), (std::vector<item>{item::of(0, first - 1), item::of(-7), item::of(first, first + 2),
                                              item::of(first + 3, count - 1), item::of(-7)}));
}
TEST(strategies_large_segmented_counts, keep_order) {
  expect_segmented_order<wf::strategy<wf::block::segmented::tree<>, wf::grid::multi_pass>>();
  expect_segmented_order<
      wf::strategy<wf::block::segmented::warp_tree<>, wf::grid::persistent, wf::finish::two_launch>>();
  expect_segmented_order<wf::strategy<wf::block::segmented::matrix<>, wf::grid::persistent, wf::finish::last_block>>();
  expect_segmented_order<
      wf::strategy<wf::block::segmented::matrix<32, 16>, wf::grid::producer_consumer<>, wf::finish::last_block>>();
}

}  // namespace
}  // namespace wf_test
