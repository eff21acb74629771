// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every shipped operator on special and random values, on the device and on the host: associative where that is
// promised, identities that are identities, and the same results on both. Sums and products of floats are not
// associative: there the two groupings differ by rounding only, as far as the bound says.
#include <gtest/gtest.h>

#include <cmath>
#include <warpfold/compensated_plus.hpp>
#include <warpfold/exact/operator.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/special_values.hpp"

namespace operator_properties_tests {

namespace wf = warpfold;
using wf_test::device_array;

inline constexpr int cases = 8000;

/// The value to compare: the accumulator, or the result that is written of it.
template <class Op, class A> __host__ __device__ auto written(const Op& op, const A& value) {
  if constexpr (wf::lowers<Op, A>) return op.lower(value);
  else return value;
}
template <class A, class Op, class T> __host__ __device__ A leaf(const Op& op, const T& item) {
  if constexpr (wf::lifts<Op, T>) return op.lift(item);
  else return static_cast<A>(item);
}
template <class R> struct groupings { R left, right, with_identity_left, with_identity_right, alone; };

template <class Op, class T> struct evaluation {
  using A = wf::accumulator_t<Op, T>;
  using R = wf::lowered_t<Op, A>;

  __host__ __device__ static groupings<R> of(const T* items, const A& identity) {
    const Op op{};
    const A a = leaf<A>(op, items[0]), b = leaf<A>(op, items[1]), c = leaf<A>(op, items[2]);
    return {written(op, op(op(a, b), c)), written(op, op(a, op(b, c))), written(op, op(identity, a)),
            written(op, op(a, identity)), written(op, a)};
  }
};
template <class Op, class T>
__global__ void evaluate(const T* items, typename evaluation<Op, T>::A identity,
                         groupings<typename evaluation<Op, T>::R>* results) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < cases) results[i] = evaluation<Op, T>::of(items + 3 * i, identity);
}

template <class R> bool is_nan(const R& value) { return value != value; }
template <class R> bool same(const R& a, const R& b) {
  return (is_nan(a) && is_nan(b)) || std::memcmp(&a, &b, sizeof(R)) == 0;
}
/// The same value: a sum's identity +0 turns -0 into +0.
template <class R> bool equal(const R& a, const R& b) { return (is_nan(a) && is_nan(b)) || a == b; }

/// All triples of special values, then random ones.
template <class T> std::vector<T> triples() {
  const auto special = wf_test::special_values<T>();
  wf_test::random_source source(sizeof(T));
  const auto n = special.size();
  std::vector<T> items;
  for (std::size_t i = 0; i < cases; ++i)
    for (std::size_t k = 0, code = i; k < 3; ++k, code /= n)
      items.push_back(i < n * n * n ? special[code % n] : wf_test::random_item<T>(source));
  return items;
}

enum class association { exact, rounded };

template <class Op, class T> void expect_properties(association kind) {
  using E = evaluation<Op, T>;
  using R = typename E::R;
  constexpr bool has_identity = wf::has_identity_v<Op, typename E::A>;
  const std::vector<T> items = triples<T>();
  const device_array<T> in(items);
  const device_array<groupings<R>> out(cases);
  typename E::A identity{};
  if constexpr (has_identity) identity = wf::identity<Op, typename E::A>::value();
  wf_test::launch_and_wait(&evaluate<Op, T>, (cases + 127) / 128, 128, 0, in.data(), identity, out.data());
  const auto results = out.to_host();
  for (std::size_t i = 0; i < cases; ++i) {
    const T* of = items.data() + 3 * i;
    const groupings<R>& got = results[i];
    const groupings<R> expected = E::of(of, identity);
    ASSERT_TRUE(same(got.left, expected.left) && same(got.right, expected.right))
        << "host and device differ: case " << i;
    if (kind == association::exact) ASSERT_TRUE(same(got.left, got.right)) << "not associative: case " << i;
    else if constexpr (std::is_floating_point_v<R>) {
      const auto size_of = [&](int k) { return std::fabs(static_cast<double>(of[k])); };
      constexpr bool multiplies = std::is_same_v<Op, wf::multiplies>;
      const double magnitude =
          multiplies ? std::fabs(static_cast<double>(got.left)) : size_of(0) + size_of(1) + size_of(2);
      const double apart = std::fabs(static_cast<double>(got.left) - static_cast<double>(got.right));
      // Nothing overflows or underflows on the way.
      const auto is_moderate = [&](int k) { return size_of(k) > 1e-9 && size_of(k) < 1e9; };
      const bool in_range = multiplies ? is_moderate(0) && is_moderate(1) && is_moderate(2)
                                       : magnitude < static_cast<double>(std::numeric_limits<R>::max()) / 8;
      if (in_range && std::isfinite(got.right)) {
        // Two additions round by u of at most `magnitude` (and a little) on either side.
        ASSERT_LE(apart, 2.001 * std::numeric_limits<R>::epsilon() * magnitude) << i;
      }
    }
    if (has_identity) {
      ASSERT_TRUE(equal(got.with_identity_left, got.alone)) << "identity on the left: case " << i;
      ASSERT_TRUE(equal(got.with_identity_right, got.alone)) << "identity on the right: case " << i;
    }
  }
}

TEST(operator_properties, extrema_are_associative) {
  expect_properties<wf::minimum, float>(association::exact);
  expect_properties<wf::maximum, double>(association::exact);
  expect_properties<wf::minimum_number, double>(association::exact);
  expect_properties<wf::maximum_number, float>(association::exact);
  expect_properties<wf::minimum, std::int64_t>(association::exact);
  expect_properties<wf::maximum, std::uint8_t>(association::exact);
}
TEST(operator_properties, integer_sums_products_and_bits_are_associative) {
  expect_properties<wf::plus, std::int32_t>(association::exact);
  expect_properties<wf::plus, std::uint64_t>(association::exact);
  expect_properties<wf::multiplies, std::int64_t>(association::exact);
  expect_properties<wf::bit_and, std::uint32_t>(association::exact);
  expect_properties<wf::bit_or, std::int16_t>(association::exact);
  expect_properties<wf::bit_xor, std::uint64_t>(association::exact);
}
TEST(operator_properties, logical_first_and_last_are_associative) {
  expect_properties<wf::logical_and, std::int32_t>(association::exact);
  expect_properties<wf::logical_or, std::int32_t>(association::exact);
  expect_properties<wf::first, float>(association::exact);
  expect_properties<wf::last, float>(association::exact);
}
TEST(operator_properties, exact_sums_are_associative) {
  expect_properties<wf::exact_plus, float>(association::exact);
  expect_properties<wf::exact_plus, double>(association::exact);
  expect_properties<wf::exact_plus_as<float>, double>(association::exact);
  expect_properties<wf::exact_plus, std::int64_t>(association::exact);
}
TEST(operator_properties, float_sums_and_products_are_associative_but_for_rounding) {
  expect_properties<wf::plus, float>(association::rounded);
  expect_properties<wf::plus, double>(association::rounded);
  expect_properties<wf::multiplies, double>(association::rounded);
  expect_properties<wf::compensated_plus, float>(association::rounded);
  expect_properties<wf::compensated_plus, double>(association::rounded);
}

}  // namespace operator_properties_tests
