// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every composition, the atomic ones as well, with int64 plus: the small case of each kernel, also for
// compute-sanitizer.
#include "common/random_items.hpp"
#include "expect_fold.cuh"

namespace wf_test {
namespace {

using item = std::int64_t;

template <class S> class strategies_integer_sum : public testing::Test {};
using all_compositions = join_lists<ordered_compositions, atomic_compositions>;
TYPED_TEST_SUITE(strategies_integer_sum, all_compositions, composition_names);

TYPED_TEST(strategies_integer_sum, wraps_and_misses_nothing_at_every_border) {
  const auto make = [](std::int64_t count) { return random_items<item>(count, 17); };
  expect_fold<TypeParam, item>(make, item{-1000}, wf::plus{}, equal_values{}, {1, 2});
}

TYPED_TEST(strategies_integer_sum, of_nothing_is_init_or_zero) {
  if (!runs_here<TypeParam>()) GTEST_SKIP() << needs_bulk_copies;
  const device_array<item> out(1);
  const std::span<const item> nothing;
  wf::reduce<TypeParam>(nothing, out.data());
  EXPECT_EQ(out.value(), 0);
  wf::reduce<TypeParam>(nothing, out.data(), {.init = 7});
  EXPECT_EQ(out.value(), 7);
}

TYPED_TEST(strategies_integer_sum, may_add_to_what_the_output_holds) {
  if (!runs_here<TypeParam>()) GTEST_SKIP() << needs_bulk_copies;
  const device_array<item> in(std::vector<item>(2500, 3)), out(std::vector<item>{100});
  wf::reduce<TypeParam>(in.items(), out.data(), wf::plus{}, {.init = out.data()});
  EXPECT_EQ(out.value(), 7600);
}

}  // namespace
}  // namespace wf_test
