// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moments and statistics against references of twice the precision.
#include <cuda_fp16.h>

#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_axes.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/statistics.hpp>
#include <warpfold/vector_operators.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"
#include "common/special_values.hpp"

namespace statistics_tests {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::same_bits;

/// A sum of two doubles: 106 bits. long double has 64 under x86, and is no wider than double elsewhere.
struct twofold {
  double high = 0, low = 0;
  static twofold sum(double a, double b) {
    const double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
  }
  friend twofold operator+(const twofold& a, const twofold& b) {
    const twofold s = sum(a.high, b.high);
    return sum(s.high, s.low + a.low + b.low);
  }
  friend twofold operator-(const twofold& a, const twofold& b) { return a + twofold{-b.high, -b.low}; }
  friend twofold operator*(const twofold& a, const twofold& b) {
    const double p = a.high * b.high;
    return sum(p, std::fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
  }
  twofold over(double n) const {
    const double q = high / n;
    return sum(q, (std::fma(-q, n, high) + low) / n);
  }
};

struct reference {
  double mean, variance, skewness, kurtosis;

  template <class T> explicit reference(const std::vector<T>& items) {
    const auto n = static_cast<double>(items.size());
    twofold total, powers[3];
    for (const T& item : items) total = total + twofold{static_cast<double>(item)};
    const twofold center = total.over(n);
    for (const T& item : items) {
      const twofold d = twofold{static_cast<double>(item)} - center, square = d * d;
      powers[0] = powers[0] + square;
      powers[1] = powers[1] + square * d;
      powers[2] = powers[2] + square * square;
    }
    mean = center.high;
    variance = powers[0].over(n).high;
    skewness = powers[1].over(n).high / (variance * std::sqrt(variance));
    kurtosis = powers[2].over(n).high / (variance * variance);
  }
};

double ulps(double actual, double expected) {
  return std::abs(actual - expected) /
         (std::nextafter(std::abs(expected), std::numeric_limits<double>::infinity()) - std::abs(expected));
}
/// Normal deviates around `mean`.
template <class T> std::vector<T> deviates(int count, double mean, std::uint64_t seed) {
  wf_test::random_source random(seed);
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  std::vector<T> items;
  for (int i = 0; i < count; ++i)
    items.push_back(
        static_cast<T>(mean + std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform())));
  return items;
}

TEST(moments, are_those_of_the_reference) {
  double worst_variance = 0;
  for (const double mean : {0., 1., 1e3, 1e6, -1e6})
    for (const int count : {2, 3, 33, 1000, 4099, 45007}) {
      const std::vector<float> items = deviates<float>(count, mean, static_cast<std::uint64_t>(count));
      const reference expected(items);
      const device_array<float> in(items, count % 3);
      const wf::moments_of<4> actual = wf::reduce_value(in.items(), wf::moments<4>{});
      EXPECT_EQ(actual.count, count);
      EXPECT_NEAR(actual.mean(), expected.mean, 4e-16 * std::abs(expected.mean) + 1e-16) << mean << ' ' << count;
      EXPECT_LE(ulps(actual.variance(), expected.variance), 4) << mean << ' ' << count;
      EXPECT_NEAR(actual.skewness(), expected.skewness, 1e-13) << mean << ' ' << count;
      EXPECT_NEAR(actual.kurtosis(), expected.kurtosis, 1e-13) << mean << ' ' << count;
      EXPECT_NEAR(actual.excess_kurtosis(), expected.kurtosis - 3, 1e-13);
      EXPECT_NEAR(actual.sample_variance(), expected.variance * count / (count - 1), 1e-14 * expected.variance);
      EXPECT_EQ(actual.stddev(), std::sqrt(actual.variance()));
      worst_variance = std::max(worst_variance, ulps(actual.variance(), expected.variance));
    }
  std::printf("worst variance: %g ulp\n", worst_variance);
}

TEST(moments, of_doubles_lose_the_digits_of_their_distance_from_zero) {
  const std::vector<double> items = deviates<double>(20011, 1e6, 3);
  const reference expected(items);
  const device_array<double> in(items, 1);
  const auto actual = wf::reduce_value(in.items(), wf::moments{});
  EXPECT_NEAR(actual.variance(), expected.variance, 1e6 * 0x1p-53 * expected.variance);
}

TEST(moments, have_the_bits_of_the_tree) {
  std::vector<float> items = wf_test::random_items<float>(45007);
  const auto expect = [&](auto op) {
    for (const std::int64_t offset : {0, 1, 3})
      for (const int count : {1, 2, 31, 128, 512, 1000, 1024, 4099, 45007}) {
        const device_array<float> in(std::span<const float>(items).first(static_cast<std::size_t>(count)), offset);
        for (const int max_blocks : {0, 1})
          EXPECT_TRUE(same_bits(wf::reduce_value(in.items(), op, {.max_blocks = max_blocks}),
                                wf::canonical_tree::replay(items.data(), count, op)))
              << count << ' ' << offset;
      }
  };
  expect(wf::moments{});
  expect(wf::moments<4>{});
  for (std::size_t i = 0; i < items.size(); i += 3001) items[i] = std::numeric_limits<float>::quiet_NaN();
  expect(wf::moments<2, wf::nan_policy::omit>{});  // in most batches, all items count
  for (std::size_t i = 0; i < items.size(); i += 97) items[i] = std::numeric_limits<float>::quiet_NaN();
  expect(wf::moments<3, wf::nan_policy::omit>{});
}

TEST(moments, join_in_any_order_within_rounding) {
  wf_test::random_source random(11);
  const wf::moments<4> op;
  const auto none = wf::identity<wf::moments<4>, wf::moments_of<4>>::value();
  const auto part = [&] {  // of 0 to 8 items
    wf::moments_of<4> all = none;
    for (std::int64_t k = random.below(9); k > 0; --k) all = op(all, op.lift(wf_test::random_item<float>(random)));
    return all;
  };
  for (int round = 0; round < 100'000; ++round) {
    const auto a = part(), b = part(), c = part();
    ASSERT_TRUE(same_bits(op(none, a), a) && same_bits(op(a, none), a));
    const auto left = op(op(a, b), c), right = op(a, op(b, c));
    ASSERT_EQ(left.count, right.count);
    // Each power is a sum of terms no larger than scale^p, n of them, with fewer than 100 roundings in each.
    const double n = static_cast<double>(left.count), scale = 2 * std::sqrt(left.power[0]) + 1e-300,
                 bound = 100 * 0x1p-53 * (n + 1);
    ASSERT_NEAR(left.power[0], right.power[0], bound * scale * scale);
    ASSERT_NEAR(left.power[1], right.power[1], bound * scale * scale * scale);
    ASSERT_NEAR(left.power[2], right.power[2], bound * scale * scale * scale * scale);
  }
}

TEST(moments, of_nothing_of_one_and_of_no_numbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const auto of = [](const std::vector<float>& items) {
    const device_array<float> in(items);
    return wf::reduce_value(in.items(), wf::moments{});
  };
  EXPECT_EQ(of({}).count, 0);
  EXPECT_TRUE(std::isnan(of({}).mean()) && std::isnan(of({}).variance()));
  EXPECT_EQ(of({3}).mean(), 3);
  EXPECT_EQ(of({3}).variance(), 0);
  EXPECT_TRUE(std::isnan(of({3}).sample_variance()));
  EXPECT_TRUE(std::isnan(of({nan}).mean()) && std::isnan(of({nan}).variance()));
  EXPECT_TRUE(std::isnan(of({1, nan, 2, 3}).mean()) && std::isnan(of({1, nan, 2, 3}).variance()));
  EXPECT_EQ(of({1, infinity, 2, 3}).mean(), infinity);
  EXPECT_TRUE(std::isnan(of({1, infinity, 2, 3}).variance()) && std::isnan(of({infinity}).variance()));
}

TEST(statistics, leave_nan_out_and_count_them) {
  std::vector<float> items = deviates<float>(20011, 50, 9), numbers;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (i % 7 == 3 || i / 1000 == 4) items[i] = std::numeric_limits<float>::quiet_NaN();
    else numbers.push_back(items[i]);
  const reference expected(numbers);
  for (const int offset : {0, 1}) {
    const device_array<float> in(items, offset);
    const wf::statistics_of<float> all = wf::reduce_value(in.items(), wf::statistics{});
    EXPECT_EQ(all.count, std::ssize(numbers));
    EXPECT_EQ(all.nan_count, std::ssize(items) - std::ssize(numbers));
    EXPECT_EQ(all.minimum, *std::min_element(numbers.begin(), numbers.end()));
    EXPECT_EQ(all.maximum, *std::max_element(numbers.begin(), numbers.end()));
    EXPECT_LE(ulps(all.variance(), expected.variance), 8);
    EXPECT_TRUE(
        same_bits(all.variance(), wf::reduce_value(in.items(), wf::moments<2, wf::nan_policy::omit>{}).variance()));
    const auto propagated = wf::reduce_value(in.items(), wf::statistics<2, wf::nan_policy::propagate>{});
    EXPECT_EQ(propagated.nan_count, all.nan_count);
    EXPECT_TRUE(std::isnan(propagated.minimum) && std::isnan(propagated.maximum) && std::isnan(propagated.mean()));
  }
  const device_array<float> none(0);
  const auto empty = wf::reduce_value(none.items(), wf::statistics{});
  EXPECT_TRUE(empty.count == 0 && empty.nan_count == 0 && std::isnan(empty.minimum) && std::isnan(empty.mean()));
}

TEST(statistics, of_integers_and_halves) {
  const device_array<std::int16_t> integers(std::vector<std::int16_t>{-32768, 5, 32767, 7, 7});
  const wf::statistics_of<int> all = wf::reduce_value(integers.items(), wf::statistics{});
  EXPECT_EQ(all.minimum, -32768);
  EXPECT_EQ(all.maximum, 32767);
  EXPECT_EQ(all.mean(), 18. / 5);
  std::vector<__half> halves;
  for (const float x : {1.f, 2.f, 4.f}) halves.push_back(__float2half(x));
  halves.push_back(__float2half(std::numeric_limits<float>::quiet_NaN()));
  const device_array<__half> half_items(halves);
  const wf::statistics_of<float> of_halves = wf::reduce_value(half_items.items(), wf::statistics{});
  EXPECT_EQ(of_halves.maximum, 4);
  EXPECT_EQ(of_halves.nan_count, 1);
  EXPECT_NEAR(of_halves.mean(), 7. / 3, 1e-15);
}

TEST(statistics, of_segments_runs_and_beside_others) {
  const std::vector<float> items = deviates<float>(9001, 10, 4);
  std::vector<int> offsets{0}, keys;
  for (int length = 1; offsets.back() < 9001; length = length * 3 % 701 + 1)
    offsets.push_back(std::min(9001, offsets.back() + length));
  for (int i = 0; i < 9001; ++i) keys.push_back(i / 900);
  const device_array<float> in(items, 1), sums(static_cast<std::int64_t>(offsets.size()) - 1);
  const device_array<int> device_offsets(offsets), device_keys(keys), out_keys(20), runs(1);
  const device_array<wf::statistics_of<float>> out(static_cast<std::int64_t>(offsets.size()) - 1);
  wf::segmented_reduce(in.items(), device_offsets.items(), wf::outputs(out.data(), sums.data()),
                       wf::fuse(wf::statistics{}, wf::plus{}));
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const int first = offsets[s], length = offsets[s + 1] - first;
    const auto tree =
        wf::statistics{}.lower(wf::canonical_tree::replay(items.data() + first, length, wf::statistics{}));
    const auto own = out.value(static_cast<std::int64_t>(s));
    EXPECT_TRUE(same_bits(own.power[0], tree.power[0]) && same_bits(own.sum, tree.sum)) << length;
    EXPECT_EQ(own.count, length);
    EXPECT_EQ(own.minimum, tree.minimum);
    EXPECT_TRUE(same_bits(sums.value(static_cast<std::int64_t>(s)),
                          wf::canonical_tree::replay(items.data() + first, length, wf::plus{})));
  }
  const std::span<int> room(out_keys.data(), 11);  // outputs without size would have room for all items
  wf::reduce_by_key(device_keys.items(), in.items(), room, out.data(), runs.data(), wf::statistics{});
  ASSERT_EQ(runs.value(), 11);
  for (int run = 0; run < 11; ++run) {
    const auto tree =
        wf::canonical_tree::replay_part(items.data(), run * 900, std::min(run * 900 + 900, 9001), wf::statistics{});
    EXPECT_TRUE(same_bits(out.value(run).power[0], get<0>(tree).power[0]));
  }
}

