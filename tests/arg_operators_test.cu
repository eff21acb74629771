// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arg_minimum, arg_maximum, arg_extrema: associative over all values, with an identity, on both backends; and what
// they decide.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>
#include <warpfold/arg_operators.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace arg_operator_tests {

namespace wf = warpfold;
using wf::nans, wf::ties;
using wf_test::device_array;

template <class T> __host__ __device__ bool same_value(const T& a, const T& b) {
  return a == b ? 1 / a == 1 / b || a != 0 : a != a && b != b;  // tells zeros apart, but not NaNs
}
template <class T, class I>
__host__ __device__ bool same(const wf::indexed_value<T, I>& a, const wf::indexed_value<T, I>& b) {
  return same_value(a.value, b.value) && a.index == b.index;
}
template <class T, class I>
__host__ __device__ bool same(const wf::indexed_extrema<T, I>& a, const wf::indexed_extrema<T, I>& b) {
  return same(a.minimum, b.minimum) && same(a.maximum, b.maximum);
}
template <class A> __host__ __device__ bool same(const wf::counted_from<A>& a, const wf::counted_from<A>& b) {
  return same(a.value, b.value) && a.begin == b.begin;
}

/// Counts the triples for which the operator is not associative, and the values that the identity does not leave alone.
/// Triple t has the values of three digits of t.
template <class Op, class A>
__global__ void count_failures(const A* values, int count, A none, int first, int cases, int* failures) {
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int t = first + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); t < first + cases; t += step) {
    const A a = values[t % count], b = values[t / count % count], c = values[t / count / count % count];
    const bool right =
        same(Op{}(Op{}(a, b), c), Op{}(a, Op{}(b, c))) && same(Op{}(none, a), a) && same(Op{}(a, none), a);
    if (!right) atomicAdd(failures, 1);
  }
}

/// Items -inf, -1, -0, +0, 1, +inf, NaN, each with several indices, and with none; and random ones.
template <class Op> auto operands() {
  std::vector<decltype(Op{}.lift(0.0f, 0))> values;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float item : {-infinity, -1.0f, -0.0f, 0.0f, 1.0f, infinity, std::numeric_limits<float>::quiet_NaN()})
    for (const int index : {3, 8}) values.push_back(Op{}.lift(item, index));
  values.push_back(wf::identity<Op, decltype(Op{}.lift(0.0f, 0))>::value());
  wf_test::random_source random(4);
  while (values.size() < 47)
    values.push_back(Op{}.lift(static_cast<float>(random.below(9)) - 4, static_cast<std::int64_t>(random() >> 2)));
  return values;
}

template <class Op> void expect_associative(const char* name) {
  const auto values = operands<Op>();
  using A = std::remove_cvref_t<decltype(values[0])>;
  const int count = static_cast<int>(values.size()), cases = count * count * count;
  ASSERT_GT(cases, 100'000);
  const device_array<A> on_device(values);
  const device_array<int> failures(std::vector<int>{0});
  wf_test::launch_and_wait(&count_failures<Op, A>, 2, 64, 0, static_cast<const A*>(on_device.data()), count,
                           wf::identity<Op, A>::value(), 0, cases, failures.data());
  EXPECT_EQ(failures.value(), 0) << name;
}

TEST(arg_operators, are_associative_and_have_an_identity) {
  expect_associative<wf::arg_minimum<>>("minimum");
  expect_associative<wf::arg_maximum<ties::last>>("maximum, last");
  expect_associative<wf::arg_minimum<ties::last, nans::ignore>>("minimum, last, ignoring NaN");
  expect_associative<wf::arg_maximum<ties::first, nans::ignore>>("maximum, ignoring NaN");
  expect_associative<wf::arg_extrema<>>("both");
  expect_associative<wf::within_run<wf::arg_minimum<>>>("within a run");
}

template <class Op> std::int64_t index_in(const std::vector<float>& items) {
  auto value = wf::identity<Op, wf::indexed_value<float>>::value();
  for (std::size_t i = 0; i < items.size(); ++i) value = Op{}(value, Op{}.lift(items[i], static_cast<std::int64_t>(i)));
  return value.index;
}

TEST(arg_operators, decide_as_the_header_says) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  using min_first = wf::arg_minimum<>;
  using min_last = wf::arg_minimum<ties::last>;
  using max_ignoring = wf::arg_maximum<ties::first, nans::ignore>;
  EXPECT_EQ(index_in<min_first>({3, nan, 1}), 1) << "CUB's answer depends on the association";
  EXPECT_EQ(index_in<min_first>({3, 1, 1, 2}), 1);
  EXPECT_EQ(index_in<min_last>({3, 1, 1, 2}), 2);
  EXPECT_EQ(index_in<min_first>({0.0f, -0.0f}), 0) << "zeros tie, as in NumPy";
  EXPECT_EQ(index_in<min_last>({-0.0f, 0.0f}), 1);
  EXPECT_EQ(index_in<min_last>({nan, 1, nan, 2}), 2);
  EXPECT_EQ(index_in<max_ignoring>({nan, 1, nan, 2, 2}), 3);
  EXPECT_EQ(index_in<max_ignoring>({nan, nan}), 0) << "all are NaN";
  EXPECT_EQ(index_in<max_ignoring>({nan, -infinity}), 1);
  EXPECT_EQ(index_in<min_first>({infinity, infinity}), 0) << "as the identity's value";
  EXPECT_EQ(index_in<min_last>({infinity}), 0);
  EXPECT_EQ(index_in<min_first>({}), -1);
}

