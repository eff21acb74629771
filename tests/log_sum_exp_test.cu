// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// logsumexp: within the stated bounds of references in long double, and with the bits of the canonical tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/fuse.hpp>
#include <warpfold/reduce_axes.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/scan.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/vector_reductions.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace log_sum_exp_tests {

namespace wf = warpfold;
using wf_test::device_array;

constexpr std::int64_t sizes[] = {1, 3, 130, 4097, 33'003};
constexpr float infinity = std::numeric_limits<float>::infinity();

double levels(std::int64_t count) { return std::ceil(std::log2(static_cast<double>(count))); }

template <class T> T replayed(const std::vector<T>& items) {
  using op = wf::log_sum_exp;
  return op{}.lower(wf::canonical_tree::replay(items.data(), std::ssize(items), op{}));
}

template <class R, class T> long double logsumexp_of(const std::vector<T>& items) {
  long double greatest = -HUGE_VALL, sum = 0;
  for (const T& item : items) greatest = std::max<long double>(greatest, static_cast<R>(item));
  for (const T& item : items) sum += std::exp(static_cast<R>(item) - greatest);
  return greatest + std::log(sum);
}

/// Random items, of which some are far from the others.
template <class T> std::vector<T> logits(std::int64_t count, double scale, std::uint64_t seed) {
  wf_test::random_source random(seed);
  std::vector<T> items;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = scale * (static_cast<double>(random() >> 11) * 0x1p-52 - 1);
    items.push_back(static_cast<T>(static_cast<float>(random.below(500) == 0 ? 20 * x : x)));
  }
  return items;
}

template <class T> void expect_logsumexp(double unit, double terms) {
  for (const std::int64_t size : sizes)
    for (const double scale : {0.01, 5.0, 80.0, 4000.0}) {
      const auto items = logits<T>(size, scale, static_cast<std::uint64_t>(size));
      const device_array<T> in(items, size % 4);
      const auto result = wf::logsumexp_value(in.items());
      ASSERT_EQ(result, replayed(items)) << size << " items to " << scale;
      const auto exact = static_cast<double>(logsumexp_of<long double>(items));
      EXPECT_LE(std::fabs(static_cast<double>(result) - exact),
                unit * (levels(size) + terms) + unit * std::fabs(exact) * (unit < 1e-10 ? 2 : 1.001))
          << size << " items to " << scale;
    }
}
TEST(log_sum_exp, of_floats) { expect_logsumexp<float>(0x1p-24, 4); }
TEST(log_sum_exp, of_doubles) { expect_logsumexp<double>(0x1p-53, 8); }

// ---- items of every magnitude: those that are computed, and those past that ----------------------------------------

/// Any finite number whose exponent is from `least` on, below 2^(least + range).
template <class T> T of_magnitude(wf_test::random_source& random, int least, int range) {
  const auto x = static_cast<T>(1 + static_cast<double>(random() >> 12) * 0x1p-52);
  return std::ldexp(random() & 1 ? -x : x, least + static_cast<int>(random.below(range)));
}
/// A few items, many of which are equal or neighbours.
template <class T> std::vector<T> neighbours(std::int64_t count, wf_test::random_source& random) {
  using limits = std::numeric_limits<T>;
  const auto border = limits::digits - 3;  // items from 2^border on are not computed
  const std::pair<int, int> magnitudes[] = {{border - 3, 8},
                                            {-8, 12},
                                            {limits::min_exponent - limits::digits, 60},
                                            {limits::max_exponent - 3, 2},
                                            {-40, border + 60}};
  const auto [least, range] = magnitudes[random.below(std::size(magnitudes))];
  std::vector<T> items(1, of_magnitude<T>(random, least, range));
  while (std::ssize(items) < count) {
    T next = items[0];
    for (std::int64_t steps = random.below(7); steps > 0; --steps)
      next = std::nextafter(next, random() & 1 ? limits::max() : limits::lowest());
    items.push_back(random.below(3) == 0 ? of_magnitude<T>(random, least, range) : next);
  }
  return items;
}
/// The bound that the operator's header states.
template <class T> long double logsumexp_bound(const std::vector<T>& items, long double exact) {
  constexpr bool is_float = std::is_same_v<T, float>;
  constexpr T most = is_float ? T(0x1p21) : T(0x1p50);
  const auto magnitude = static_cast<T>(std::fabs(exact));
  const long double ulp = std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  const long double absolute =
      (is_float ? 0x1p-24L : 0x1p-53L) * (levels(std::ssize(items)) + (is_float ? 4 : 8)) + (is_float ? ulp / 2 : ulp);
  for (const T x : items)
    if (std::fabs(x) >= most) return absolute + std::log(static_cast<long double>(items.size())) / most * magnitude;
  return absolute;
}
template <class T> void expect_logsumexp_of_few() {
  wf_test::random_source random(5);
  for (int round = 0; round < 100'000; ++round) {
    const auto items = neighbours<T>(round % 2 == 0 ? 1 : 1 + random.below(9), random);
    const T result = replayed(items);
    const auto exact = logsumexp_of<long double>(items);
    ASSERT_LE(std::fabs(result - exact), logsumexp_bound(items, exact))
        << std::size(items) << " items, the first " << items[0];
  }
}
TEST(log_sum_exp, of_few_items_of_every_magnitude) {
  expect_logsumexp_of_few<float>();
  expect_logsumexp_of_few<double>();
  EXPECT_EQ(replayed(std::vector<float>{16'777'215}), 16'777'215.0f);
  EXPECT_EQ(replayed(std::vector<double>{0x1p53 - 1}), 0x1p53 - 1);
}

