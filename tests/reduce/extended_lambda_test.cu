// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lambdas as operators and transforms. The host knows what an extended __device__ lambda returns only if that is
// declared. Otherwise the lambda can be an operator, which accumulates in the item's type, but not a transform. The
// lambdas are in functions of their own, since extended lambdas cannot be in the body of a TEST.
#include <gtest/gtest.h>
#include <algorithm>

#include "common/random_items.hpp"
#include "common/same_bits.hpp"
#include "expected.hpp"
#include "ways.cuh"

namespace wf = warpfold;
using wf_test::same_bits;

namespace wf_test {

const std::vector<float>& lambda_items() {
  static const auto items = random_items<float>(20'011);
  return items;
}

float reduce_with_undeclared_lambda(std::span<const float> in, float threshold) {
  const device_array<float> out(1);
  // Of two items the right one, unless it is below the threshold: associative, not commutative.
  wf::reduce(in, out.data(), [threshold] __device__(float a, float b) { return b < threshold ? a : b; });
  return out.value();
}

float reduce_with_declared_lambda(std::span<const float> in, float threshold) {
  return wf::reduce_value(in, [threshold] __device__(float a, float b) -> float { return b < threshold ? a : b; });
}

float transform_with_capture(std::span<const float> in, float scale) {
  const device_array<float> out(1);
  wf::transform_reduce(in, out.data(), wf::plus{},
                       [scale] __device__(float x) -> float { return wf::multiplies{}(scale, x); }, {.init = 1.0f});
  return out.value();
}

double transform_with_declared_lambda(std::span<const float> in) {
  const device_array<double> out(1);
  const auto to_double = [] __device__(float x) -> double { return static_cast<double>(x); };
  static_assert(std::is_same_v<decltype(wf::transform_reduce_value(in, wf::plus{}, to_double)), double>);
  wf::transform_reduce(in, out.data(), wf::plus{}, to_double);
  return out.value();
}

// The same type in nvcc and in the emulator: what is declared.
double half_of_each(std::span<const int> in) {
  const auto half = [] __device__(int x) -> double { return x * 0.5; };
  static_assert(std::is_same_v<decltype(wf::transform_reduce_value(in, wf::plus{}, half)), double>);
  return wf::transform_reduce_value(in, wf::plus{}, half);
}
std::int64_t count_below(std::span<const float> in, float bound) {
  const auto is_below = [bound] __device__(float x) -> bool { return x < bound; };
  static_assert(std::is_same_v<decltype(wf::transform_reduce_value(in, wf::plus{}, is_below)), int>);
  return wf::transform_reduce_value(in, wf::plus{}, is_below);
}

float dot_with_lambda(std::span<const float> left, std::span<const float> right) {
  const auto product = [] __device__(float a, float b) -> float { return wf::multiplies{}(a, b); };
  static_assert(std::is_same_v<decltype(wf::transform_reduce_value(left, right, wf::plus{}, product)), float>);
  return wf::transform_reduce_value(left, right, wf::plus{}, product);
}

// Callable on both sides: nothing is hidden from the host.
float reduce_with_host_device_lambda(std::span<const float> in) {
  return wf::reduce_value(in, [] __host__ __device__(float a, float b) { return b > a ? b : a; });
}

}  // namespace wf_test

namespace {

class reduce_extended_lambda : public testing::Test {
 protected:
  static float last_from(float threshold) {
    float last = wf_test::lambda_items().front();
    for (const float item : wf_test::lambda_items()) last = item < threshold ? last : item;
    return last;
  }
  template <class T> static T sum(const std::vector<T>& items) {
    return wf::canonical_tree::replay(items.begin(), std::ssize(items), wf::plus{});
  }

  const wf_test::device_array<float> in_{wf_test::lambda_items(), 1};
};

TEST_F(reduce_extended_lambda, operator_without_declared_return) {
  EXPECT_EQ(wf_test::reduce_with_undeclared_lambda(in_.items(), 100), last_from(100));
}
TEST_F(reduce_extended_lambda, operator_with_declared_return) {
  EXPECT_EQ(wf_test::reduce_with_declared_lambda(in_.items(), -100), last_from(-100));
}
TEST_F(reduce_extended_lambda, transform_with_capture) {
  std::vector<float> scaled;
  for (const float item : wf_test::lambda_items()) scaled.push_back(0.3f * item);
  EXPECT_TRUE(same_bits(wf_test::transform_with_capture(in_.items(), 0.3f), 1.0f + sum(scaled)));
}
TEST_F(reduce_extended_lambda, transform_with_declared_return) {
  const std::vector<double> items(wf_test::lambda_items().begin(), wf_test::lambda_items().end());
  EXPECT_TRUE(same_bits(wf_test::transform_with_declared_lambda(in_.items()), sum(items)));
}
TEST_F(reduce_extended_lambda, two_inputs) {
  std::vector<float> squares;
  for (const float item : wf_test::lambda_items()) squares.push_back(item * item);
  EXPECT_TRUE(same_bits(wf_test::dot_with_lambda(in_.items(), in_.items()), sum(squares)));
}
TEST_F(reduce_extended_lambda, accumulators_are_what_lambdas_declare) {
  const wf_test::device_array<int> odd(std::vector<int>{1, 3, 5});
  EXPECT_EQ(wf_test::half_of_each(odd.items()), 4.5);
  const auto& items = wf_test::lambda_items();
  EXPECT_EQ(wf_test::count_below(in_.items(), 0.25f),
            std::count_if(items.begin(), items.end(), [](float x) { return x < 0.25f; }));
}
TEST_F(reduce_extended_lambda, host_device_lambda) {
  const auto& items = wf_test::lambda_items();
  EXPECT_EQ(wf_test::reduce_with_host_device_lambda(in_.items()), *std::max_element(items.begin(), items.end()));
}

}  // namespace
