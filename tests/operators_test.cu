// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of the operators: on the host against the rules, and on the device against the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>
#include <warpfold/operators.hpp>

#include "common/device.cuh"
#include "common/monoids.hpp"
#include "common/same_bits.hpp"
#include "common/special_values.hpp"

namespace wf = warpfold;

namespace {

/// a * b + b by the library's operators: two roundings, whatever the compiler would like to do.
struct multiply_then_add {
  template <class T> __host__ __device__ T operator()(const T& a, const T& b) const {
    return wf::plus{}(wf::multiplies{}(a, b), b);
  }
};

template <class... Ops> struct operators { static constexpr int count = sizeof...(Ops); };
template <class T>
using operators_of = std::conditional_t<
    std::is_floating_point_v<T>,
    operators<wf::plus, wf::multiplies, wf::minimum, wf::maximum, wf::minimum_number, wf::maximum_number, wf::first,
              wf::last, multiply_then_add>,
    operators<wf::plus, wf::multiplies, wf::minimum, wf::maximum, wf::minimum_number, wf::maximum_number, wf::first,
              wf::last, multiply_then_add, wf::bit_and, wf::bit_or, wf::bit_xor>>;

/// Every operator on (a, b): results[k] is the k-th operator's.
template <class T, class... Ops> __host__ __device__ void apply_all(operators<Ops...>, T a, T b, T* results) {
  int k = 0;
  ((results[k++] = Ops{}(a, b)), ...);
}

template <class T> __global__ void apply_kernel(const T* a, const T* b, T* results, int pairs) {
  constexpr int count = operators_of<T>::count;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < pairs) apply_all(operators_of<T>{}, a[i], b[i], results + i * count);
}

/// How many results differ between device and host.
template <class T> int differing_results() {
  constexpr int count = operators_of<T>::count;
  std::vector<T> a, b;
  for (const T left : wf_test::special_values<T>())
    for (const T right : wf_test::special_values<T>()) a.push_back(left), b.push_back(right);
  wf_test::random_source source(7);
  for (int i = 0; i < 100; ++i) {
    a.push_back(wf_test::random_item<T>(source));
    b.push_back(wf_test::random_item<T>(source));
  }
  const auto n = static_cast<int>(a.size());
  const wf_test::device_array<T> on_device_a(a), on_device_b(b), results(n * count);
  wf_test::launch_and_wait(&apply_kernel<T>, (n + 127) / 128, 128, 0, on_device_a.data(), on_device_b.data(),
                           results.data(), n);
  const std::vector<T> actual = results.to_host();
  int differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    T expected[count];
    apply_all(operators_of<T>{}, a[i], b[i], expected);
    for (int k = 0; k < count; ++k) {
      const T got = actual[i * count + static_cast<std::size_t>(k)];
      const bool both_nan = got != got && expected[k] != expected[k];
      differing += !both_nan && std::memcmp(&got, &expected[k], sizeof(T)) != 0;
    }
  }
  return differing;
}

TEST(operators, give_the_same_on_the_device_as_on_the_host) {
  EXPECT_EQ(differing_results<float>(), 0);
  EXPECT_EQ(differing_results<double>(), 0);
  EXPECT_EQ(differing_results<std::int8_t>(), 0);
  EXPECT_EQ(differing_results<std::uint16_t>(), 0);
  EXPECT_EQ(differing_results<std::int32_t>(), 0);
  EXPECT_EQ(differing_results<std::uint64_t>(), 0);
}

template <class T> struct real_operators : testing::Test {};
using real_types = testing::Types<float, double>;
TYPED_TEST_SUITE(real_operators, real_types);

TYPED_TEST(real_operators, round_once_each) {
  using T = TypeParam;
  const T half_ulp = std::numeric_limits<T>::epsilon() / 2;
  EXPECT_EQ(wf::plus{}(T(1), half_ulp), T(1)) << "ties go to even";
  EXPECT_EQ(wf::plus{}(T(1), half_ulp * T(1.5)), T(1) + 2 * half_ulp);
  EXPECT_EQ(wf::multiplies{}(T(1) + 2 * half_ulp, T(1) - half_ulp), T(1));
}

TYPED_TEST(real_operators, are_never_contracted) {
  using T = TypeParam;
  wf_test::random_source source(11);
  int contraction_would_show = 0;
  for (int i = 0; i < 200; ++i) {
    const T a = wf_test::random_item<T>(source), b = wf_test::random_item<T>(source);
    volatile T product = a * b;
    volatile T sum = product + b;
    const T expected = sum;
    EXPECT_TRUE(wf_test::same_bits(multiply_then_add{}(a, b), expected));
    contraction_would_show += std::fma(a, b, b) != expected;
  }
  EXPECT_GT(contraction_would_show, 20);
}

