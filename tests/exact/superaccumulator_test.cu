// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Superaccumulators on the host against integers of 2304 bits: every format, every rounding.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <warpfold/exact/operator.cuh>

#include "common/exact_reference.hpp"

namespace superaccumulator_tests {

namespace wf = warpfold;
using wf_test::hard_items;

template <class T> auto accumulated(const std::vector<T>& items) {
  auto sum = wf::identity<wf::exact_plus, wf::accumulator_t<wf::exact_plus, T>>::value();
  if (!items.empty()) sum = wf::exact_plus{}.lift(items[0]);
  for (std::size_t i = 1; i < items.size(); ++i) sum = wf::exact_plus{}(sum, wf::exact_plus{}.lift(items[i]));
  return sum;
}

/// Sums of up to 40 items of every kind, each rounded to all four formats.
template <class T> void expect_correct_rounding(int cases) {
  wf_test::random_source source(sizeof(T) + wf::exact::format<T>::digits);
  for (int i = 0; i < cases; ++i)
    for (const hard_items what : wf_test::all_hard_items) {
      const auto items = wf_test::make_hard_items<T>(what, source.below(i % 8 == 0 ? 40 : 5) + 1, source);
      const auto sum = accumulated(items);
      const wf_test::exact_sum expected = wf_test::exact_sum_of(items);
      ASSERT_TRUE(expected.rounds_to(wf::exact_plus{}.lower(sum))) << static_cast<int>(what) << ' ' << i;
      ASSERT_TRUE(expected.rounds_to(wf::exact_plus_as<float>{}.lower(sum))) << static_cast<int>(what) << ' ' << i;
      ASSERT_TRUE(expected.rounds_to(wf::exact_plus_as<double>{}.lower(sum))) << static_cast<int>(what) << ' ' << i;
      ASSERT_TRUE(expected.rounds_to(wf::exact_plus_as<__half>{}.lower(sum))) << static_cast<int>(what) << ' ' << i;
      ASSERT_TRUE(expected.rounds_to(wf::exact_plus_as<__nv_bfloat16>{}.lower(sum))) << static_cast<int>(what);
    }
}

TEST(superaccumulator, rounds_sums_of_floats) { expect_correct_rounding<float>(1500); }
TEST(superaccumulator, rounds_sums_of_doubles) { expect_correct_rounding<double>(600); }
TEST(superaccumulator, rounds_sums_of_halves) { expect_correct_rounding<__half>(1500); }
TEST(superaccumulator, rounds_sums_of_bfloats) { expect_correct_rounding<__nv_bfloat16>(1500); }

TEST(superaccumulator, one_item_is_itself) {
  wf_test::random_source source(3);
  for (int i = 0; i < 20000; ++i) {
    const auto bits = static_cast<std::uint32_t>(i < 1000 ? i : source());
    const float item = wf::exact::bits_as<float>(bits);
    const float back = wf::exact_plus{}.lower(wf::exact_plus{}.lift(item));
    ASSERT_TRUE(item != item ? back != back : wf::exact::bits_as<std::uint32_t>(back) == bits) << bits;
  }
}

TEST(superaccumulator, rounds_ties_to_even_once) {
  const auto sum = [](std::vector<double> items) { return wf::exact_plus{}.lower(accumulated(items)); };
  EXPECT_EQ(sum({1, 0x1p-53}), 1);
  EXPECT_EQ(sum({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
  EXPECT_EQ(sum({1, 0x1p-53, 0x1p-1074}), 1 + 0x1p-52);
  EXPECT_EQ(sum({1, 0x1p-53, -0x1p-1074}), 1);
  const std::vector<double> twice_rounded{1, 0x1p-24, -0x1p-60};  // by way of double, a tie that goes to even: 1
  EXPECT_EQ(wf::exact_plus_as<float>{}.lower(accumulated(std::vector<double>{1 + 0x1p-23, 0x1p-24, -0x1p-60})),
            1 + 0x1p-23f);
  EXPECT_EQ(wf::exact_plus_as<float>{}.lower(accumulated(twice_rounded)), 1);
}

// 1 + 2^-24 is a tie, which any bit below decides, in whichever word it lies; each word is the lowest in turn.
TEST(superaccumulator, a_bit_in_any_word_decides_a_tie) {
  for (int k = 25; k <= 149; ++k) {
    const float below = std::ldexp(1.0f, -k);
    EXPECT_EQ(wf::exact_plus{}.lower(accumulated(std::vector<float>{1, 0x1p-24f, below})), 1 + 0x1p-23f) << k;
    EXPECT_EQ(wf::exact_plus{}.lower(accumulated(std::vector<float>{-1, -0x1p-24f, -below})), -1 - 0x1p-23f) << k;
    EXPECT_EQ(wf::exact_plus{}.lower(accumulated(std::vector<float>{1, 0x1p-24f, -below})), 1) << k;
  }
  for (int scale = -60; scale <= 60; ++scale)
    for (int k = 54; k <= 300; k += 7) {
      const double one = std::ldexp(1.0, scale), half = std::ldexp(1.0, scale - 53), below = std::ldexp(1.0, scale - k);
      EXPECT_EQ(wf::exact_plus{}.lower(accumulated(std::vector<double>{one, half, below})), one * (1 + 0x1p-52));
      EXPECT_EQ(wf::exact_plus{}.lower(accumulated(std::vector<double>{one, half, -below})), one);
    }
}

// A failure says what should have been found, of which items: the last digits are what such tests are about.
TEST(exact_reference, says_items_and_both_results) {
  const auto sum = wf_test::exact_sum_of(std::vector<float>{1, 0x1p-24f, -0x1p-70f});
  EXPECT_TRUE(sum.rounds_to(1.0f));
  const auto answer = sum.rounds_to(1 + 0x1p-23f);
  EXPECT_FALSE(answer);
  EXPECT_STREQ(answer.message(),
               "0x1.000002p+0 (0x3f800001) is not 0x1p+0 (0x3f800000), the sum of 3 items: 0x1p+0 0x1p-24 -0x1p-70\n");
  EXPECT_EQ(std::string(wf_test::exact_sum_of(std::vector<double>{-1, -0x1p-53, -0x1p-90}).rounds_to(-1.0).message()),
            "-0x1p+0 (0xbff0000000000000) is not -0x1.0000000000001p+0 (0xbff0000000000001), the sum of 3 items: "
            "-0x1p+0 -0x1p-53 -0x1p-90\n");
  EXPECT_FALSE(wf_test::exact_sum_of(std::vector<float>{-0.0f}).rounds_to(0.0f));
  EXPECT_FALSE(wf_test::exact_sum_of(std::vector<float>{1, std::numeric_limits<float>::infinity()}).rounds_to(1.0f));
}

TEST(superaccumulator, overflows_only_if_the_sum_does) {
  const float max = std::numeric_limits<float>::max();
  const auto sum = [](std::vector<float> items) { return wf::exact_plus{}.lower(accumulated(items)); };
  EXPECT_EQ(sum({max, max, -max}), max);
  EXPECT_EQ(sum({max, 0x1p102f}), max);  // below half a unit past it
  EXPECT_EQ(sum({max, 0x1p103f}), std::numeric_limits<float>::infinity());
  EXPECT_EQ(sum({-max, -0x1p103f}), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(sum({max, 0x1p103f, -0x1p-149f}), max);
}

TEST(superaccumulator, holds_a_sum_of_very_many_items) {
  for (const double item : {std::numeric_limits<double>::max(), -std::numeric_limits<double>::denorm_min()}) {
    auto sum = wf::exact_plus{}.lift(item);
    for (int i = 0; i < 62; ++i) sum = wf::exact_plus{}(sum, sum);  // 2^62 of them
    const auto opposite = wf::exact_plus{}.lift(-item);
    auto less = opposite;
    for (int i = 0; i < 62; ++i) less = wf::exact_plus{}(less, less);
    EXPECT_EQ(wf::exact_plus{}.lower(wf::exact_plus{}(wf::exact_plus{}(sum, less), wf::exact_plus{}.lift(item))), item);
  }
}

}  // namespace superaccumulator_tests
