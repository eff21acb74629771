// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moments of doubles near the ends of their range.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/statistics.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace statistics_range_tests {

namespace wf = warpfold;
using wf_test::device_array;

// Products of sums and counts would overflow, and so would squares of the sums' rounding errors.
TEST(moments_range, of_equal_doubles_of_any_magnitude) {
  const auto expect_equal = [](const auto& m, int count, double item) {
    ASSERT_EQ(m.count, count);
    ASSERT_NEAR(m.mean() / item, 1, 8 * 0x1p-53) << count << " items " << item;
    ASSERT_LE(m.stddev(), item < 1e165 ? 64 * 0x1p-53 * item : 0) << count << " items " << item;
  };
  for (const double item : {1e306, 1.1e305, 7e250, 3e170, 2.12e170, 1e160, 1e100, 0.1, 1e-300})
    for (int count = 1; count < 180; ++count) {
      const std::vector<double> items(static_cast<std::size_t>(count), item);
      expect_equal(wf::canonical_tree::replay(items.data(), count, wf::moments{}), count, item);
      expect_equal(wf::canonical_tree::replay(items.data(), count, wf::moments<4>{}), count, item);
      if (count % 50 != 0) continue;
      const device_array<double> in(items, count % 3);
      expect_equal(wf::reduce_value(in.items(), wf::moments{}), count, item);
      expect_equal(wf::reduce_value(in.items(), wf::statistics{}), count, item);
      const device_array<wf::moments_of<2>> out(count);
      const device_array<int> keys(std::vector<int>(items.size(), 7)), key(count), runs(1);
      wf::reduce_by_key(keys.items(), in.items(), key.data(), out.data(), runs.data(), wf::moments{});
      expect_equal(out.value(), count, item);
    }
}

TEST(moments_range, of_scaled_doubles_are_scaled) {
  const auto scaled = [](int exponent) {
    wf_test::random_source random(7);
    std::vector<double> items;
    for (int i = 0; i < 4099; ++i) {
      const double x = static_cast<double>(random() >> 11) * 0x1p-53;
      items.push_back(std::ldexp(x * x * x * x, exponent));
    }
    return wf::canonical_tree::replay(items.data(), std::ssize(items), wf::moments<4>{});
  };
  const auto plain = scaled(0);
  const auto is_normal = [](double power) { return std::isnormal(power) && std::isnormal(power * 0x1p-70); };
  int skewed = 0, all = 0;
  for (int exponent = -345; exponent <= 345; ++exponent) {
    const auto m = scaled(exponent);
    EXPECT_EQ(m.mean(), std::ldexp(plain.mean(), exponent));
    EXPECT_EQ(m.variance(), std::ldexp(plain.variance(), 2 * exponent));
    if (!is_normal(m.power[1])) continue;
    ++skewed;
    EXPECT_NEAR(m.skewness(), plain.skewness(), 1e-15 * plain.skewness()) << exponent;
    if (!is_normal(m.power[2])) continue;
    ++all;
    EXPECT_NEAR(m.kurtosis(), plain.kurtosis(), 1e-15 * plain.kurtosis()) << exponent;
  }
  EXPECT_GT(skewed, 640);
  EXPECT_GT(all, 475);
}

TEST(moments_range, what_overflows_is_infinite_or_nan) {
  const auto of = [](const std::vector<double>& items) {
    const device_array<double> in(items);
    return wf::reduce_value(in.items(), wf::moments{});
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(of({1e308, 1e308, 1e308}).mean(), infinity);
  EXPECT_TRUE(std::isnan(of({1e308, 1e308, 1e308}).variance()));
  EXPECT_TRUE(std::isnan(of({1e308, 1e308, -1e308, -1e308}).mean()));
  EXPECT_EQ(of({1e308, -1e308, 1e308, -1e308}).mean(), 0);
  const std::vector<double> infinite{1, infinity, 2, 3, 4};
  const auto all = wf::canonical_tree::replay(infinite.data(), 5, wf::moments<4>{});
  EXPECT_TRUE(std::isnan(all.variance()) && std::isnan(all.skewness()) && std::isnan(all.kurtosis()));
  for (const std::vector<double>& far :
       {std::vector{1e308, -1e308, 1e308, -1e308}, {1e160, 0, 0}, {1e300, 1e301, 1e302}})
    EXPECT_EQ(of(far).variance(), infinity) << far[0];
}

}  // namespace statistics_range_tests
