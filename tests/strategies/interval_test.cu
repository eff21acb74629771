// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every composition keeps order: nothing is swapped, lost or folded twice. Items of 16 bytes.
#include "common/interval.hpp"
#include "expect_fold.cuh"

namespace wf_test {
namespace {

using item = interval<std::int64_t>;

template <class S> class strategies_interval : public testing::Test {};
TYPED_TEST_SUITE(strategies_interval, ordered_compositions, composition_names);

TYPED_TEST(strategies_interval, is_in_order_at_every_border) {
  expect_fold<TypeParam, item>(&interval_items<item>, item::of(-1), join{}, equal_values{});
}

TYPED_TEST(strategies_interval, is_in_order_in_a_full_grid) {
  expect_fold_in_full_grid<TypeParam, item>(&interval_items<item>, join{}, equal_values{});
}

TYPED_TEST(strategies_interval, is_in_order_over_long_shares) {
  if (!runs_here<TypeParam>()) GTEST_SKIP() << needs_bulk_copies;
  const std::int64_t d = wf::facts_of<TypeParam, item, join>(1).data_block_items, count = 70 * d + 5;
  const device_array<item> in(interval_items<item>(count)), out(1);
  for (const int seed : {1, 2, 3}) {
    const schedule_seed schedule(static_cast<std::uint64_t>(seed));
    wf::reduce<TypeParam>(in.items(), out.data(), join{},
                          {.max_blocks = strategy_parts<TypeParam>::is_persistent ? 1 : 0});
    EXPECT_EQ(out.value(), item::of(0, count - 1)) << "seed " << seed;
  }
}

TYPED_TEST(strategies_interval, empty_input_gives_init_or_is_refused) {
  if (!runs_here<TypeParam>()) GTEST_SKIP() << needs_bulk_copies;
  const device_array<item> out(1);
  const std::span<const item> nothing;
  wf::reduce<TypeParam>(nothing, out.data(), join{}, {.init = item::of(-1)});
  EXPECT_EQ(out.value(), item::of(-1));
  EXPECT_THROW(wf::reduce<TypeParam>(nothing, out.data(), join{}), std::invalid_argument);
}

}  // namespace
}  // namespace wf_test