/// Every kernel has the bits of the tree if some batches are computed, some hold items past that, and some hold both.
template <class T> void expect_bits_of_every_magnitude() {
  constexpr std::int64_t rows = 300, columns = 33, border = std::numeric_limits<T>::digits - 3;
  wf_test::random_source random(6);
  for (const auto& [least, range] : {std::pair<std::int64_t, int>{border - 3, 4}, {border - 40, 41}, {-3, 8}}) {
    std::vector<T> items;
    while (std::ssize(items) < rows * columns) items.push_back(of_magnitude<T>(random, static_cast<int>(least), range));
    const auto of = [&](std::int64_t first, std::int64_t step, std::int64_t count) {
      std::vector<T> some;
      for (std::int64_t i = 0; i < count; ++i) some.push_back(items[static_cast<std::size_t>(first + i * step)]);
      return replayed(some);
    };
    const device_array<T> in(items, 1), of_rows(rows), of_columns(columns);
    EXPECT_EQ(wf::logsumexp_value(in.items()), of(0, 1, rows * columns)) << least;
    EXPECT_EQ(wf::reduce_value(in.items(), wf::fuse(wf::log_sum_exp{}, wf::maximum{})).template get<0>(),
              of(0, 1, rows * columns));
    wf::segmented_reduce(in.items(), wf::fixed_length{columns}, std::span<T>(of_rows.data(), rows), wf::log_sum_exp{});
    wf::reduce_columns(wf::strided(in.data(), {rows, columns}), std::span<T>(of_columns.data(), columns),
                       wf::log_sum_exp{});
    for (std::int64_t row = 0; row < rows; ++row) EXPECT_EQ(of_rows.value(row), of(row * columns, 1, columns)) << least;
    for (std::int64_t column = 0; column < columns; ++column)
      EXPECT_EQ(of_columns.value(column), of(column, columns, rows)) << least;
    std::vector<int> keys;
    for (std::int64_t i = 0; i < rows * columns; ++i) keys.push_back(static_cast<int>(i / columns));
    const device_array<int> device_keys(keys), out_keys(rows), runs(1);
    const device_array<T> of_runs(rows), prefixes(rows * columns);
    wf::reduce_by_key(device_keys.items(), in.items(), out_keys.data(), std::span<T>(of_runs.data(), rows), runs.data(),
                      wf::log_sum_exp{});
    for (std::int64_t row = 0; row < rows; ++row)
      EXPECT_EQ(of_runs.value(row), wf::log_sum_exp{}.lower(wf::canonical_tree::replay_part(
                                        items.data(), row * columns, (row + 1) * columns, wf::log_sum_exp{})));
    wf::inclusive_scan(in.items(), std::span<T>(prefixes.data(), prefixes.size()), wf::log_sum_exp{});
    for (const std::int64_t count : {1, 2, 1000, 9900}) EXPECT_EQ(prefixes.value(count - 1), of(0, 1, count)) << least;
  }
}
TEST(log_sum_exp, of_every_magnitude_in_every_kernel) {
  expect_bits_of_every_magnitude<float>();
  expect_bits_of_every_magnitude<double>();
}

