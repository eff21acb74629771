// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The identity of an accumulator, as far as a narrower result can hold it. A conversion alone would wrap: the maximum
// of no int8 is -128, not the low byte of INT_MIN.
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::detail {

/// Bits of a number of type `T` without sign and exponent.
template <class T> inline constexpr int digits_of = std::numeric_limits<T>::digits;
#if defined(__SIZEOF_INT128__)
template <> inline constexpr int digits_of<int128> = 127;
template <> inline constexpr int digits_of<uint128> = 128;
#endif

/// `value` is the largest or least T. The result is the A closest to it that a T can hold.
template <class A, class T> WARPFOLD_JIT constexpr A real_within(T value) {
  if constexpr (digits_of<T> <= digits_of<A>) return static_cast<A>(value);
  else return value > 0 ? static_cast<A>(value - (T(1) << (digits_of<T> - digits_of<A>)) + 1) : static_cast<A>(value);
}

/// The identity of `Op` as an A. Where a `T` cannot hold it, the identity of `Op` over T. Outputs that have infinities
/// and NaN keep them. A user's identity may be a function of the host's, so device code uses the constant below.
template <class Op, class A, class T> WARPFOLD_JIT constexpr A identity_within() {
  const A own = identity<Op, A>::value();
  if constexpr (is_plain_number<A> && is_integer<T> && has_identity_v<Op, T>) {
    if constexpr (is_real<A>) return real_within<A>(identity<Op, T>::value());
    else {
      const T held = static_cast<T>(own);
      const bool fits = static_cast<A>(held) == own && is_negative(held) == is_negative(own);
      return fits ? own : static_cast<A>(identity<Op, T>::value());
    }
  } else return own;
}
template <class Op, class A, class T> inline constexpr A narrowed_identity = identity_within<Op, A, T>();

// Constants, since device code may not call numeric_limits.
template <class U> inline constexpr U least_value = std::numeric_limits<U>::lowest();
template <class U> inline constexpr U greatest_value = std::numeric_limits<U>::max();

/// The U closest to `value`, which stands for no items. 0 for NaN.
template <class U, class T> __host__ __device__ constexpr U saturated(const T& value) {
  if constexpr (is_plain_number<T> && std::is_integral_v<U>) {
    constexpr U least = least_value<U>, greatest = greatest_value<U>;
    if (value != value) return U(0);
    if constexpr (is_real<T>) {
      if (value <= static_cast<T>(least)) return least;
      return value >= static_cast<T>(greatest) ? greatest : static_cast<U>(value);
    } else {
      const U held = convert<U>(value);
      if (static_cast<T>(held) == value && is_negative(held) == is_negative(value)) return held;
      return is_negative(value) ? least : greatest;
    }
  } else return convert<U>(value);
}

}  // namespace warpfold::detail
