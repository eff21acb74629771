// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot, asum, amax, norm2, mean and minmax: within the stated bounds of references in long double, and with the bits of
// the canonical tree. logsumexp: log_sum_exp_test.cu.
#include <cuda_fp16.h>
#include <gtest/gtest.h>
#include <cuda/std/complex>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce_axes.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/vector_reductions.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"

namespace vector_reduction_tests {

namespace wf = warpfold;
using wf_test::device_array;

constexpr std::int64_t sizes[] = {1, 3, 130, 4097, 33'003};

double levels(std::int64_t count) { return std::ceil(std::log2(static_cast<double>(count))); }

template <class Op, class T> auto replayed(const std::vector<T>& items) {
  return Op{}.lower(wf::canonical_tree::replay(items.data(), static_cast<std::int64_t>(items.size()), Op{}));
}

template <class T> long double norm_of(const std::vector<T>& items) {
  long double sum = 0;
  for (const T& item : items) {
    const auto x = static_cast<long double>(static_cast<double>(item)) * 0x1p-500L;  // squares fit
    sum += x * x;
  }
  return std::sqrt(sum) * 0x1p500L;
}

TEST(norm2, of_floats_neither_overflows_nor_underflows) {
  for (const std::int64_t size : sizes)
    for (const float scale : {1.0f, 1e20f, 1e-30f}) {
      auto items = wf_test::random_items<float>(size);
      for (float& item : items) item *= scale;
      const device_array<float> in(items, size % 4);
      const float norm = wf::norm2_value(in.items());
      EXPECT_EQ(norm, replayed<wf::euclidean_norm>(items));
      const long double exact = norm_of(items);
      EXPECT_NEAR(static_cast<double>(norm / exact), 1, 0x1p-24 * (1 + 1e-3) + levels(size) * 0x1p-53);
    }
  EXPECT_EQ(wf::norm2_value(static_cast<const float*>(nullptr), 0), 0.0f);
}

TEST(norm2, of_doubles_of_every_magnitude) {
  wf_test::random_source random(3);
  for (const std::int64_t size : sizes)
    for (const auto& [least, range] :
         {std::pair{0, 10}, {990, 30}, {-1060, 80}, {-1060, 2080}, {480, 12}, {-516, 10}}) {
      std::vector<double> items;
      for (std::int64_t i = 0; i < size; ++i)
        items.push_back(std::ldexp(1 + static_cast<double>(random() >> 11) * 0x1p-53,
                                   least + static_cast<int>(random.below(range))));
      const device_array<double> in(items);
      const double norm = wf::norm2_value(in.items());
      EXPECT_EQ(norm, replayed<wf::euclidean_norm>(items));
      // Long double has 15 bits of exponent: squares of 2^1000 fit as they are.
      long double sum = 0;
      for (const double x : items) sum += static_cast<long double>(x) * x;
      const long double exact = std::sqrt(sum);
      const double ulp = std::max(0x1p-53 * static_cast<double>(exact), 0x1p-1074);
      EXPECT_LE(std::fabs(static_cast<double>(norm - exact)), ulp * (levels(size) + 3)) << size << ' ' << least;
    }
}

// Batches whose squares need no scale are added as plain numbers. Zeros allow this, and change nothing.
TEST(norm2, of_doubles_among_zeros) {
  wf_test::random_source random(4);
  for (const std::int64_t size : sizes)
    for (const int zeros : {0, 1, 30, 100}) {
      std::vector<double> items;
      for (std::int64_t i = 0; i < size; ++i) {
        const double x = static_cast<double>(random() >> 11) * 0x1p-53 + 0x1p-511;
        items.push_back(random.below(100) < zeros ? (i % 2 == 0 ? -0.0 : 0.0) : x);
      }
      const device_array<double> in(items, size % 2);
      EXPECT_EQ(wf::norm2_value(in.items()), replayed<wf::euclidean_norm>(items)) << size << ' ' << zeros;
      items.back() = 0x1p-530;
      const device_array<double> with_small(items);
      EXPECT_EQ(wf::norm2_value(with_small.items()), replayed<wf::euclidean_norm>(items)) << size << ' ' << zeros;
    }
}

template <class T> void expect_mean_of_the_tree() {
  for (const std::int64_t size : sizes) {
    const auto items = wf_test::random_items<T>(size);
    const device_array<T> in(items, size % 3);
    EXPECT_EQ(wf::mean_value(in.items()), replayed<wf::arithmetic_mean>(items)) << size;
  }
}
TEST(mean, has_the_bits_of_the_tree) {
  expect_mean_of_the_tree<float>();
  expect_mean_of_the_tree<double>();
  expect_mean_of_the_tree<int>();
}

TEST(norm2, special_values_and_other_types) {
  const device_array<double> with_infinity(std::vector<double>{1, -HUGE_VAL, 2}), with_nan(std::vector<double>{1, NAN});
  EXPECT_EQ(wf::norm2_value(with_infinity.items()), HUGE_VAL);
  EXPECT_TRUE(std::isnan(wf::norm2_value(with_nan.items())));
  const device_array<int> integers(std::vector<int>{3, -4});
  EXPECT_EQ(wf::norm2_value(integers.items()), 5.0);
  const device_array<__half> halves(std::vector<__half>(100, __half(60'000.0f)));
  EXPECT_EQ(wf::norm2_value(halves.items()), 10 * __half2float(__half(60'000.0f)));
}

TEST(vector_reductions, segments_are_reduced_as_if_alone) {
  const auto items = wf_test::random_items<float>(20'000);
  std::vector<int> offsets{0};
  for (int length = 1; offsets.back() + length < 20'000; length = length * 5 % 997)
    offsets.push_back(offsets.back() + length);
  offsets.push_back(20'000);
  const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
  const device_array<float> in(items, 1), out(segments);
  const device_array<int> device_offsets(offsets);
  const auto expect = [&]<class Op>(Op op) {
    wf::segmented_reduce(in.items(), device_offsets.items(), std::span<float>(out.data(), out.size()), op);
    const auto results = out.to_host();
    for (std::size_t s = 0; s < results.size(); ++s)
      ASSERT_EQ(results[s],
                replayed<Op>(std::vector<float>(items.begin() + offsets[s], items.begin() + offsets[s + 1])));
  };
  expect(wf::log_sum_exp{});
  expect(wf::euclidean_norm{});
  expect(wf::arithmetic_mean{});
}

// Segments and axes fold sums; what follows from the number of items is added where results are written.
template <class T, class Op> void expect_joined_results(Op op) {
  using A = wf::accumulator_t<Op, T>;
  using R = wf::lowered_t<Op, A>;
  constexpr std::int64_t count = 30'000;
  const auto items = wf_test::random_items<T>(count);
  std::vector<std::int64_t> offsets{0, 0};
  for (std::int64_t length = 1; offsets.back() + length < count; length = length * 5 % 997) {
    offsets.push_back(offsets.back() + length);
    if (length % 7 == 0) offsets.push_back(offsets.back());
  }
  offsets.push_back(count);
  const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
  std::vector<int> owners(count);
  for (std::int64_t s = 0; s < segments; ++s)
    for (std::int64_t i = offsets[s]; i < offsets[s + 1]; ++i) owners[i] = static_cast<int>(s);
  const device_array<T> in(items, 1);
  const device_array<std::int64_t> device_offsets(offsets);
  const device_array<int> device_owners(owners);
  const A initial = op(op.lift(T(3)), op.lift(T(4))), nothing = op.lift(T(7));
  const device_array<A> device_initial(std::vector<A>{initial});
  const auto result_of = [&](std::int64_t begin, std::int64_t end, bool has_init, bool has_empty,
                             std::int64_t step = 1) {
    if (begin == end) return op.lower(has_empty ? nothing : has_init ? initial : wf::identity<Op, A>::value());
    std::vector<T> own;
    for (std::int64_t i = begin; i < end; i += step) own.push_back(items[i]);
    const A all = wf::canonical_tree::replay(own.data(), static_cast<std::int64_t>(own.size()), op);
    return op.lower(has_init ? op(initial, all) : all);
  };
  const auto expect = [&](const wf::segmented_options<A>& options, bool has_init, bool has_empty) {
    const device_array<R> out(segments);
    const std::span<R> results(out.data(), out.size());
    const auto check_segments = [&] {
      const auto got = out.to_host();
      for (std::int64_t s = 0; s < segments; ++s)
        ASSERT_TRUE(wf_test::same_bits_or_nan(got[s], result_of(offsets[s], offsets[s + 1], has_init, has_empty)))
            << s << ' ' << has_init << has_empty;
    };
    wf::segmented_reduce(in.items(), device_offsets.items(), results, op, options);
    check_segments();
    wf::segmented_reduce(in.items(), wf::owners{device_owners.items()}, results, op, options);
    check_segments();
    for (const std::int64_t rows : {3, 10, 250, 3750, 15'000, 30'000}) {
      const std::int64_t columns = count / rows;
      const device_array<R> of_rows(rows), of_columns(columns);
      wf::reduce_rows(wf::strided(in.data(), {rows, columns}), std::span<R>(of_rows.data(), of_rows.size()), op,
                      options);
      wf::reduce_columns(wf::strided(in.data(), {rows, columns}), std::span<R>(of_columns.data(), of_columns.size()),
                         op, options);
      const auto rows_got = of_rows.to_host(), columns_got = of_columns.to_host();
      for (std::int64_t r = 0; r < rows; ++r)
        ASSERT_TRUE(
            wf_test::same_bits_or_nan(rows_got[r], result_of(r * columns, (r + 1) * columns, has_init, has_empty)));
      for (std::int64_t c = 0; c < columns; ++c)
        ASSERT_TRUE(wf_test::same_bits_or_nan(columns_got[c], result_of(c, count, has_init, has_empty, columns)));
    }
    const device_array<R> empty_rows(5);
    wf::reduce_rows(wf::strided(in.data(), {5, 0}), std::span<R>(empty_rows.data(), 5), op, options);
    for (const R got : empty_rows.to_host())
      ASSERT_TRUE(wf_test::same_bits_or_nan(got, result_of(0, 0, has_init, has_empty)));
  };
  expect({}, false, false);
  expect({.init = initial}, true, false);
  expect({.init = static_cast<const A*>(device_initial.data()), .empty = nothing}, true, true);
}
TEST(mean, of_segments_and_axes_joins_initial_values) {
  expect_joined_results<float>(wf::arithmetic_mean{});
  expect_joined_results<int>(wf::arithmetic_mean{});
}
TEST(norm2, of_segments_and_axes_joins_initial_values) {
  expect_joined_results<float>(wf::euclidean_norm{});
  expect_joined_results<double>(wf::euclidean_norm{});
}

TEST(vector_reductions, dot_asum_amax_mean_minmax) {
  const std::vector<int> small{-5, 3, 4, -1};
  const device_array<int> ints(small);
  EXPECT_EQ(wf::asum_value(ints.items()), 13);
  EXPECT_EQ(wf::amax_value(ints.data(), 4), 5);
  EXPECT_EQ(wf::dot_value(ints.items(), ints.items()), 51);
  EXPECT_EQ(wf::dot_value(ints.data(), ints.data(), 2), 34);
  EXPECT_EQ(wf::mean_value(ints.items()), 0.25);
  EXPECT_EQ(wf::minmax_value(ints.items()), (wf::extrema<int>{-5, 4}));
  const auto items = wf_test::random_items<float>(9001);
  const device_array<float> in(items, 1), out(1);
  long double sum = 0, magnitudes = 0;
  for (const float x : items) sum += x, magnitudes += std::fabs(x);
  wf::mean(in.items(), out.data());
  EXPECT_NEAR(out.value(), static_cast<double>(sum / 9001), std::fabs(static_cast<double>(sum / 9001)) * 0x1p-23);
  wf::asum(in.data(), 9001, out.data(), {.max_blocks = 1});
  EXPECT_NEAR(out.value() / static_cast<double>(magnitudes), 1, (levels(9001) + 1) * 0x1p-24);
  EXPECT_TRUE(std::isnan(wf::mean_value(in.data(), 0)));
  const device_array<__half> halves(std::vector<__half>(3000, __half(200.0f)));
  EXPECT_EQ(wf::dot_value(halves.items(), halves.items()), 3000 * 40'000.0f) << "in half it would overflow";
  const device_array<std::int8_t> bytes(std::vector<std::int8_t>{-128, 5, 127});
  EXPECT_EQ(wf::amax_value(bytes.items()), 128);
  EXPECT_EQ(wf::minmax_value(bytes.items()), (wf::extrema<int>{-128, 127}));
  const device_array<int> sum_of_ints(1);
  EXPECT_THROW(wf::dot(ints.items(), ints.items().first(2), sum_of_ints.data()), std::invalid_argument);
}

TEST(vector_reductions, of_complex_numbers) {
  using complex = cuda::std::complex<double>;
  const auto both = [](auto real) {
    using C = cuda::std::complex<decltype(real)>;
    const device_array<C> in(std::vector<C>{C(3, 4), C(0, -12), C(-8, 6)}), one(1);
    EXPECT_EQ(wf::asum_value(in.items()), 27) << "moduli";
    EXPECT_EQ(wf::amax_value(in.items()), 12);
    EXPECT_FLOAT_EQ(static_cast<float>(wf::norm2_value(in.items())), std::sqrt(269.0f));
    wf::mean(in.items(), one.data());
    EXPECT_EQ(one.value().real(), decltype(real)(-5) / 3);
    EXPECT_EQ(one.value().imag(), decltype(real)(-2) / 3);
    EXPECT_TRUE(std::isnan(wf::mean_value(in.items().first(0)).imag()));
    EXPECT_EQ(wf::norm2_value(in.items().first(0)), 0);
  };
  both(1.0f);
  both(1.0);
  // The norm has the bits of the norm of all parts, in every batch.
  std::vector<complex> items(9001);
  std::vector<double> parts;
  wf_test::random_source random(5);
  for (complex& item : items) {
    const auto part = [&] {
      const double size =
          std::ldexp(1 + static_cast<double>(random() >> 11) * 0x1p-53, static_cast<int>(random.below(1120)) - 600);
      return random() & 1 ? size : -size;
    };
    const double real = part(), imaginary = part();
    item = complex(real, imaginary);
    parts.insert(parts.end(), {real, imaginary});
  }
  const device_array<complex> in(items);
  const device_array<double> in_parts(parts);
  EXPECT_EQ(wf::norm2_value(in.items()), wf::norm2_value(in_parts.items()));
  for (const complex& z : items) {
    const long double exact = std::hypot(static_cast<long double>(z.real()), static_cast<long double>(z.imag()));
    EXPECT_NEAR(static_cast<double>(wf::magnitude{}(z) / exact), 1, 0x1p-52);
  }
  constexpr double huge = 1e308, tiny = 0x1p-1074, inf = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(wf::magnitude{}(complex(huge, huge)), std::hypot(huge, huge));
  EXPECT_EQ(wf::magnitude{}(complex(tiny, 0)), tiny);
  EXPECT_EQ(wf::magnitude{}(complex(std::nan(""), -inf)), inf);
  EXPECT_TRUE(std::isnan(wf::magnitude{}(complex(std::nan(""), 1))));
}

TEST(vector_reductions, of_wide_integers) {
  constexpr wf::int128 large = static_cast<wf::int128>(1) << 100;
  const device_array<wf::int128> in(std::vector<wf::int128>{-5, 3, -large});
  EXPECT_TRUE(wf::asum_value(in.items()) == large + 8);
  EXPECT_TRUE(wf::amax_value(in.items()) == large);
  EXPECT_EQ(wf::norm2_value(in.items().first(2)), std::sqrt(34.0));
  EXPECT_EQ(wf::mean_value(in.items().first(2)), -1.0);
}

}  // namespace vector_reduction_tests