template <int Order> void expect_bits(const wf::moments_of<Order>& found, const wf::moments_of<Order>& expected) {
  ASSERT_EQ(found.count, expected.count);
  ASSERT_TRUE(wf_test::same_bits_or_nan(found.sum, expected.sum));
  for (int p = 0; p < Order - 1; ++p) ASSERT_TRUE(wf_test::same_bits_or_nan(found.power[p], expected.power[p])) << p;
}
template <class E, int Order>
void expect_bits(const wf::statistics_of<E, Order>& found, const wf::statistics_of<E, Order>& expected) {
  expect_bits<Order>(found, expected);
  ASSERT_TRUE(wf_test::same_bits_or_nan(found.minimum, expected.minimum));
  ASSERT_TRUE(wf_test::same_bits_or_nan(found.maximum, expected.maximum));
  ASSERT_EQ(found.nan_count, expected.nan_count);
}
using mean_and_moments = wf::fused<float, wf::moments_of<2>>;
void expect_bits(const mean_and_moments& found, const mean_and_moments& expected) {
  ASSERT_TRUE(wf_test::same_bits_or_nan(found.get<0>(), expected.get<0>()));
  expect_bits<2>(found.get<1>(), expected.get<1>());
}

/// Segments of random lengths; rows, columns, a middle axis and both outer axes of random shapes, if `OverAxes`; with
/// some NaN and infinities: full nodes have no counts, others do.
template <class T, bool OverAxes = true, class Op> void expect_the_tree(const Op& op, T (*number)(float)) {
  using A = wf::accumulator_t<Op, T>;
  using R = wf::lowered_t<Op, A>;
  wf_test::random_source random(12);
  constexpr std::int64_t most = 40'000;
  for (int round = 0; round < 12; ++round) {
    std::vector<float> floats = deviates<float>(most, 10, 4);
    if (round % 3 == 1)
      for (float& x : floats)
        if (random.below(50) == 0) x = random.below(9) > 0 ? NAN : HUGE_VALF;
    if (round % 3 == 2) floats[random.below(most)] = NAN;
    std::vector<T> items;
    for (const float x : floats) items.push_back(number(x));
    const auto tree = [&](std::int64_t first, std::int64_t count, auto place) {
      std::vector<T> own;
      for (std::int64_t i = 0; i < count; ++i) own.push_back(items[static_cast<std::size_t>(first + place(i))]);
      const A all = wf::canonical_tree::replay(own.data(), count, op);
      if constexpr (wf::lowers<Op, A>) return op.lower(all);
      else return all;
    };
    const device_array<T> in(items, round % 3);
    if constexpr (OverAxes) {
      const auto extent = [&](std::int64_t limit) {
        return 1 + static_cast<std::int64_t>(
                       random.below(random.below(2) == 0 ? limit : std::min<std::int64_t>(limit, 40)));
      };
      const std::int64_t b = extent(300), c = extent(most / b), a = extent(most / b / c);
      const device_array<R> rows(a * b), columns(a * c), outer(b);
      const wf::strided<const T, 3> cube(in.data(), {a, b, c});
      wf::reduce_axes(cube, wf::strided(rows.data(), {a, b}), wf::axes{2}, op);
      wf::reduce_axes(cube, wf::strided(columns.data(), {a, c}), wf::axes{1}, op);
      wf::reduce_axes(cube, wf::strided(outer.data(), {b}), wf::axes{0, 2}, op);
      SCOPED_TRACE(std::to_string(a) + " x " + std::to_string(b) + " x " + std::to_string(c));
      const auto rows_found = rows.to_host(), columns_found = columns.to_host(), outer_found = outer.to_host();
      for (std::int64_t i = 0; i < a * b; ++i)
        expect_bits(rows_found[i], tree(i * c, c, [](std::int64_t k) { return k; }));
      for (std::int64_t i = 0; i < a * c; ++i)
        expect_bits(columns_found[i], tree(i / c * b * c + i % c, b, [&](std::int64_t k) { return k * c; }));
      for (std::int64_t i = 0; i < b; ++i)
        expect_bits(outer_found[i], tree(i * c, a * c, [&](std::int64_t k) { return k / c * b * c + k % c; }));
    }
    std::vector<int> offsets{0};
    const auto longest = round % 4 == 0 ? 9u : round % 4 == 1 ? 140u : round % 4 == 2 ? 3000u : 12'000u;
    while (offsets.back() < most)
      offsets.push_back(static_cast<int>(std::min<std::int64_t>(most, offsets.back() + 1 + random.below(longest))));
    const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
    const device_array<int> device_offsets(offsets);
    const device_array<R> out(segments);
    wf::segmented_reduce(in.items(), device_offsets.items(), std::span<R>(out.data(), out.size()), op);
    const auto found = out.to_host();
    for (std::int64_t s = 0; s < segments; ++s)
      expect_bits(found[s], tree(offsets[s], offsets[s + 1] - offsets[s], [](std::int64_t k) { return k; }));
  }
}
float as_it_is(float x) { return x; }

