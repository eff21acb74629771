// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Superaccumulators: fixed-point numbers that hold any sum of floating-point numbers exactly. Therefore sums are
// associative and commutative to the bit, and are rounded once, at the end. Sources: Kulisch; Collange.
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::exact {

/// A binary format of IEEE 754: the numbers (-1)^s m 2^e with m < 2^digits, in `Bits` bits.
template <class BitsType, int Digits, int MinExponent> struct binary_format {
  using bits = BitsType;
  static constexpr int digits = Digits;                 ///< of the significand, with the one that is not stored
  static constexpr int min_exponent = MinExponent;      ///< of normal numbers: the least is 2^min_exponent
  static constexpr int max_exponent = 1 - MinExponent;  ///< the largest is below 2^(max_exponent + 1)
  static constexpr int least_exponent = MinExponent - Digits + 1;  ///< of the least subnormal number
  static constexpr unsigned max_field = 2u * max_exponent + 1;     ///< the exponent's field of infinities and NaN
};
template <class T> struct format;
template <> struct format<float> : binary_format<std::uint32_t, 24, -126> {};
template <> struct format<double> : binary_format<std::uint64_t, 53, -1022> {};
template <> struct format<__half> : binary_format<std::uint16_t, 11, -14> {};
template <> struct format<__nv_bfloat16> : binary_format<std::uint16_t, 8, -126> {};

/// Whether sums of `T` are exact in a superaccumulator of T.
template <class T> inline constexpr bool has_format = warpfold::detail::is_real<T> || is_half_like<T>;

template <class To, class From> __host__ __device__ To bits_as(const From& value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(static_cast<void*>(&result), &value, sizeof(To));
  return result;
}

/// The kinds of items in a sum, joined by |.
enum kind : unsigned {
  has_nan = 1,
  has_positive_infinity = 2,
  has_negative_infinity = 4,
  has_other_than_minus_zero = 8
};

/// A sum of items of type `T`: a number in two's complement, the least significant word first, as a multiple of the
/// least subnormal number. It has 63 bits more than the largest item, so 2^63 items cannot overflow it. 276 bytes for
/// double, 48 for the others, which share the words of float.
template <class T> struct superaccumulator {
  using number = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static constexpr int least_exponent = format<number>::least_exponent;
  static constexpr int words = (format<number>::max_exponent + 1 - least_exponent + 64 + 31) / 32;

  std::uint32_t word[words];
  std::uint32_t kinds;
};

/// An item, taken apart: its magnitude is mantissa * 2^exponent.
struct item_parts {
  std::uint64_t mantissa;
  int exponent;
  bool is_negative;
  unsigned kinds;
};
template <class T> __host__ __device__ item_parts parts_of(const T& item) {
  using f = format<T>;
  const std::uint64_t bits = bits_as<typename f::bits>(item);
  const auto field = static_cast<unsigned>(bits >> (f::digits - 1)) & f::max_field;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << (f::digits - 1)) - 1);
  const bool is_negative = bits >> (8 * sizeof(T) - 1);
  if (field == f::max_field) {
    const unsigned kind = fraction != 0 ? has_nan : is_negative ? has_negative_infinity : has_positive_infinity;
    return {0, f::least_exponent, false, kind | has_other_than_minus_zero};
  }
  const std::uint64_t mantissa = field == 0 ? fraction : fraction | std::uint64_t{1} << (f::digits - 1);
  return {mantissa, f::least_exponent + static_cast<int>(field == 0 ? 0 : field - 1), is_negative,
          is_negative && mantissa == 0 ? 0u : has_other_than_minus_zero};
}

/// `value` * 2^shift for a shift of 0 to 31, as three digits: two of 32 bits, and a signed one.
struct shifted_digits {
  std::uint64_t low;
  std::int64_t high;
};
__host__ __device__ inline shifted_digits shift_up(std::int64_t value, int shift) {
  return {static_cast<std::uint64_t>(value) << shift, value >> 32 >> (32 - shift)};
}

/// The superaccumulator of `value` * 2^exponent. Its words have no dynamic index, so that they can be registers.
template <class T>
__host__ __device__ superaccumulator<T> accumulator_of(std::int64_t value, int exponent, unsigned kinds) {
  using A = superaccumulator<T>;
  const int position = exponent - A::least_exponent, first = position / 32;
  const shifted_digits digits = shift_up(value, position % 32);
  const auto low = static_cast<std::uint32_t>(digits.low), middle = static_cast<std::uint32_t>(digits.low >> 32),
             high = static_cast<std::uint32_t>(digits.high);
  const std::uint32_t sign = digits.high < 0 ? ~0u : 0u;
  A result;
  WARPFOLD_UNROLL
  for (int i = 0; i < A::words; ++i)
    result.word[i] = i < first ? 0u : i == first ? low : i == first + 1 ? middle : i == first + 2 ? high : sign;
  result.kinds = kinds;
  return result;
}
/// The superaccumulator of one item.
template <class T> __host__ __device__ superaccumulator<T> accumulator_of(const T& item) {
  const item_parts parts = parts_of(item);
  const auto magnitude = static_cast<std::int64_t>(parts.mantissa);
  return accumulator_of<T>(parts.is_negative ? -magnitude : magnitude, parts.exponent, parts.kinds);
}