/// Two outputs, each of many stretches of 35 items, which no vectors hold.
template <class T> void expect_bits_of_stretches(const std::vector<T>& items, const device_array<T>& in) {
  constexpr std::int64_t inner = 35, outputs = 2;
  const std::int64_t outer = std::ssize(items) / (outputs * inner);
  const device_array<T> out(outputs);
  wf::reduce_axes(wf::strided<const T, 3>(in.data(), {outer, outputs, inner}), wf::strided<T, 1>(out.data(), {outputs}),
                  wf::axes{0, 2}, wf::log_sum_exp{});
  for (std::int64_t i = 0; i < outputs; ++i) {
    std::vector<T> own;
    for (std::int64_t a = 0; a < outer; ++a) {
      const auto stretch = items.begin() + (a * outputs + i) * inner;
      own.insert(own.end(), stretch, stretch + inner);
    }
    ASSERT_EQ(out.value(i), replayed(own)) << outer << " stretches, output " << i;
  }
}

// Batches of columns and chunks of segments are added at one exponent, unless an item is masked or far from the others.
template <class T> void expect_bits_among_masked_items() {
  wf_test::random_source random(8);
  for (const int masked : {0, 1, 30})
    for (const auto& [rows, columns] : {std::pair{1000, 32}, {77, 300}, {20, 1500}, {2500, 9}, {3000, 3}, {1500, 8}}) {
      std::vector<T> items;
      for (int i = 0; i < rows * columns; ++i)
        items.push_back(static_cast<int>(random.below(100)) < masked
                            ? T(random.below(2) == 0 ? -infinity : -500)
                            : static_cast<T>(static_cast<double>(random.below(1 << 20)) * 0x1p-15 - 16));
      const device_array<T> in(items), of_columns(columns), of_rows(rows), of_segments(rows);
      wf::reduce_columns(wf::strided(in.data(), {rows, columns}), std::span<T>(of_columns.data(), of_columns.size()),
                         wf::log_sum_exp{});
      wf::reduce_rows(wf::strided(in.data(), {rows, columns}), std::span<T>(of_rows.data(), of_rows.size()),
                      wf::log_sum_exp{});
      std::vector<int> offsets{0};
      for (int row = 1; row < rows; ++row) offsets.push_back(row * columns - static_cast<int>(random.below(columns)));
      offsets.push_back(rows * columns);
      const device_array<int> device_offsets(offsets);
      wf::segmented_reduce(in.items(), device_offsets.items(), std::span<T>(of_segments.data(), of_segments.size()),
                           wf::log_sum_exp{});
      const auto columns_found = of_columns.to_host(), rows_found = of_rows.to_host(),
                 segments_found = of_segments.to_host();
      for (int column = 0; column < columns; ++column) {
        std::vector<T> own;
        for (int row = 0; row < rows; ++row) own.push_back(items[static_cast<std::size_t>(row * columns + column)]);
        ASSERT_EQ(columns_found[static_cast<std::size_t>(column)], replayed(own)) << columns << ' ' << masked;
      }
      for (int row = 0; row < rows; ++row) {
        const auto own = items.begin() + row * columns;
        ASSERT_EQ(rows_found[static_cast<std::size_t>(row)], replayed(std::vector<T>(own, own + columns)));
        const auto begin = offsets[static_cast<std::size_t>(row)], end = offsets[static_cast<std::size_t>(row) + 1];
        ASSERT_EQ(segments_found[static_cast<std::size_t>(row)],
                  replayed(std::vector<T>(items.begin() + begin, items.begin() + end)))
            << columns << ' ' << masked;
      }
      expect_bits_of_stretches(items, in);
    }
}
// A warp adds the chunks of its lanes at one exponent, and parts them into the nodes of segments again, whose own
// exponents differ: by less than terms may, by more, and by more than sums have digits.
template <class T> void expect_bits_of_parted_sums(const std::vector<T>& heights) {
  wf_test::random_source random(9);
  for (const std::int64_t length : {40, 77, 130, 300, 500, 520, 768, 1100, 1700}) {
    const std::int64_t rows = 40;
    std::vector<T> items;
    for (std::int64_t row = 0; row < rows; ++row) {
      const T rare = heights[random.below(std::size(heights))], common = heights[random.below(std::size(heights))];
      T height = common;
      for (std::int64_t i = 0; i < length; ++i) {
        if (i % 8 == 0) height = random.below(9) == 0 ? rare : random.below(40) == 0 ? heights[0] : common;
        items.push_back(height + static_cast<T>(static_cast<double>(random.below(1 << 20)) * 0x1p-20));
      }
    }
    std::vector<int> offsets;
    for (int row = 0; row <= rows; ++row) offsets.push_back(row * static_cast<int>(length));
    for (int row = 1; row < rows; ++row) offsets[static_cast<std::size_t>(row)] -= static_cast<int>(random.below(30));
    const device_array<T> in(items, 1), of_rows(rows), of_segments(rows);
    const device_array<int> device_offsets(offsets);
    wf::segmented_reduce(in.items(), wf::fixed_length{length}, std::span<T>(of_rows.data(), rows), wf::log_sum_exp{});
    wf::segmented_reduce(in.items(), device_offsets.items(), std::span<T>(of_segments.data(), rows), wf::log_sum_exp{});
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto begin = offsets[static_cast<std::size_t>(row)], end = offsets[static_cast<std::size_t>(row) + 1];
      ASSERT_EQ(of_rows.value(row),
                replayed(std::vector<T>(items.begin() + row * length, items.begin() + (row + 1) * length)))
          << length << ' ' << row;
      ASSERT_EQ(of_segments.value(row), replayed(std::vector<T>(items.begin() + begin, items.begin() + end)))
          << length << ' ' << row;
    }
  }
}
TEST(log_sum_exp, of_segments_whose_exponents_differ) {
  expect_bits_of_parted_sums<float>({0, -12, -30, -60, -80});
  expect_bits_of_parted_sums<float>({0, -15, -82, -84, -95, -170});
  expect_bits_of_parted_sums<double>({0, -35, -300, -600, -690, -720, -1400});
}