// In the emulator, where the kernels of axes take a compiler long, those of some types.
TEST(moments, of_segments_and_axes_have_the_bits_of_the_tree) {
  expect_the_tree<float>(wf::moments<>{}, as_it_is);
  expect_the_tree<float>(wf::fuse(wf::arithmetic_mean{}, wf::moments<>{}), as_it_is);
  expect_the_tree<double, !wf_test::emulated>(
      wf::moments<4>{}, +[](float x) -> double { return x; });
}
TEST(statistics, of_segments_and_axes_have_the_bits_of_the_tree) {
  expect_the_tree<float>(wf::statistics{}, as_it_is);
  expect_the_tree<__half, !wf_test::emulated>(wf::statistics{}, __float2half);
}

// Quotients by small integers are products, corrected once.
TEST(moments, of_few_items_have_the_bits_of_the_tree) {
  wf_test::random_source random(21);
  for (int round = 0; round < 200'000; ++round) {
    float items[7];
    const int least = static_cast<int>(random.below(round % 2 == 0 ? 250 : 3)) - 149;
    for (float& x : items) {
      const float digits = static_cast<float>(random.below(1 << 24)) * (random.below(2) == 0 ? 1.0f : -1.0f);
      x = std::ldexp(digits, least + static_cast<int>(random.below(round % 3 == 0 ? 1 : 30)) - 24);
      if (round % 7 == 0 && random.below(8) == 0) x = random.below(2) == 0 ? HUGE_VALF : -HUGE_VALF;
    }
    const int count = 1 + static_cast<int>(random.below(7));
    for (int k = count; k < 7; ++k) items[k] = NAN;  // missing ones do not matter
    wf::moments_of<2> found{};
    ASSERT_TRUE(wf::moments<>::fold_few(items, count, found));
    expect_bits<2>(found, wf::canonical_tree::replay(items, count, wf::moments<>{}));
    wf::moments_of<4> of_four{};
    ASSERT_TRUE(wf::moments<4>::fold_few(items, count, of_four));
    expect_bits<4>(of_four, wf::canonical_tree::replay(items, count, wf::moments<4>{}));
  }
  const float with_nan[7] = {1, NAN, 3};
  wf::moments_of<2> found{};
  EXPECT_FALSE((wf::moments<2, wf::nan_policy::omit>::fold_few(with_nan, 3, found)));
  EXPECT_TRUE((wf::moments<>::fold_few(with_nan, 3, found)));
  EXPECT_NE(found.sum, found.sum);
}

