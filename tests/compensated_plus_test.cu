// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compensated and plain sums against exact ones: the error bounds that their headers state, on sums of any condition.
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/compensated_plus.hpp>
#include <warpfold/exact/operator.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/segmented_reduce.cuh>

#include "common/device.cuh"
#include "common/exact_reference.hpp"
#include "common/ill_conditioned.hpp"
#include "common/same_bits.hpp"
#include "common/special_values.hpp"

namespace compensated_plus_tests {

namespace wf = warpfold;
using wf_test::device_array;

/// An exact sum rounded once, here to double.
template <class T> double exactly(const std::vector<T>& items, bool magnitudes) {
  auto sum = wf::identity<wf::exact_plus, wf::exact::superaccumulator<T>>::value();
  for (const T item : items) sum = wf::exact_plus{}(sum, wf::exact_plus{}.lift(magnitudes ? std::fabs(item) : item));
  return wf::exact_plus_as<double>{}.lower(sum);
}
/// |result - the exact sum|, rounded once.
template <class T> double error_of(T result, const std::vector<T>& items) {
  auto sum = wf::exact_plus{}.lift(-result);
  for (const T item : items) sum = wf::exact_plus{}(sum, wf::exact_plus{}.lift(item));
  return std::fabs(wf::exact_plus_as<double>{}.lower(sum));
}
template <class T> constexpr double unit_roundoff = std::numeric_limits<T>::epsilon() / 2.0;

double levels(std::size_t count) { return static_cast<double>(std::bit_width(count - 1)); }

/// u |S| + 2 h^2 u^2 (1 + 4 h u) X.
template <class T> double compensated_bound(const std::vector<T>& items) {
  const double u = unit_roundoff<T>, h = levels(items.size());
  return u * std::fabs(exactly(items, false)) + 2 * h * h * u * u * (1 + 4 * h * u) * exactly(items, true);
}
/// h u / (1 - h u) X.
template <class T> double plain_bound(const std::vector<T>& items) {
  const double hu = levels(items.size()) * unit_roundoff<T>;
  return hu / (1 - hu) * exactly(items, true);
}

/// Both operators on sums of every condition. Plain sums of the ill-conditioned ones are wrong, which shows that they
/// are.
template <class T> void expect_errors_within_bounds() {
  wf_test::random_source source(sizeof(T));
  bool has_lost_everything = false;
  for (double condition = 1e1; condition < 2e16; condition *= 1e1)
    for (const int count : {100, 999, 6000}) {
      const std::vector<T> items = wf_test::ill_conditioned_items<T>(count, condition, source);
      const device_array<T> in(items);
      const T plain = wf::reduce_value(in.items(), wf::plus{});
      const T compensated = wf::reduce_value(in.items(), wf::compensated_plus{});
      // The comparison rounds the bounds by less than this.
      constexpr double slack = 1 + 1e-12;
      ASSERT_LE(error_of(plain, items), plain_bound(items) * slack) << condition << ' ' << count;
      ASSERT_LE(error_of(compensated, items), compensated_bound(items) * slack) << condition << ' ' << count;
      const double sum = std::fabs(exactly(items, false));
      has_lost_everything = has_lost_everything || error_of(plain, items) > sum / 2;
      if (condition < 1e6 && std::is_same_v<T, double>) {  // then the second term is small
        EXPECT_LE(error_of(compensated, items), 1.01 * unit_roundoff<T> * sum);
      }
    }
  EXPECT_TRUE(has_lost_everything);
}

TEST(compensated_plus, errors_of_floats_are_within_the_bounds) { expect_errors_within_bounds<float>(); }
TEST(compensated_plus, errors_of_doubles_are_within_the_bounds) { expect_errors_within_bounds<double>(); }

TEST(compensated_plus, plain_sums_of_random_items_are_within_the_bound) {
  for (const int count : {1, 2, 3, 1000, 20000}) {
    const auto items = wf_test::random_items<float>(count, 5);
    const device_array<float> in(items);
    const float sum = wf::reduce_value(in.items(), wf::plus{});
    if (count > 1) ASSERT_LE(error_of(sum, items), plain_bound(items)) << count;
    else ASSERT_EQ(sum, items[0]);
  }
}

TEST(compensated_plus, has_the_bits_of_the_tree) {
  for (const int count : {1, 2, 3, 255, 4097, 30000}) {
    const auto items = wf_test::random_items<float>(count, 7);
    const device_array<float> in(items, count % 4);
    const auto root = wf::canonical_tree::replay(items.data(), count, wf::compensated_plus{});
    const float expected = wf::compensated_plus{}.lower(root);
    ASSERT_TRUE(wf_test::same_bits(wf::reduce_value(in.items(), wf::compensated_plus{}), expected)) << count;
  }
}

TEST(compensated_plus, segments_have_the_bits_of_their_own_sum) {
  const auto items = wf_test::random_items<double>(3000, 8);
  const device_array<double> in(items), out(4);
  const device_array<int> offsets(std::vector<int>{0, 0, 10, 1700, 3000});
  wf::segmented_reduce(in.items(), offsets.items(), std::span<double>(out.data(), 4), wf::compensated_plus{});
  EXPECT_TRUE(wf_test::same_bits(out.value(0), 0.0));
  const int bounds[] = {0, 10, 1700, 3000};
  for (int s = 0; s < 3; ++s) {
    const auto root =
        wf::canonical_tree::replay(items.data() + bounds[s], bounds[s + 1] - bounds[s], wf::compensated_plus{});
    EXPECT_TRUE(wf_test::same_bits(out.value(s + 1), wf::compensated_plus{}.lower(root))) << s;
  }
}

// Infinities, NaN, overflow and zeros are those of plus.
TEST(compensated_plus, special_values_are_those_of_plus) {
  const auto values = wf_test::special_values<float>();
  for (const float a : values)
    for (const float b : values)
      for (const float c : {0.0f, -0.0f, 1.0f, FLT_MAX, -std::numeric_limits<float>::infinity()}) {
        const std::vector<float> items{a, b, c};
        const float plain = wf::canonical_tree::replay(items.data(), 3, wf::plus{});
        const float sum =
            wf::compensated_plus{}.lower(wf::canonical_tree::replay(items.data(), 3, wf::compensated_plus{}));
        if (std::isnan(plain)) ASSERT_TRUE(std::isnan(sum)) << a << ' ' << b << ' ' << c;
        else if (std::isinf(plain)) ASSERT_EQ(sum, plain) << a << ' ' << b << ' ' << c;
        else if (plain == 0 && sum == 0) ASSERT_EQ(std::signbit(sum), std::signbit(plain)) << a << ' ' << b << ' ' << c;
        else ASSERT_TRUE(std::isfinite(sum)) << a << ' ' << b << ' ' << c;
      }
}

TEST(compensated_plus, halves_accumulate_in_float) {
  static_assert(std::is_same_v<wf::accumulator_t<wf::compensated_plus, __half>, wf::compensated_sum<float>>);
  std::vector<__half> items(5000, __float2half(0.0001f));
  items[0] = __float2half(60000.0f);
  const device_array<__half> in(items);
  const wf_test::exact_sum expected = wf_test::exact_sum_of(items);
  EXPECT_TRUE(expected.rounds_to(wf::reduce_value(in.items(), wf::compensated_plus{})));
}

}  // namespace compensated_plus_tests