// Lanes fold segments of few items alone, as plain terms or not.
TEST(log_sum_exp, of_short_segments) {
  for (const int special : {0, 3, 60}) {
    wf_test::random_source random(static_cast<std::uint64_t>(special) + 2);
    std::vector<int> offsets{0};
    for (int s = 0; s < 3000; ++s) {
      const int most = s % 100 == 0 ? 200 : 7;
      offsets.push_back(offsets.back() + static_cast<int>(random.below(most)));
    }
    std::vector<float> items;
    for (int i = 0; i < offsets.back(); ++i) {
      items.push_back(static_cast<float>(random.below(2001)) / 100 - 10);
      if (special == 0 || random.below(special) > 0) continue;
      constexpr float infinity = std::numeric_limits<float>::infinity();
      items.back() = random.below(20) == 0 ? infinity : random.below(3) == 0 ? 0x1p30f : -infinity;
    }
    const device_array<float> in(items, 1), out(3000);
    const device_array<int> device_offsets(offsets);
    const auto call = [&] {
      wf::segmented_reduce(in.items(), device_offsets.items(), std::span<float>(out.data(), 3000), wf::log_sum_exp{});
    };
    EXPECT_NE(std::string(wf::explain(call).front().why).find("lanes fold few items alone"), std::string::npos);
    for (int s = 0; s < 3000; ++s) {
      const std::vector<float> own(items.begin() + offsets[s], items.begin() + offsets[s + 1]);
      const float expected = own.empty() ? -std::numeric_limits<float>::infinity() : replayed(own);
      ASSERT_EQ(out.value(s), expected) << own.size() << " items";
    }
  }
}

// ---- segments of few items, whose tiles become plain terms in shared memory ----------------------------------------

