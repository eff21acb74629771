// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exact_plus as an operator, without any host code.
#pragma once
#include <warpfold/exact/double_sum.cuh>
#include <warpfold/exact/superaccumulator.cuh>

namespace warpfold {

namespace detail {
/// The type in which exact_plus sums items of type `T`: fp8 is exact in float; integers are exact in 128 bits.
template <class T> struct exact_item {};
template <class T>
  requires(exact::has_format<T>)
struct exact_item<T> {
  using type = T;
};
template <class T>
  requires(!exact::has_format<T> && !std::is_integral_v<T> && is_real<typename promoted<T>::type>)
struct exact_item<T> {
  using type = float;
};
}  // namespace detail

/// exact_plus whose results are of type `Result`: float, double, half or bfloat16, rounded once. void: the items' type.
template <class Result = void> struct exact_plus_as {
  template <class T> using result = std::conditional_t<std::is_void_v<Result>, T, Result>;  ///< of items of type T

  template <class T>
    requires requires { typename detail::exact_item<T>::type; }
  __host__ __device__ auto lift(const T& item) const {
    return exact::accumulator_of(detail::convert<typename detail::exact_item<T>::type>(item));
  }
  template <std::integral T>
    requires(sizeof(T) <= 8 && std::is_void_v<Result>)
  __host__ __device__ int128 lift(T item)
  const { return static_cast<int128>(item); }

  template <class T>
  __host__ __device__ exact::superaccumulator<T> operator()(const exact::superaccumulator<T>& a,
                                                            const exact::superaccumulator<T>& b) const {
    return exact::add(a, b);
  }
  template <std::same_as<int128> T>
    requires(std::is_void_v<Result>)
  __host__ __device__ T operator()(T a, T b) const { return plus{}(a, b); }

  template <class T> __host__ __device__ auto lower(const exact::superaccumulator<T>& value) const {
    return exact::rounded<result<T>>(value);
  }
  template <class T> __host__ __device__ auto lower(const exact::leading_sum<T>& value) const {
    return exact::rounded<result<T>>(value);
  }
  template <class T>
    requires(std::is_same_v<result<T>, float>)
  __host__ __device__ float lower(const exact::scaled_sum<T>& value) const { return value.rounded(); }
  __host__ __device__ result<float> lower(const exact::double_sum& value) const
      requires(std::is_same_v<result<float>, float> || std::is_same_v<result<float>, double>) {
    return value.rounded<result<float>>();
  }
};

/// The sum, as if it were computed without rounding and rounded once: to nearest, ties to even. It depends on the items
/// alone, not on their order.
/// - Items: float, double, half, bfloat16 and fp8 (result: float). Integers of up to 64 bits are summed in 128 bits.
/// - Infinities and NaN are those that IEEE 754 gives in any order. A finite sum overflows only if the exact sum
///   does: {max, max, -max} is max. A sum that is zero is +0, unless all items are -0. The sum of nothing is +0.
/// - Subnormal numbers are exact, unless the program is compiled with -ftz=true (a part of --use_fast_math).
/// - .init is an accumulator: wf::exact_plus{}.lift(x).
///
/// Cost: `reduce` has a kernel of its own (exact/kernel.cuh): one read of the items, whatever their exponents. So has
/// `segmented_reduce` (exact/segment_kernel.cuh), but of owners; of doubles, it passes over the items of a step again
/// for every 140 octaves. Along axes, lanes sum their items in integers (exact/lane_sum.cuh), up to 31 floats in a
/// double. Elsewhere each item becomes an accumulator of 48 bytes (double: 276), and each join adds two of them:
/// correct, much slower than plus.
using exact_plus = exact_plus_as<>;

template <class R, class T> struct identity<exact_plus_as<R>, exact::superaccumulator<T>> {
  WARPFOLD_JIT static constexpr exact::superaccumulator<T> value() { return {{}, exact::has_other_than_minus_zero}; }
};
template <std::same_as<int128> A> struct identity<exact_plus, A> {
  WARPFOLD_JIT static constexpr A value() { return 0; }
};
template <class R, class A> inline constexpr bool is_exact<exact_plus_as<R>, A> = true;
template <class R> inline constexpr bool is_commutative<exact_plus_as<R>> = true;

}  // namespace warpfold