template <class T>
__host__ __device__ superaccumulator<T> add(const superaccumulator<T>& a, const superaccumulator<T>& b) {
  superaccumulator<T> sum;
  std::uint64_t carry = 0;
  WARPFOLD_UNROLL
  for (int i = 0; i < superaccumulator<T>::words; ++i) {
    carry += std::uint64_t{a.word[i]} + b.word[i];
    sum.word[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  sum.kinds = a.kinds | b.kinds;
  return sum;
}

/// The sum digits * 2^exponent of items of type `T`.
template <class T> struct scaled_sum {
  /// Exponents of which all sums but zero are normal floats.
  static constexpr int min_exponent = format<float>::min_exponent, max_exponent = 64;

  std::int64_t digits;
  int exponent;
  unsigned kinds;

  __host__ __device__ explicit operator superaccumulator<T>() const {
    return accumulator_of<T>(digits, exponent, kinds);
  }
  __host__ __device__ bool is_normal() const { return min_exponent <= exponent && exponent <= max_exponent; }
  /// The nearest float, if the sum is_normal and of numbers: the power of two changes no digit.
  __host__ __device__ float rounded() const {
    if (digits == 0) return kinds & has_other_than_minus_zero ? 0.0f : -0.0f;
    const auto field = static_cast<std::uint32_t>(exponent + format<float>::max_exponent);
    return static_cast<float>(digits) * bits_as<float>(field << (format<float>::digits - 1));
  }
};

/// A magnitude that is not zero: its highest 64 bits, of which the first is set, and whether any lower bit is set.
struct leading_bits {
  std::uint64_t bits;
  int highest;  ///< the position of the first one; -1 if there is none
  bool any_below;
};
__host__ __device__ inline int leading_zeros(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return __clz(static_cast<int>(word));
#else
  return __builtin_clz(word);
#endif
}
/// Those of a magnitude whose highest word that is not zero is word `at`: `top`. All words are zero if it is -1. The
/// words below it are `next` and `third`, and `any_below` tells whether any lower one is not zero.
__host__ __device__ inline leading_bits leading_bits_of(int at, std::uint32_t top, std::uint32_t next,
                                                        std::uint32_t third, bool any_below) {
  if (at < 0) return {0, -1, false};
  const int shift = leading_zeros(top);
  const std::uint64_t both = std::uint64_t{top} << 32 | next;
  return {both << shift | (std::uint64_t{third} << shift >> 32), 32 * at + 31 - shift,
          any_below || third << shift != 0};
}
template <class T> __host__ __device__ leading_bits leading_bits_of(const superaccumulator<T>& value) {
  constexpr int words = superaccumulator<T>::words;
  const std::uint32_t flip = value.word[words - 1] >> 31 ? ~0u : 0u;
  std::uint64_t carry = flip & 1;
  std::uint32_t top = 0, next = 0, third = 0, one_before = 0, two_before = 0;
  int at = -1;
  bool any_before = false, any_below = false;  // in words before the last two, and below the three that are kept
  WARPFOLD_UNROLL
  for (int i = 0; i < words; ++i) {
    carry += value.word[i] ^ flip;
    const auto word = static_cast<std::uint32_t>(carry);
    carry >>= 32;
    if (word != 0) top = word, next = one_before, third = two_before, any_below = any_before, at = i;
    any_before = any_before || two_before != 0;
    two_before = one_before, one_before = word;
  }
  return leading_bits_of(at, top, next, third, any_below);
}

/// What rounding needs of a sum of items of type `T`.
template <class T> struct leading_sum {
  leading_bits leading;
  bool is_negative;
  unsigned kinds;
};

/// The number of type `R` that is nearest to the sum; of two, the one whose last bit is zero. A sum that reaches half a
/// last digit past the largest number is infinite; subnormal numbers are rounded as such. Infinities and NaN are those
/// that IEEE 754 gives in any order. A sum that is zero is +0, unless all items are -0: then it is -0.
template <class R, class T> __host__ __device__ R rounded(const leading_sum<T>& value) {
  using A = superaccumulator<T>;
  using f = format<R>;
  using bits = typename f::bits;
  constexpr auto infinity = std::uint64_t{f::max_field} << (f::digits - 1);
  constexpr auto sign_bit = std::uint64_t{1} << (8 * sizeof(R) - 1);
  const auto as_result = [](std::uint64_t all) { return bits_as<R>(static_cast<bits>(all)); };
  const unsigned infinities = value.kinds & (has_positive_infinity | has_negative_infinity);
  if ((value.kinds & has_nan) || infinities == (has_positive_infinity | has_negative_infinity))
    return as_result(infinity | std::uint64_t{1} << (f::digits - 2));
  if (infinities != 0) return as_result(infinities == has_negative_infinity ? infinity | sign_bit : infinity);

  const leading_bits& leading = value.leading;
  if (leading.highest < 0) return as_result(value.kinds & has_other_than_minus_zero ? 0 : sign_bit);
  // The exponents of the first digit, and of the result's last one; and how many of the bits are digits.
  const int first = leading.highest + A::least_exponent, normal = first - (f::digits - 1);
  const int last = normal > f::least_exponent ? normal : f::least_exponent, kept = first - last + 1;
  std::uint64_t digits = kept > 0 ? leading.bits >> (64 - kept) : 0;
  const std::uint64_t rest = kept > 0 ? leading.bits << kept : kept == 0 ? leading.bits : 0;
  const bool half = rest >> 63, more = (rest << 1) != 0 || leading.any_below;
  if (half && ((digits & 1) || more)) ++digits;
  // Digits that carry into the next power of two carry into the exponent's field, too.
  const std::uint64_t exponent = static_cast<std::uint64_t>(last - f::least_exponent) << (f::digits - 1);
  const std::uint64_t result = exponent + digits;
  return as_result((result < infinity ? result : infinity) | (value.is_negative ? sign_bit : 0));
}
template <class R, class T> __host__ __device__ R rounded(const superaccumulator<T>& value) {
  const bool is_negative = value.word[superaccumulator<T>::words - 1] >> 31;
  return rounded<R>(leading_sum<T>{leading_bits_of(value), is_negative, value.kinds});
}

}  // namespace warpfold::exact