#if defined(__x86_64__) && !defined(__CUDACC__)
// Where the host has fused instructions, compilers use them by default.
struct multiply_then_plain_add {
  double operator()(double a, double b) const { return wf::multiplies{}(a, b) + b; }
};
struct plain_multiply_then_add {
  double operator()(double a, double b) const { return wf::plus{}(a * b, b); }
};
#pragma GCC push_options
#pragma GCC optimize("O2")  // below, GCC does not fuse
template <class Op> __attribute__((target("fma"), flatten)) double with_fma(double a, double b) { return Op{}(a, b); }
#pragma GCC pop_options
template <class Op> double without_fma(double a, double b) { return Op{}(a, b); }

template <class Op> int contracted_results() {
  const auto compiled_for_host = __builtin_cpu_supports("fma") ? &with_fma<Op> : &without_fma<Op>;
  wf_test::random_source source(12);
  int contracted = 0;
  for (int i = 0; i < 200; ++i) {
    const auto a = wf_test::random_item<double>(source), b = wf_test::random_item<double>(source);
    volatile double product = a * b;
    contracted += compiled_for_host(a, b) != product + b;
  }
  return contracted;
}

TEST(operators_on_the_host, are_not_contracted_where_the_host_could) {
  EXPECT_EQ(contracted_results<multiply_then_add>(), 0);
  EXPECT_EQ(contracted_results<multiply_then_plain_add>(), 0);
  EXPECT_EQ(contracted_results<plain_multiply_then_add>(), 0);
}
#endif

TYPED_TEST(real_operators, minimum_and_maximum_order_the_zeros) {
  using T = TypeParam;
  const T plus_zero = 0, minus_zero = T(-0.0);
  for (const auto& [a, b] : {std::pair{plus_zero, minus_zero}, std::pair{minus_zero, plus_zero}}) {
    EXPECT_TRUE(wf_test::same_bits(wf::minimum{}(a, b), minus_zero));
    EXPECT_TRUE(wf_test::same_bits(wf::maximum{}(a, b), plus_zero));
    EXPECT_TRUE(wf_test::same_bits(wf::minimum_number{}(a, b), minus_zero));
    EXPECT_TRUE(wf_test::same_bits(wf::maximum_number{}(a, b), plus_zero));
  }
}

TYPED_TEST(real_operators, minimum_and_maximum_propagate_nan_and_the_number_forms_ignore_it) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (const T x : wf_test::special_values<T>()) {
    EXPECT_TRUE(std::isnan(wf::minimum{}(x, nan)) && std::isnan(wf::minimum{}(nan, x))) << x;
    EXPECT_TRUE(std::isnan(wf::maximum{}(x, nan)) && std::isnan(wf::maximum{}(nan, x))) << x;
    for (const T result : {wf::minimum_number{}(x, nan), wf::minimum_number{}(nan, x), wf::maximum_number{}(x, nan),
                           wf::maximum_number{}(nan, x)})
      EXPECT_TRUE(wf_test::same_bits_or_nan(result, x));
  }
}

TYPED_TEST(real_operators, minimum_and_maximum_of_numbers) {
  using T = TypeParam;
  for (const T a : wf_test::special_values<T>())
    for (const T b : wf_test::special_values<T>()) {
      if (!(a < b)) continue;  // NaN and the zeros have their own tests
      for (const T result :
           {wf::minimum{}(a, b), wf::minimum{}(b, a), wf::minimum_number{}(a, b), wf::minimum_number{}(b, a)})
        EXPECT_TRUE(wf_test::same_bits(result, a));
      for (const T result :
           {wf::maximum{}(a, b), wf::maximum{}(b, a), wf::maximum_number{}(a, b), wf::maximum_number{}(b, a)})
        EXPECT_TRUE(wf_test::same_bits(result, b));
    }
}

template <class T> int wrong_integer_results() {
  int wrong = 0;
  for (const T a : wf_test::special_values<T>())
    for (const T b : wf_test::special_values<T>()) {
      using wide = unsigned __int128;
      wrong += wf::plus{}(a, b) != static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b));
      wrong += wf::multiplies{}(a, b) != static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b));
      wrong += wf::minimum{}(a, b) != std::min(a, b) || wf::minimum_number{}(a, b) != std::min(a, b);
      wrong += wf::maximum{}(a, b) != std::max(a, b) || wf::maximum_number{}(a, b) != std::max(a, b);
      wrong += wf::bit_and{}(a, b) != static_cast<T>(a & b) || wf::bit_or{}(a, b) != static_cast<T>(a | b);
      wrong += wf::bit_xor{}(a, b) != static_cast<T>(a ^ b);
    }
  return wrong;
}

