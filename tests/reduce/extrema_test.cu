// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point extrema where they go wrong: one NaN among many items, only NaNs, zeros of both signs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "common/random_items.hpp"
#include "reduce/expect_canonical.cuh"

namespace wf = warpfold;

namespace {

template <class T> constexpr T nan = std::numeric_limits<T>::quiet_NaN();
constexpr std::int64_t count = 20'011;

template <class T, class Op> T reduced(const std::vector<T>& items, Op op) {
  const wf_test::device_array<T> in(items, 1), out(1);
  wf::reduce(in.items(), out.data(), op);
  return out.value();
}

template <class T> class reduce_extrema : public testing::Test {
 protected:
  std::vector<T> items_ = wf_test::random_items<T>(count);
  const T least_ = *std::min_element(items_.begin(), items_.end());
  const T greatest_ = *std::max_element(items_.begin(), items_.end());
};
using real_types = testing::Types<float, double>;
TYPED_TEST_SUITE(reduce_extrema, real_types);

TYPED_TEST(reduce_extrema, numbers) {
  EXPECT_EQ(reduced(this->items_, wf::minimum{}), this->least_);
  EXPECT_EQ(reduced(this->items_, wf::maximum{}), this->greatest_);
}

TYPED_TEST(reduce_extrema, one_nan_anywhere) {
  for (const std::size_t i : {0, 1, 511, 10'000, 20'010}) {
    auto items = this->items_;
    items[i] = nan<TypeParam>;
    EXPECT_TRUE(std::isnan(reduced(items, wf::minimum{}))) << i;
    EXPECT_TRUE(std::isnan(reduced(items, wf::maximum{}))) << i;
    const auto without = [&](auto less) {
      std::vector<TypeParam> numbers;
      for (const TypeParam item : items)
        if (item == item) numbers.push_back(item);
      return *std::min_element(numbers.begin(), numbers.end(), less);
    };
    EXPECT_EQ(reduced(items, wf::minimum_number{}), without(std::less{}));
    EXPECT_EQ(reduced(items, wf::maximum_number{}), without(std::greater{}));
  }
}

TYPED_TEST(reduce_extrema, nothing_but_nan) {
  const std::vector<TypeParam> items(count, nan<TypeParam>);
  EXPECT_TRUE(std::isnan(reduced(items, wf::minimum_number{})));
  EXPECT_TRUE(std::isnan(reduced(items, wf::maximum_number{})));
}

TYPED_TEST(reduce_extrema, minus_zero_is_less_than_zero) {
  for (const std::size_t i : {0, 777, 20'010}) {
    std::vector<TypeParam> items(count, TypeParam(0));
    items[i] = TypeParam(-0.0);
    EXPECT_TRUE(std::signbit(reduced(items, wf::minimum{}))) << i;
    EXPECT_TRUE(std::signbit(reduced(items, wf::minimum_number{}))) << i;
    EXPECT_FALSE(std::signbit(reduced(items, wf::maximum{}))) << i;
    for (TypeParam& item : items) item = -item;  // one +0 among -0
    EXPECT_FALSE(std::signbit(reduced(items, wf::maximum{}))) << i;
    EXPECT_FALSE(std::signbit(reduced(items, wf::maximum_number{}))) << i;
  }
}

}  // namespace
