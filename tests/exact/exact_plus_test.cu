// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums through the public functions: correctly rounded for every kind of items, and the same bits in any order.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <warpfold/exact_plus.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/workspace.cuh>

#include "common/device.cuh"
#include "common/exact_reference.hpp"

namespace exact_plus_tests {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::hard_items;

template <class T> testing::AssertionResult same_bits_or_nan(const T& a, const T& b) {
  if (std::isnan(wf_test::as_double(a)) && std::isnan(wf_test::as_double(b))) return testing::AssertionSuccess();
  return wf_test::same_bits(a, b);
}

/// Sums of every kind of items in a few sizes, orders, alignments and grids.
template <class T> void expect_exact_sums() {
  wf_test::random_source source(sizeof(T));
  const device_array<T> out(1);
  for (const hard_items what : wf_test::all_hard_items)
    for (const int count : {1, 2, 33, 1000, 4097, 21000}) {
      auto items = wf_test::make_hard_items<T>(what, count, source);
      const wf_test::exact_sum expected = wf_test::exact_sum_of(items);
      const device_array<T> in(items, count % 4);
      wf::reduce(in.items(), out.data(), wf::exact_plus{});
      const T sum = out.value();
      ASSERT_TRUE(expected.rounds_to(sum)) << static_cast<int>(what) << ' ' << count;
      wf_test::shuffle_items(items, source);
      const device_array<T> shuffled(items);
      wf::reduce(shuffled.items(), out.data(), wf::exact_plus{}, {.max_blocks = count % 2 == 0 ? 2 : 1});
      ASSERT_TRUE(same_bits_or_nan(out.value(), sum)) << static_cast<int>(what) << ' ' << count;
    }
}

TEST(exact_plus, sums_of_floats) { expect_exact_sums<float>(); }
TEST(exact_plus, sums_of_doubles) { expect_exact_sums<double>(); }
TEST(exact_plus, sums_of_halves) { expect_exact_sums<__half>(); }
TEST(exact_plus, sums_of_bfloats) { expect_exact_sums<__nv_bfloat16>(); }

/// Adds `batches` batches. carries[0]: the bits beyond digits before the last one; [1]: after it.
__global__ void carry_kernel(int batches, unsigned long long* carries) {
  constexpr int items = 4;
  using sum = wf::exact::warp_sum<__half, items>;
  __shared__ sum::storage own;
  const auto beyond = [] {
    unsigned long long all = 0;
    for (const unsigned long long word : own.sum.word) all |= word >> 32;
    return all;
  };
  sum all(own);
  for (int batch = 0; batch < batches; ++batch) {
    if (batch == batches - 1) {
      __syncwarp();
      if (threadIdx.x == 0) carries[0] = beyond();
      __syncwarp();
    }
    sum::number held[items] = {0x1.ffcp10f, 0x1.ffcp0f, 0x1.ffcp-10f, 0x1p-24f};  // digits in all places of a word
    all.add(held);
  }
  __syncwarp();
  if (threadIdx.x == 0) carries[1] = beyond();
}

TEST(exact_plus, words_are_carried_after_many_batches) {
  const device_array<unsigned long long> carries(2);
  wf_test::launch_and_wait(&carry_kernel, 1, 32, 0, 1 << 16, carries.data());
  EXPECT_NE(carries.value(0), 0);
  EXPECT_EQ(carries.value(1), 0);
}

// Numbers of one sign whose significands fill the most bits of a bin, so many that a warp's bins of doubles must be
// moved; and small numbers, without which these would not be counted in bins.
template <class T> void expect_sums_of_full_bins(T largest, T least) {
  for (const T sign : {T(1), T(-1)}) {
    std::vector<T> items(200000, sign * largest);
    for (std::size_t i = 0; i < items.size(); i += 32) items[i] = least;
    const device_array<T> in(items), out(1);
    wf::reduce(in.items(), out.data(), wf::exact_plus{}, {.max_blocks = 1});
    EXPECT_TRUE(wf_test::exact_sum_of(items).rounds_to(out.value())) << sign;
  }
}
TEST(exact_plus, bins_of_doubles_are_moved_before_they_overflow) {
  expect_sums_of_full_bins(0x1.fffffffffffffp608, 0x1p-608);
}
TEST(exact_plus, full_bins_of_floats) {
  expect_sums_of_full_bins(0x1.fffffep96f, 0x1p-126f);
  expect_sums_of_full_bins(0x1.fffffep112f, 0x1p-149f);
}

// Carries and borrows that pass through many words, and rests far below the last digit that is kept.
TEST(exact_plus, carries_pass_through_many_words) {
  constexpr double least = 0x1p-1074, half_digit = 0x1p-53, max = std::numeric_limits<double>::max();
  const std::vector<std::vector<double>> sums{{0x1p1000, -least},
                                              {0x1p-1000, -0x1p1000, 0x1p1000},
                                              {1, half_digit, least},
                                              {1, half_digit, -least},
                                              {max, max, -max, least, -max, -least},
                                              {0x1p-1000, -least, -0x1p-1000},
                                              {max, -least},
                                              {max, 0x1p970},
                                              {least, least, -least},
                                              {0x1p-1022, -least}};
  const device_array<double> out(1);
  for (const double sign : {1.0, -1.0})
    for (std::vector<double> items : sums) {
      for (double& item : items) item *= sign;
      const device_array<double> in(items);
      wf::reduce(in.items(), out.data(), wf::exact_plus{});
      EXPECT_TRUE(wf_test::exact_sum_of(items).rounds_to(out.value()));
      wf::reduce(in.data() + 1, std::ssize(items) - 1, out.data(), wf::exact_plus{},
                 {.init = wf::exact_plus{}.lift(items[0])});
      EXPECT_TRUE(wf_test::exact_sum_of(items).rounds_to(out.value()));
    }
}

struct ignored_transform {
  __host__ __device__ float operator()(int i) const { return i % 3 == 0 ? 0x1p100f : i % 3 == 1 ? 1.0f : -0x1p100f; }
};
struct product {
  __host__ __device__ double operator()(float a, float b) const { return static_cast<double>(a) * b; }
};
struct tenths {
  using value_type = double;
  using difference_type = std::int64_t;
  __host__ __device__ double operator[](std::int64_t) const { return 0.1; }
};

TEST(exact_plus, transforms_pairs_and_iterators) {
  std::vector<int> numbers(3000);
  for (int i = 0; i < 3000; ++i) numbers[static_cast<std::size_t>(i)] = i;
  const device_array<int> in(numbers);
  EXPECT_EQ(wf::transform_reduce_value(in.items(), wf::exact_plus{}, ignored_transform{}), 1000);
  const device_array<float> left(std::vector<float>{0x1p60f, 3, -0x1p60f}),
      right(std::vector<float>{0x1p60f, 5, 0x1p60f});
  EXPECT_EQ(wf::transform_reduce_value(left.items(), right.items(), wf::exact_plus{}, product{}), 15);
  wf_test::exact_sum expected;
  for (int i = 0; i < 5003; ++i) expected.add(0.1);
  EXPECT_TRUE(expected.rounds_to(wf::reduce_value(tenths{}, 5003, wf::exact_plus{})));
}

TEST(exact_plus, results_of_other_types) {
  const device_array<__half> in(std::vector<__half>(1000, __float2half(65504.0f)));
  EXPECT_EQ(wf::reduce_value(in.items(), wf::exact_plus_as<float>{}), 65504000.0f);
  EXPECT_TRUE(std::isinf(__half2float(wf::reduce_value(in.items(), wf::exact_plus{}))));
}

TEST(exact_plus, init_joins_exactly_and_nothing_sums_to_zero) {
  const device_array<double> in(std::vector<double>{1, 0x1p-60}), out(1);
  wf::reduce(in.items(), out.data(), wf::exact_plus{}, {.init = wf::exact_plus{}.lift(-1.0)});
  EXPECT_EQ(out.value(), 0x1p-60);
  wf::reduce(in.data(), 0, out.data(), wf::exact_plus{});
  EXPECT_TRUE(out.value() == 0 && !std::signbit(out.value()));
  const device_array<double> zeros(std::vector<double>(700, -0.0));
  EXPECT_TRUE(std::signbit(wf::reduce_value(zeros.items(), wf::exact_plus{})));
}

// The control words must be zero again after every call.
TEST(exact_plus, one_workspace_serves_many_calls) {
  wf_test::random_source source(9);
  const auto items = wf_test::make_hard_items<float>(hard_items::wide, 20000, source);
  const device_array<float> in(items), out(1);
  const float first = wf::reduce_value(in.items(), wf::exact_plus{});
  const wf::workspace workspace;
  for (int i = 0; i < 4; ++i) {
    if (i % 2 == 0) wf::reduce(in.items(), out.data(), wf::exact_plus{}, {.max_blocks = 3});
    else wf::reduce(in.items(), out.data(), wf::exact_plus{}, {.workspace = workspace});
    ASSERT_TRUE(same_bits_or_nan(out.value(), first));
    ASSERT_EQ(wf::reduce_value(in.items(), wf::maximum{}), *std::max_element(items.begin(), items.end()));
  }
}

TEST(exact_plus, integers_in_128_bits) {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const device_array<std::int64_t> in(std::vector<std::int64_t>(5000, max));
  EXPECT_TRUE(wf::reduce_value(in.items(), wf::exact_plus{}) == wf::int128{max} * 5000);
  const device_array<std::int64_t> low(std::vector<std::int64_t>(777, -max - 1));
  EXPECT_TRUE(wf::reduce_value(low.items(), wf::exact_plus{}) == (wf::int128{-max} - 1) * 777);
}

}  // namespace exact_plus_tests