/// Segments of few items, enough of them for the whole device, some empty, some of a hundred items.
std::vector<int> many_short_segments() {
  const int warps = wf::host_side::limits_of(wf::host_side::current_device()).multiprocessors * 2048 / 32;
  wf_test::random_source random(12);
  std::vector<int> offsets{0};
  for (int s = 0; s < 128 * warps + 77; ++s) {
    const int most = s % 90 == 0 ? 150 : s / 1000 % 2 == 0 ? 7 : 20;
    offsets.push_back(offsets.back() + static_cast<int>(random.below(most)));
  }
  return offsets;
}
/// What items are like in one test.
enum class kind { near, around_zero, masked, apart, special };
std::vector<float> items_of(kind what, const std::vector<int>& offsets) {
  wf_test::random_source random(13);
  std::vector<float> items;
  for (std::size_t s = 1; s < offsets.size(); ++s)
    for (int count = offsets[s] - offsets[s - 1], k = 0; k < count; ++k) {
      const float noise = static_cast<float>(random.below(1 << 20)) * 0x1p-17f - 4;
      switch (what) {
        case kind::near: items.push_back(noise); break;
        case kind::around_zero:  // log(sum) is 0, or next to it
          items.push_back(
              -std::log(static_cast<float>(count)) +
              (random.below(2) == 0 ? 0.0f : noise * std::ldexp(1.0f, -static_cast<int>(random.below(30)))));
          break;
        case kind::masked:  // some segments wholly, some tiles wholly
          items.push_back(s % 9 == 0 || s / 900 % 4 == 0 || random.below(9) == 0 ? -infinity : noise);
          break;
        case kind::apart: items.push_back(noise + (s / 700 % 3 == 0 && random.below(40) == 0 ? 100.0f : 0.0f)); break;
        case kind::special:
          items.push_back(s / 700 % 3 > 0 || random.below(50) > 0 ? noise
                          : random.below(20) == 0                 ? infinity
                          : random.below(30) == 0                 ? NAN
                          : random.below(3) == 0                  ? 0x1p30f
                                                                  : -infinity);
      }
    }
  return items;
}
bool same_bits(float a, float b) { return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b; }

void expect_short_segments(const std::vector<int>& offsets, const std::vector<float>& items,
                           const std::vector<float>& found, float empty = -infinity) {
  for (std::size_t s = 0; s < found.size(); ++s) {
    const std::vector<float> own(items.begin() + offsets[s], items.begin() + offsets[s + 1]);
    const float expected = own.empty() ? empty : replayed(own);
    ASSERT_TRUE(same_bits(found[s], expected)) << s << ": " << own.size() << " items, " << found[s] << ' ' << expected;
  }
}
std::string reason_of(const auto& call) { return wf::explain(call).front().why; }
struct negated {
  __host__ __device__ float operator()(float x) const { return -x; }
};

class log_sum_exp_of_tiles : public testing::TestWithParam<kind> {
 protected:
  /// The bits are the same where nothing is staged: before sm_90.
  static void expect_staged(const auto& call) {
    EXPECT_EQ(reason_of(call).find("through shared memory") != std::string::npos, wf_test::copies_in_bulk());
  }
  const std::vector<int> offsets = many_short_segments();
  const std::int64_t segments = std::ssize(offsets) - 1;
  const device_array<int> device_offsets{offsets};
};

