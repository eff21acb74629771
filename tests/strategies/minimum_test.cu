// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every composition with the paper's operator, float minimum: also of NaN and of both zeros.
#include <limits>

#include "common/random_items.hpp"
#include "expect_fold.cuh"

namespace wf_test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class S> class strategies_minimum : public testing::Test {};
using all_compositions = join_lists<ordered_compositions, atomic_compositions>;
TYPED_TEST_SUITE(strategies_minimum, all_compositions, composition_names);

TYPED_TEST(strategies_minimum, is_the_least_at_every_border) {
  const auto make = [](std::int64_t count) {
    auto items = random_items<float>(count, 11);
    for (std::int64_t i = 0; i < count; ++i) items[static_cast<std::size_t>(i)] += 1e6f - static_cast<float>(i);
    return items;  // the least is near the end
  };
  expect_fold<TypeParam, float>(make, 2e6f, wf::minimum{}, &same_bits<float>, {1, 2});
}

TYPED_TEST(strategies_minimum, a_nan_wins_wherever_it_stands) {
  if (!runs_here<TypeParam>()) GTEST_SKIP() << needs_bulk_copies;
  const device_array<float> out(1);
  const std::int64_t count = 5003;
  for (const std::int64_t place : {std::int64_t{0}, std::int64_t{1021}, std::int64_t{2500}, count - 1})
    for (const float sign : {1.0f, -1.0f}) {
      auto items = random_items<float>(count, 13);
      items[static_cast<std::size_t>(place)] = sign * nan;
      const device_array<float> in(items);
      wf::reduce<TypeParam>(in.items(), out.data(), wf::minimum{});
      EXPECT_TRUE(std::isnan(out.value())) << "NaN at " << place;
    }
  const device_array<float> in(random_items<float>(count, 13));
  wf::reduce<TypeParam>(in.items(), out.data(), wf::minimum{}, {.init = nan});
  EXPECT_TRUE(std::isnan(out.value())) << "NaN as init";
}

TYPED_TEST(strategies_minimum, the_negative_zero_is_less) {
  if (!runs_here<TypeParam>()) GTEST_SKIP() << needs_bulk_copies;
  std::vector<float> items(3001, 0.0f);
  items[2999] = -0.0f;
  const device_array<float> in(items), out(1);
  wf::reduce<TypeParam>(in.items(), out.data(), wf::minimum{});
  EXPECT_TRUE(same_bits(out.value(), -0.0f));
}

}  // namespace
}  // namespace wf_test
