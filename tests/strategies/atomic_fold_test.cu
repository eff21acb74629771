// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hardware atomics against the operators they stand for, from many blocks at once.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <warpfold_strategies/atomic_fold.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"
#include "common/special_values.hpp"

namespace wf_test {
namespace {

namespace wf = warpfold;

template <class Op, class T> __global__ void fold_kernel(const T* items, int count, T* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) wf::thread::atomic_fold<Op>(out, items[i]);
}

template <class Op, class T> void expect_fold_of(const std::vector<T>& items) {
  T expected = wf::identity<Op, T>::value();
  for (const T& x : items) expected = Op{}(expected, x);
  const device_array<T> in(items), out(std::vector<T>{wf::identity<Op, T>::value()});
  launch_and_wait(&fold_kernel<Op, T>, (static_cast<int>(items.size()) + 63) / 64, 64, 0, in.data(),
                  static_cast<int>(items.size()), out.data());
  EXPECT_TRUE(same_bits_or_nan(out.value(), expected));
}

template <class Op, class T> void expect_folds() {
  static_assert(wf::thread::has_atomic_v<Op, T>);
  expect_fold_of<Op>(random_items<T>(300, 3));
  for (const T special : special_values<T>()) {
    auto items = random_items<T>(200, 4);
    items[77] = special;
    if constexpr (!(std::is_same_v<Op, wf::plus> && std::is_floating_point_v<T>)) expect_fold_of<Op>(items);
    expect_fold_of<Op>(std::vector<T>{special});
  }
  for (const T a : special_values<T>())
    for (const T b : special_values<T>()) expect_fold_of<Op>(std::vector<T>{a, b});
}

template <class T> void expect_integer_folds() {
  expect_folds<wf::plus, T>();
  expect_folds<wf::minimum, T>();
  expect_folds<wf::maximum, T>();
  expect_folds<wf::bit_and, T>();
  expect_folds<wf::bit_or, T>();
  expect_folds<wf::bit_xor, T>();
}

TEST(atomic_fold, of_signed_integers) { expect_integer_folds<std::int32_t>(), expect_integer_folds<std::int64_t>(); }
TEST(atomic_fold, of_unsigned_integers) {
  expect_integer_folds<std::uint32_t>(), expect_integer_folds<std::uint64_t>();
}
TEST(atomic_fold, of_float_extrema) { expect_folds<wf::minimum, float>(), expect_folds<wf::maximum, float>(); }
TEST(atomic_fold, of_double_extrema) { expect_folds<wf::minimum, double>(), expect_folds<wf::maximum, double>(); }

template <class T> void expect_sum() {
  std::vector<T> items;
  for (int i = 0; i < 500; ++i) items.push_back(static_cast<T>(i % 37) - 11);  // whole numbers: exact in any order
  expect_fold_of<wf::plus>(items);
  for (const T special : special_values<T>())
    if (std::fpclassify(special) != FP_SUBNORMAL) expect_fold_of<wf::plus>(std::vector<T>{special});
}
TEST(atomic_fold, of_sums) { expect_sum<float>(), expect_sum<double>(); }

TEST(atomic_fold, of_float_sums_may_lose_subnormal_numbers) {
  const float least = std::numeric_limits<float>::denorm_min();
  const device_array<float> in(std::vector<float>{least}), out(std::vector<float>{0});
  launch_and_wait(&fold_kernel<wf::plus, float>, 1, 64, 0, in.data(), 1, out.data());
  EXPECT_TRUE(out.value() == least || out.value() == 0) << out.value();
}

TEST(atomic_fold, exists_where_the_hardware_has_it) {
  using wf::thread::has_atomic_v;
  EXPECT_TRUE((has_atomic_v<wf::plus, float>));
  EXPECT_TRUE((has_atomic_v<wf::accumulating<double, wf::plus>, double>));
  EXPECT_FALSE((has_atomic_v<wf::multiplies, float>));
  EXPECT_FALSE((has_atomic_v<wf::minimum_number, float>));  // an all-NaN input could not be told from an empty one
  EXPECT_TRUE((has_atomic_v<wf::minimum_number, int>));
  EXPECT_FALSE((has_atomic_v<wf::plus, std::int16_t>));
  EXPECT_FALSE((has_atomic_v<wf::bit_or, float>));
  EXPECT_FALSE((has_atomic_v<wf::logical_or, bool>));
  EXPECT_FALSE((has_atomic_v<wf::first, int>));
}

}  // namespace
}  // namespace wf_test
