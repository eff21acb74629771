// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library knows about operators: accumulators, identities, exactness, hardware operations.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <cstring>
#include <warpfold/operator_traits.hpp>
#include <warpfold/thread/missing_items.cuh>

#include "common/monoids.hpp"
#include "common/special_values.hpp"

namespace wf = warpfold;

namespace {

/// A user's operator, with an identity of its own.
struct greatest_common_divisor {
  __host__ __device__ constexpr int operator()(int a, int b) const {
    while (b != 0) {
      const int rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
};

}  // namespace

template <> struct warpfold::identity<greatest_common_divisor, int> {
  static constexpr int value() { return 0; }
};

namespace {

template <class Op, class T, class A>
inline constexpr bool accumulates_in = std::is_same_v<wf::accumulator_t<Op, T>, A>;

template <class T, class A> bool all_arithmetic_accumulate_in() {
  return accumulates_in<wf::plus, T, A> && accumulates_in<wf::multiplies, T, A> && accumulates_in<wf::minimum, T, A> &&
         accumulates_in<wf::maximum, T, A> && accumulates_in<wf::minimum_number, T, A> &&
         accumulates_in<wf::maximum_number, T, A>;
}
template <class T, class A> bool all_bitwise_accumulate_in() {
  return accumulates_in<wf::bit_and, T, A> && accumulates_in<wf::bit_or, T, A> && accumulates_in<wf::bit_xor, T, A>;
}

TEST(accumulator, of_small_integers_has_32_bits) {
  EXPECT_TRUE((all_arithmetic_accumulate_in<std::int8_t, int>() && all_bitwise_accumulate_in<std::int8_t, int>()));
  EXPECT_TRUE((all_arithmetic_accumulate_in<std::int16_t, int>() && all_bitwise_accumulate_in<std::int16_t, int>()));
  EXPECT_TRUE(
      (all_arithmetic_accumulate_in<std::uint8_t, unsigned>() && all_bitwise_accumulate_in<std::uint8_t, unsigned>()));
  EXPECT_TRUE((all_arithmetic_accumulate_in<std::uint16_t, unsigned>() &&
               all_bitwise_accumulate_in<std::uint16_t, unsigned>()));
  EXPECT_TRUE((all_arithmetic_accumulate_in<bool, int>() && all_bitwise_accumulate_in<bool, int>())) << "a sum counts";
}

TEST(accumulator, of_wide_types_is_the_type) {
  EXPECT_TRUE((all_arithmetic_accumulate_in<std::int32_t, std::int32_t>()));
  EXPECT_TRUE((all_arithmetic_accumulate_in<std::uint32_t, std::uint32_t>()));
  EXPECT_TRUE((all_arithmetic_accumulate_in<std::int64_t, std::int64_t>()));
  EXPECT_TRUE((all_arithmetic_accumulate_in<float, float>()));
  EXPECT_TRUE((all_arithmetic_accumulate_in<double, double>()));
  EXPECT_TRUE((accumulates_in<wf::plus, wf_test::triple, wf_test::triple>));
  EXPECT_TRUE((accumulates_in<wf::plus, const float, float>));
}

TEST(accumulator, of_narrow_floating_point_is_float) {
  EXPECT_TRUE((all_arithmetic_accumulate_in<__half, float>()));
  EXPECT_TRUE((all_arithmetic_accumulate_in<__nv_bfloat16, float>()));
  EXPECT_TRUE((all_arithmetic_accumulate_in<__nv_fp8_e4m3, float>()));
  EXPECT_TRUE((all_arithmetic_accumulate_in<__nv_fp8_e5m2, float>()));
}

/// One byte that converts to float, but is no number format of CUDA's.
struct grade {
  unsigned char letter;
  operator float() const { return letter; }
};

TEST(accumulator, of_a_users_operator_is_what_it_returns) {
  const auto add_int = [](int a, int b) { return a + b; };
  const auto add_float = [](float a, float b) { return a + b; };
  const auto add_same = [](auto a, decltype(a) b) -> decltype(a) { return static_cast<decltype(a)>(a + b); };
  const auto either = [](int a, int b) { return a != 0 || b != 0; };
  EXPECT_TRUE((accumulates_in<decltype(add_int), std::int8_t, int> && accumulates_in<decltype(add_int), bool, int>));
  EXPECT_TRUE((accumulates_in<decltype(add_float), __half, float> && accumulates_in<decltype(add_float), int, float>));
  EXPECT_TRUE((accumulates_in<decltype(add_same), std::int8_t, std::int8_t>));
  EXPECT_TRUE((accumulates_in<decltype(either), int, bool>));
  EXPECT_TRUE((accumulates_in<greatest_common_divisor, std::int8_t, int>));
}

/// The sum of two items, which cannot be folded.
struct pair_sum {
  int of;
};
struct add_pairs {
  __host__ __device__ pair_sum operator()(int a, int b) const { return {a + b}; }
};

TEST(accumulator, of_a_users_operator_or_type_is_else_the_item) {
  EXPECT_TRUE((accumulates_in<wf_test::compose, wf_test::affine<>, wf_test::affine<>>));
  EXPECT_TRUE((accumulates_in<add_pairs, int, int>));
  EXPECT_TRUE((accumulates_in<wf::plus, grade, grade>));
  EXPECT_EQ(static_cast<float>(grade{'a'}), 97.f);
  EXPECT_TRUE((accumulates_in<wf::first, std::int8_t, std::int8_t> && accumulates_in<wf::last, __half, __half>));
}

TEST(accumulator, of_logical_operators_is_bool) {
  EXPECT_TRUE((accumulates_in<wf::logical_and, int, bool> && accumulates_in<wf::logical_or, double, bool>));
}

TEST(accumulator, can_be_named) {
  using op = decltype(wf::accumulate_in<double>(wf::plus{}));
  EXPECT_TRUE((accumulates_in<op, float, double> && accumulates_in<op, std::int8_t, double>));
  EXPECT_TRUE(
      (accumulates_in<decltype(wf::accumulate_in<std::int64_t>(greatest_common_divisor{})), int, std::int64_t>));
}

template <class T> bool same(T a, T b) { return (a != a && b != b) || std::memcmp(&a, &b, sizeof(T)) == 0; }

/// Whether identity op x == x == x op identity by bits, for all special values, of the identity that pads missing
/// items.
template <class Op, class A> bool identity_is_two_sided() {
  const A none = wf::thread::exact_identity<Op, A>;
  bool is_neutral = wf::has_identity_v<Op, A>;
  for (const A x : wf_test::special_values<A>())
    is_neutral = is_neutral && same<A>(Op{}(none, x), x) && same<A>(Op{}(x, none), x);
  return is_neutral;
}
template <class A, class... Ops> bool all_have_identities() { return (identity_is_two_sided<Ops, A>() && ...); }
template <class A> bool arithmetic_has_identities() {
  return all_have_identities<A, wf::plus, wf::multiplies, wf::minimum, wf::maximum, wf::minimum_number,
                             wf::maximum_number>();
}

TEST(identity, is_neutral_on_both_sides_to_the_bit) {
  EXPECT_TRUE(arithmetic_has_identities<float>());
  EXPECT_TRUE(arithmetic_has_identities<double>());
  EXPECT_TRUE(arithmetic_has_identities<std::int32_t>());
  EXPECT_TRUE(arithmetic_has_identities<std::uint32_t>());
  EXPECT_TRUE(arithmetic_has_identities<std::int64_t>());
  EXPECT_TRUE(arithmetic_has_identities<std::uint64_t>());
  EXPECT_TRUE(arithmetic_has_identities<std::int8_t>());
  EXPECT_TRUE(arithmetic_has_identities<bool>());
}

TEST(identity, is_the_one_that_pads_but_for_floating_point_sums) {
  EXPECT_TRUE(same(wf::identity<wf::plus, float>::value(), 0.0f));
  EXPECT_TRUE(same(wf::identity<wf::plus, double>::value(), 0.0));
  EXPECT_TRUE(same(wf::identity<wf::accumulating<double, wf::plus>, double>::value(), 0.0));
  EXPECT_TRUE(same(wf::thread::exact_identity<wf::plus, float>, -0.0f));
  EXPECT_TRUE(same((wf::thread::exact_identity<wf::accumulating<double, wf::plus>, double>), -0.0));
  EXPECT_TRUE(same(wf::thread::exact_identity<wf::multiplies, float>, wf::identity<wf::multiplies, float>::value()));
  EXPECT_TRUE(same(wf::thread::exact_identity<wf::plus, int>, 0));
}

TEST(identity, of_bitwise_and_logical_operators) {
  EXPECT_TRUE((all_have_identities<std::int32_t, wf::bit_and, wf::bit_or, wf::bit_xor>()));
  EXPECT_TRUE((all_have_identities<std::uint64_t, wf::bit_and, wf::bit_or, wf::bit_xor>()));
  EXPECT_TRUE((all_have_identities<std::uint8_t, wf::bit_and, wf::bit_or, wf::bit_xor>()));
  EXPECT_TRUE((all_have_identities<bool, wf::bit_and, wf::bit_or, wf::bit_xor, wf::logical_and, wf::logical_or>()));
}

/// Whether the identity of each operator leaves integers of 128 bits alone. (Only GNU's modes count them among the
/// arithmetic types.)
template <class A, class... Ops> bool wide_integers_have_identities() {
  const A top = static_cast<A>(wf::uint128{1} << 127), word = static_cast<A>(wf::uint128{1} << 64);
  bool are_neutral = true;
  for (const A x : {A{0}, A{1}, static_cast<A>(-1), top, static_cast<A>(~top), word, static_cast<A>(word - 1)})
    are_neutral = are_neutral && ((Ops{}(wf::identity<Ops, A>::value(), x) == x &&
                                   Ops{}(x, wf::identity<Ops, A>::value()) == x && wf::is_exact<Ops, A>)&&...);
  return are_neutral;
}
TEST(identity, of_integers_of_128_bits) {
  EXPECT_TRUE(
      (wide_integers_have_identities<wf::int128, wf::plus, wf::multiplies, wf::minimum, wf::maximum, wf::minimum_number,
                                     wf::maximum_number, wf::bit_and, wf::bit_or, wf::bit_xor>()));
  EXPECT_TRUE(
      (wide_integers_have_identities<wf::uint128, wf::plus, wf::multiplies, wf::minimum, wf::maximum,
                                     wf::minimum_number, wf::maximum_number, wf::bit_and, wf::bit_or, wf::bit_xor>()));
}

TEST(identity, stays_with_a_named_accumulator) {
  using op = wf::accumulating<double, wf::minimum>;
  EXPECT_TRUE((wf::has_identity_v<op, double>));
  EXPECT_EQ((wf::identity<op, double>::value()), std::numeric_limits<double>::infinity());
}

TEST(identity, is_where_it_is) {
  EXPECT_FALSE((wf::has_identity_v<wf::first, int> || wf::has_identity_v<wf::last, int>));
  EXPECT_FALSE(
      (wf::has_identity_v<wf::plus, wf_test::triple> || wf::has_identity_v<wf_test::compose, wf_test::affine<>>));
  EXPECT_FALSE((wf::has_identity_v<wf::bit_and, float>));
  EXPECT_TRUE((wf::has_identity_v<greatest_common_divisor, int>)) << "specialised by the user";
  EXPECT_EQ((greatest_common_divisor{}(wf::identity<greatest_common_divisor, int>::value(), 6)), 6);
}

TEST(is_exact, for_integers_extrema_bits_and_choices) {
  EXPECT_TRUE((wf::is_exact<wf::plus, int> && wf::is_exact<wf::multiplies, std::uint64_t>));
  EXPECT_TRUE((wf::is_exact<wf::minimum, float> && wf::is_exact<wf::maximum_number, double>));
  EXPECT_TRUE((wf::is_exact<wf::bit_xor, unsigned> && wf::is_exact<wf::logical_or, bool>));
  EXPECT_TRUE((wf::is_exact<wf::first, wf_test::triple> && wf::is_exact<wf::last, float>));
  EXPECT_TRUE((wf::is_exact<wf::accumulating<std::int64_t, wf::plus>, std::int64_t>));
  EXPECT_FALSE((wf::is_exact<wf::plus, float> || wf::is_exact<wf::multiplies, double>));
  EXPECT_FALSE((wf::is_exact<wf::accumulating<double, wf::plus>, double>));
  EXPECT_FALSE((wf::is_exact<wf_test::compose, wf_test::affine<>> || wf::is_exact<wf::plus, wf_test::triple>));
}

/// Whether op((a, b), c) and op(a, (b, c)) agree by bits, for all special values.
template <class Op, class A> bool association_does_not_matter() {
  bool agree = wf::is_exact<Op, A>;
  for (const A a : wf_test::special_values<A>())
    for (const A b : wf_test::special_values<A>())
      for (const A c : wf_test::special_values<A>()) agree = agree && same<A>(Op{}(Op{}(a, b), c), Op{}(a, Op{}(b, c)));
  return agree;
}
TEST(is_exact, is_true_to_its_word) {
  EXPECT_TRUE((association_does_not_matter<wf::plus, std::int32_t>()));
  EXPECT_TRUE((association_does_not_matter<wf::multiplies, std::int32_t>()));
  EXPECT_TRUE((association_does_not_matter<wf::minimum, float>()));
  EXPECT_TRUE((association_does_not_matter<wf::maximum, float>()));
  EXPECT_TRUE((association_does_not_matter<wf::minimum_number, float>()));
  EXPECT_TRUE((association_does_not_matter<wf::maximum_number, float>()));
}

TEST(is_commutative, for_arithmetic_and_logic_but_not_for_choices_nor_unknown_operators) {
  EXPECT_TRUE(wf::is_commutative<wf::plus> && wf::is_commutative<wf::minimum> && wf::is_commutative<wf::bit_or>);
  EXPECT_TRUE((wf::is_commutative<wf::logical_and> && wf::is_commutative<wf::accumulating<double, wf::plus>>));
  EXPECT_FALSE(wf::is_commutative<wf::first> || wf::is_commutative<wf::last> || wf::is_commutative<wf_test::compose>);
}

TEST(hardware_operation, of_each_operator) {
  using hw = wf::hardware_operation;
  EXPECT_EQ(wf::hardware_operation_v<wf::plus>, hw::add);
  EXPECT_EQ(wf::hardware_operation_v<wf::minimum>, hw::minimum);
  EXPECT_EQ(wf::hardware_operation_v<wf::minimum_number>, hw::minimum);
  EXPECT_EQ(wf::hardware_operation_v<wf::maximum>, hw::maximum);
  EXPECT_EQ(wf::hardware_operation_v<wf::maximum_number>, hw::maximum);
  EXPECT_EQ(wf::hardware_operation_v<wf::bit_and>, hw::bit_and);
  EXPECT_EQ(wf::hardware_operation_v<wf::bit_or>, hw::bit_or);
  EXPECT_EQ(wf::hardware_operation_v<wf::bit_xor>, hw::bit_xor);
  EXPECT_EQ((wf::hardware_operation_v<wf::accumulating<int, wf::bit_or>>), hw::bit_or);
  EXPECT_EQ(wf::hardware_operation_v<wf::multiplies>, hw::none);
  EXPECT_EQ(wf::hardware_operation_v<wf::first>, hw::none);
  EXPECT_EQ(wf::hardware_operation_v<wf_test::compose>, hw::none);
}

TEST(is_operator_for, what_can_be_called) {
  EXPECT_TRUE((wf::is_operator_for<wf::plus, float> && wf::is_operator_for<greatest_common_divisor, int>));
  EXPECT_TRUE((wf::is_operator_for<wf_test::compose, wf_test::affine<>>));
  EXPECT_FALSE((wf::is_operator_for<wf_test::compose, float> || wf::is_operator_for<wf::bit_and, float>));
  EXPECT_FALSE(wf::is_device_lambda<wf::plus>);
}

using function_pointer = int (*)(int, int);
struct with_destructor {
  ~with_destructor() {}
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct without_default_constructor {
  explicit without_default_constructor(int) {}
};

TEST(is_valid_operator, what_a_gpu_can_call) {
  EXPECT_TRUE((wf::is_valid_operator<wf::plus, float> && wf::is_valid_operator<greatest_common_divisor, int>));
  EXPECT_FALSE((wf::is_valid_operator<function_pointer, int>)) << "the function is the host's";
  EXPECT_FALSE((wf::is_valid_operator<with_destructor, int>)) << "not trivially copyable";
  EXPECT_FALSE((wf::is_valid_operator<wf::first, without_default_constructor>));
  EXPECT_FALSE((wf::is_valid_operator<wf_test::compose, float>));
}

TEST(convert, narrow_floating_point_to_its_accumulator) {
  EXPECT_EQ(wf::detail::convert<float>(__float2half(1.5f)), 1.5f);
  EXPECT_EQ(wf::detail::convert<float>(__float2bfloat16(-2.5f)), -2.5f);
  EXPECT_EQ(wf::detail::convert<float>(__nv_fp8_e4m3(0.75f)), 0.75f);
  EXPECT_EQ(wf::detail::convert<double>(__float2half(65504.f)), 65504.0);
  EXPECT_EQ(__half2float(wf::detail::convert<__half>(__float2half(3.f))), 3.f);
}

TEST(convert, integers_and_bool) {
  EXPECT_EQ(wf::detail::convert<int>(std::int8_t{-128}), -128);
  EXPECT_EQ(wf::detail::convert<unsigned>(std::uint16_t{65535}), 65535u);
  EXPECT_EQ(wf::detail::convert<bool>(256), true);
  EXPECT_EQ(wf::detail::convert<double>(std::int64_t{1} << 53), 0x1p53);
}

}  // namespace