TEST(integer_operators, wrap_compare_and_combine_bits) {
  EXPECT_EQ(wrong_integer_results<std::int8_t>(), 0);
  EXPECT_EQ(wrong_integer_results<std::uint8_t>(), 0);
  EXPECT_EQ(wrong_integer_results<std::int16_t>(), 0);
  EXPECT_EQ(wrong_integer_results<std::uint16_t>(), 0);
  EXPECT_EQ(wrong_integer_results<std::int32_t>(), 0);
  EXPECT_EQ(wrong_integer_results<std::uint32_t>(), 0);
  EXPECT_EQ(wrong_integer_results<std::int64_t>(), 0);
  EXPECT_EQ(wrong_integer_results<std::uint64_t>(), 0);
}

TEST(logical_operators, on_bool) {
  for (const bool a : {false, true})
    for (const bool b : {false, true}) {
      EXPECT_EQ(wf::logical_and{}(a, b), a && b);
      EXPECT_EQ(wf::logical_or{}(a, b), a || b);
      EXPECT_EQ(wf::plus{}(a, b), a || b);
      EXPECT_EQ(wf::multiplies{}(a, b), a && b);
      EXPECT_EQ(wf::minimum{}(a, b), a && b);
      EXPECT_EQ(wf::maximum{}(a, b), a || b);
      EXPECT_EQ(wf::bit_xor{}(a, b), a != b);
    }
}

TEST(first_and_last, keep_one_side_of_any_type) {
  const wf_test::value_and_index a{2, 1}, b{1, 2};
  EXPECT_EQ(wf::first{}(a, b), a);
  EXPECT_EQ(wf::last{}(a, b), b);
}

/// Any type with the operators of the language.
struct modular {
  int value;
  __host__ __device__ friend constexpr modular operator+(modular a, modular b) { return {(a.value + b.value) % 7}; }
  __host__ __device__ friend constexpr modular operator*(modular a, modular b) { return {a.value * b.value % 7}; }
  __host__ __device__ friend constexpr bool operator<(modular a, modular b) { return a.value < b.value; }
};

TEST(operators_on_classes, use_the_operators_of_the_class) {
  EXPECT_EQ(wf::plus{}(modular{5}, modular{4}).value, 2);
  EXPECT_EQ(wf::multiplies{}(modular{5}, modular{4}).value, 6);
  EXPECT_EQ(wf::minimum{}(modular{5}, modular{4}).value, 4);
  EXPECT_EQ(wf::maximum_number{}(modular{5}, modular{4}).value, 5);
}

/// Equal by key, told apart by tag.
struct tagged {
  int key, tag;
  __host__ __device__ friend constexpr bool operator<(tagged a, tagged b) { return a.key < b.key; }
};

TEST(operators_on_classes, of_equals_the_left_one_stays) {
  EXPECT_EQ(wf::minimum{}(tagged{1, 1}, tagged{1, 2}).tag, 1);
  EXPECT_EQ(wf::maximum{}(tagged{1, 1}, tagged{1, 2}).tag, 1);
}

TEST(operators_in_constant_expressions, on_integers) {
  static_assert(wf::plus{}(std::numeric_limits<int>::max(), 1) == std::numeric_limits<int>::min());
  static_assert(wf::multiplies{}(std::uint16_t{65535}, std::uint16_t{65535}) == 1);
  static_assert(wf::minimum{}(3, 2) == 2 && wf::maximum{}(3, 2) == 3);
  static_assert(wf::bit_and{}(6, 3) == 2 && wf::bit_or{}(6, 3) == 7 && wf::bit_xor{}(6, 3) == 5);
  static_assert(wf::first{}(3, 2) == 3 && wf::last{}(3, 2) == 2);
  static_assert(wf::logical_and{}(true, true) && !wf::logical_or{}(false, false));
  constexpr int sum = wf::plus{}(1, 2);
  EXPECT_EQ(sum, 3);
}

TEST(accumulate_in, keeps_the_operator) {
  constexpr auto op = wf::accumulate_in<double>(wf::plus{});
  static_assert(std::is_same_v<decltype(op), const wf::accumulating<double, wf::plus>>);
  EXPECT_EQ(op(1.5, 2.25), 3.75);
  EXPECT_EQ(wf::accumulate_in<int>(wf_test::compose{})(wf_test::affine<>{2, 1}, wf_test::affine<>{3, 5}),
            (wf_test::affine<>{6, 8}));
}

}  // namespace