/// Many segments of length_of(s) items, from which `special` ones are NaN or infinite, so that lanes fold them alone.
/// `max_blocks`: 0 for as many as there are.
template <class Op>
void expect_short_segments(const Op& op, int (*length_of)(int), int special, int segments = 1500, int max_blocks = 0) {
  using A = wf::accumulator_t<Op, float>;
  std::vector<int> offsets{0};
  for (int s = 0; s < segments; ++s) offsets.push_back(offsets.back() + length_of(s));
  std::vector<float> items = deviates<float>(offsets.back(), 3, 8);
  for (std::size_t i = 5; special > 0 && i < items.size(); i += static_cast<std::size_t>(special))
    items[i] = i % 11 == 0 ? HUGE_VALF : NAN;
  const device_array<float> in(items, special % 4);
  const device_array<int> device_offsets(offsets);
  const device_array<wf::lowered_t<Op, A>> out(segments);
  wf::segmented_reduce(in.items(), device_offsets.items(), std::span(out.data(), out.size()), op,
                       {.empty = A{}, .max_blocks = max_blocks});
  const auto found = out.to_host();
  for (std::size_t s = 0; s < found.size(); ++s) {
    const int count = offsets[s + 1] - offsets[s];
    const A tree = count > 0 ? wf::canonical_tree::replay(items.data() + offsets[s], count, op) : A{};
    SCOPED_TRACE(std::to_string(count) + " items, segment " + std::to_string(s));
    if constexpr (wf::lowers<Op, A>) expect_bits(found[s], op.lower(tree));
    else expect_bits<2>(found[s], tree);
  }
}
// Whole tiles of one length, where all are listed, and mixed ones, with longer segments; no, few, and many NaN.
template <class Op> void expect_short_segments_of_all_lengths(const Op& op) {
  for (const int special : {0, 5, 13, 200}) {
    expect_short_segments(
        op, [](int) { return 3; }, special);
    expect_short_segments(
        op, [](int) { return 7; }, special);
    expect_short_segments(
        op, [](int) { return 12; }, special);
    expect_short_segments(
        op, [](int s) { return s * 7 % 32 * (s % 3) / 2; }, special);
    expect_short_segments(
        op, [](int s) { return s % 50 == 0 ? 33 + s : s * 5 % 18; }, special);
    // Longer ones wait from tile to tile; of these lengths, there come to be more than there is room for.
    expect_short_segments(
        op, [](int s) { return s % 5 < 2 ? 36 : 1; }, special, 6000, 1);
  }
}
TEST(moments, of_short_segments_have_the_bits_of_the_tree) { expect_short_segments_of_all_lengths(wf::moments<>{}); }
TEST(statistics, of_short_segments_have_the_bits_of_the_tree) {
  expect_short_segments_of_all_lengths(wf::statistics{});
  expect_short_segments_of_all_lengths(wf::statistics<2, wf::nan_policy::propagate>{});
}

// Between two neighbours lie more items than a tile's segments can be numbered by.
TEST(moments, of_short_segments_far_apart) {
  constexpr int segments = 45'000, far = 300'000;
  std::vector<int> begins, ends;
  for (int s = 0; s < segments; ++s) {
    begins.push_back(3 * s + (s > 1000 ? far : 0));
    ends.push_back(begins.back() + s % 4);
  }
  const std::vector<float> items = deviates<float>(3 * segments + far + 3, 2, 9);
  const device_array<float> in(items);
  const device_array<int> first(begins), last(ends);
  const device_array<wf::moments_of<2>> out(segments);
  wf::segmented_reduce(in.items(), wf::bounds{first.items(), last.items()}, std::span(out.data(), segments),
                       wf::moments<>{});
  const auto found = out.to_host();
  for (int s = 0; s < segments; ++s) {
    const auto tree =
        s % 4 == 0 ? wf::moments_of<2>{} : wf::canonical_tree::replay(items.data() + begins[s], s % 4, wf::moments<>{});
    expect_bits<2>(found[static_cast<std::size_t>(s)], tree);
  }
}

}  // namespace statistics_tests