TEST_P(log_sum_exp_of_tiles, by_offsets) {
  const auto items = items_of(GetParam(), offsets);
  for (const std::int64_t misaligned : {0, 3}) {
    const device_array<float> in(items, misaligned), out(segments);
    const auto call = [&] {
      wf::segmented_reduce(in.items(), device_offsets.items(), std::span(out.data(), out.size()), wf::log_sum_exp{});
    };
    expect_staged(call);
    call();
    expect_short_segments(offsets, items, out.to_host());
  }
}
TEST_P(log_sum_exp_of_tiles, by_owners) {
  const auto items = items_of(GetParam(), offsets);
  std::vector<int> owners;
  for (int s = 0; s < segments; ++s)
    owners.insert(owners.end(), static_cast<std::size_t>(offsets[s + 1] - offsets[s]), s);
  const device_array<int> device_owners(owners);
  const device_array<float> in(items, 1), out(segments);
  const auto call = [&] {
    wf::segmented_reduce(in.items(), wf::owners(device_owners.items()), std::span(out.data(), out.size()),
                         wf::log_sum_exp{});
  };
  expect_staged(call);
  call();
  expect_short_segments(offsets, items, out.to_host());
}
TEST_P(log_sum_exp_of_tiles, of_transformed_items) {
  auto items = items_of(GetParam(), offsets);
  const device_array<float> in(items, 2), out(segments);
  const device_array<double> wider(segments);
  const auto of = [&](auto to) {
    wf::transform_segmented_reduce(in.items(), device_offsets.items(), to, wf::log_sum_exp{}, negated{});
  };
  of(std::span(out.data(), out.size()));
  of(std::span(wider.data(), wider.size()));
  for (float& x : items) x = -x;
  expect_short_segments(offsets, items, out.to_host());
  for (std::int64_t s = 0; s < segments; s += 501)
    EXPECT_TRUE(same_bits(static_cast<float>(wider.value(s)), out.value(s))) << "as a double";
}
// Between segments lies what no transform may see. The items there are found by their value.
struct notes_gaps {
  int* seen;
  __device__ float operator()(float x) const {
    if (x > 1e6f) *seen = 1;
    return x;
  }
};
TEST_P(log_sum_exp_of_tiles, with_gaps) {
  const auto items = items_of(GetParam(), offsets);
  std::vector<float> apart;
  std::vector<int> begins, ends;
  for (std::int64_t s = 0; s < segments; ++s) {
    begins.push_back(static_cast<int>(apart.size()));
    apart.insert(apart.end(), items.begin() + offsets[s], items.begin() + offsets[s + 1]);
    ends.push_back(static_cast<int>(apart.size()));
    if (s % 5 == 0) apart.insert(apart.end(), 3, s % 2 == 0 ? NAN : 2e6f);
  }
  const device_array<float> in(apart, 1), out(segments);
  const device_array<int> device_begins(begins), device_ends(ends), seen(std::vector<int>{0});
  const wf::bounds between{device_begins.items(), device_ends.items()};
  const std::span<float> to(out.data(), out.size());
  const auto call = [&] { wf::segmented_reduce(in.items(), between, to, wf::log_sum_exp{}); };
  expect_staged(call);
  call();
  expect_short_segments(offsets, items, out.to_host());
  if (GetParam() == kind::special) return;  // items are as large as what lies between
  wf::transform_segmented_reduce(in.items(), between, to, wf::log_sum_exp{}, notes_gaps{seen.data()});
  expect_short_segments(offsets, items, out.to_host());
  EXPECT_EQ(seen.value(0), 0);
}
// An initial value is joined to whole accumulators, so no tile becomes terms.
TEST_P(log_sum_exp_of_tiles, with_given_values) {
  const auto items = items_of(GetParam(), offsets);
  const device_array<float> in(items), out(segments);
  const wf::scaled_sum<float> given{1.25f, 2};
  const auto with = [&](const wf::segmented_options<wf::scaled_sum<float>>& options) {
    wf::segmented_reduce(in.items(), device_offsets.items(), std::span(out.data(), out.size()), wf::log_sum_exp{},
                         options);
  };
  with({.empty = given});
  expect_short_segments(offsets, items, out.to_host(), wf::log_sum_exp{}.lower(given));
  const auto with_init = [&] { with({.init = given}); };
  EXPECT_EQ(reason_of(with_init).find("through shared memory"), std::string::npos);
  with_init();
  for (std::int64_t s = 0; s < segments; s += 17) {
    wf::scaled_sum<float> expected = given;
    if (offsets[s] < offsets[s + 1])
      expected = wf::log_sum_exp{}(
          given, wf::canonical_tree::replay(items.data() + offsets[s], offsets[s + 1] - offsets[s], wf::log_sum_exp{}));
    ASSERT_TRUE(same_bits(out.value(s), wf::log_sum_exp{}.lower(expected))) << s;
  }
}
INSTANTIATE_TEST_SUITE_P(every_kind, log_sum_exp_of_tiles,
                         testing::Values(kind::near, kind::around_zero, kind::masked, kind::apart, kind::special));