// No value of an enumeration is known to lose, so a value without an item never wins, whatever it is.
enum class level { low = -3, middle, high = 4 };
template <class Op> constexpr bool ignores_what_has_no_item() {
  using item = wf::indexed_value<level>;
  constexpr auto none = wf::identity<Op, item>::value();
  bool ignores = none.index == -1;
  for (const level value : {level::low, level::middle, level::high})
    for (const item nothing : {none, item{level::low, -1}, item{level::high, -7}}) {
      const item some{value, 5};
      ignores = ignores && Op{}(nothing, some) == some && Op{}(some, nothing) == some && Op{}(nothing, none).index < 0;
    }
  return ignores;
}
TEST(arg_operators, indices_alone_decide_without_bounds) {
  static_assert(ignores_what_has_no_item<wf::arg_minimum<>>() && ignores_what_has_no_item<wf::arg_maximum<>>());
  static_assert(ignores_what_has_no_item<wf::arg_minimum<ties::last>>());
  static_assert(ignores_what_has_no_item<wf::arg_maximum<ties::last, nans::ignore>>());
  using item = wf::indexed_value<level>;
  EXPECT_EQ(wf::arg_maximum<>{}(item{level::low, 1}, item{level::high, 2}).index, 2);
  EXPECT_EQ(wf::arg_maximum<>{}(item{level::high, 1}, item{level::high, 2}).index, 1);
  EXPECT_EQ(wf::arg_maximum<ties::last>{}(item{level::high, 1}, item{level::high, 2}).index, 2);
}

TEST(arg_operators, types) {
  static_assert(std::is_same_v<wf::accumulator_t<wf::arg_minimum<>, float>, wf::indexed_value<float>>);
  static_assert(std::is_same_v<wf::accumulator_t<wf::arg_maximum<>, signed char>, wf::indexed_value<int>>);
  static_assert(std::is_same_v<wf::accumulator_t<wf::arg_extrema<>, double>, wf::indexed_extrema<double>>);
  static_assert(wf::is_exact<wf::arg_minimum<>, wf::indexed_value<float>>);
  static_assert(!wf::is_exact<wf::plus, float>);
  using narrow = wf::arg_minimum<ties::first, nans::propagate, int>;
  static_assert(sizeof(wf::accumulator_t<narrow, float>) == 8);
  static_assert(std::is_same_v<wf::lowered_t<narrow, wf::accumulator_t<narrow, float>>, wf::indexed_value<float>>);
  const wf::indexed_value<double, int> converted = wf::indexed_value<float>{1.5f, 7};
  EXPECT_EQ(converted.value, 1.5);
  EXPECT_EQ(converted.index, 7);
}

}  // namespace arg_operator_tests