// A sum at another exponent has the result of the same sum at its items' own one, or is refused.
TEST(log_sum_exp, results_follow_from_sums_at_any_exponent) {
  using terms = wf::log_sum_exp::plain_terms<wf::scaled_sum<float>>;
  std::int64_t all = 0, refused = 0;
  const auto expect = [&](float sum, float exponent, int halves_up, int count) {
    terms at;
    at.meet((exponent + static_cast<float>(halves_up) / 2) * 1.386294361f);
    ASSERT_TRUE(at.settle([](auto own, auto) { return own; }));
    ASSERT_EQ(at.exponent(), exponent + static_cast<float>(halves_up) / 2);
    float found = 0;
    ++all;
    if (!at.lower(std::ldexp(sum, -halves_up), count, found)) return void(++refused);
    const float expected = wf::log_sum_exp{}.lower(wf::scaled_sum<float>{sum, exponent});
    ASSERT_TRUE(same_bits(found, expected)) << sum << " at " << exponent << ": " << found << ' ' << expected;
  };
  wf_test::random_source random(14);
  for (int round = 0; round < 400'000; ++round) {
    const float sum =
        0.7072f + static_cast<float>(random.below(1 << 24)) * std::ldexp(1.0f, static_cast<int>(random.below(11)) - 24);
    const float exponent = (static_cast<float>(random.below(round % 2 == 0 ? 40 : 40'000)) - 20) / 2;
    expect(sum, exponent, static_cast<int>(random.below(100)), 2);
  }
  EXPECT_LT(refused, all / 1000);
  // Next to a result of 0 the items' own exponent matters, but an item alone has an exponent of 0.
  for (int up = 0; up < 20; ++up)
    for (int steps = -300; steps < 300; ++steps) {
      const float sum = 1 + static_cast<float>(steps) * 0x1p-24f * (steps % 2 == 0 ? 1 : 1 << 12);
      const auto before = refused;
      expect(sum, 0, up, 1);
      if (sum == 1) {
        EXPECT_EQ(refused, before) << "one item";
      }
      expect(4 * sum, -1, up, 4);
      if (std::fabs(sum - 1) < 0x1p-10f) {
        EXPECT_GT(refused, before) << "four items";
      }
    }
}

TEST(log_sum_exp, among_masked_items) {
  expect_bits_among_masked_items<float>();
  expect_bits_among_masked_items<double>();
}

// One item so large that exponents are no longer exact, anywhere among zeros: it decides for all items of its batch.
TEST(log_sum_exp, one_far_item_among_zeros) {
  const double far = 0x1p32 * 0.693147180559945309;
  for (const std::int64_t count : {2, 3, 32, 33, 300, 5000})
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, count / 2, count - 1}) {
      std::vector<double> items(static_cast<std::size_t>(count), 0.0);
      items[static_cast<std::size_t>(at)] = far;
      const device_array<double> in(items), out(1);
      EXPECT_EQ(wf::logsumexp_value(in.items()), far) << count << ' ' << at;
      wf::segmented_reduce(in.items(), wf::fixed_length{count}, std::span<double>(out.data(), 1), wf::log_sum_exp{});
      EXPECT_EQ(out.value(), far) << count << ' ' << at;
      wf::reduce_columns(wf::strided(in.data(), {count, 1}), std::span<double>(out.data(), 1), wf::log_sum_exp{});
      EXPECT_EQ(out.value(), far) << count << ' ' << at;
    }
}

TEST(log_sum_exp, special_values) {
  const auto of = [](std::vector<float> items) {
    items.resize(5000, -infinity);
    const device_array<float> in(items);
    const float result = wf::logsumexp_value(in.items());
    const float expected = replayed(items);
    EXPECT_TRUE(result == expected || (std::isnan(result) && std::isnan(expected)));
    return result;
  };
  EXPECT_EQ(of({}), -infinity);
  EXPECT_EQ(of({1.5f}), 1.5f);
  EXPECT_EQ(of({-1e4f, -infinity, -1e4f}), static_cast<float>(-1e4 + std::log(2.0)));
  EXPECT_EQ(of({1, infinity}), infinity);
  EXPECT_TRUE(std::isnan(of({1, infinity, NAN, 2})));
  EXPECT_EQ(of({3e38f, 1, 2}), 3e38f);
  EXPECT_EQ(of({-3e38f}), -3e38f);
  EXPECT_EQ(of({0x1p22f, 0x1p22f, 1e6f}), static_cast<float>(0x1p22 + std::log(2.0)));
  EXPECT_EQ(wf::logsumexp_value(static_cast<const float*>(nullptr), 0), -infinity);
}

TEST(log_sum_exp, the_exponential_is_as_good_as_its_bound) {
  double worst = 0, worst_double = 0;
  for (int i = -200'000; i < 200'000; ++i) {
    const float x = static_cast<float>(i) * 0.00043f;
    const auto sum = wf::log_sum_exp{}.lift(x);
    const double exact = std::exp(static_cast<double>(x) - sum.exponent * 1.38629436111989061883);
    worst = std::max(worst, std::fabs(sum.sum / exact - 1));
    if (i % 8 != 0) continue;
    const auto of_double = wf::log_sum_exp{}.lift(static_cast<double>(x));
    const long double exactly =
        std::exp(static_cast<long double>(x) - of_double.exponent * 1.386294361119890618834464L);
    worst_double = std::max(worst_double, static_cast<double>(std::fabs(of_double.sum / exactly - 1)));
  }
  EXPECT_LT(worst, 0x1p-23);
  EXPECT_GT(worst, 0);
  EXPECT_LT(worst_double, 0x1p-52);
}

}  // namespace log_sum_exp_tests
