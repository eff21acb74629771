// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators that come with Warpfold. An operator is a trivially copyable function object, A op(A, A), that need
// only be associative. operator_traits.hpp has their other properties.
#pragma once
#include <warpfold/conversion.hpp>
#include <warpfold/int128.hpp>
#include <warpfold/standard.hpp>

namespace warpfold {

namespace detail {

// A host compiler may contract a * b + c to one rounding; the result of `+` must not depend on that.
template <class T> __host__ __device__ T uncontracted(T value) {
#if !defined(__CUDA_ARCH__) && (defined(__x86_64__) || defined(__aarch64__))
  __asm__("" : "+m"(value));
#endif
  return value;
}

template <class T> __host__ __device__ T add(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return __fadd_rn(a, b);
  else return __dadd_rn(a, b);
#else
  return uncontracted(a) + uncontracted(b);
#endif
}
template <class T> __host__ __device__ T multiply(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return __fmul_rn(a, b);
  else return __dmul_rn(a, b);
#else
  return uncontracted(a * b);
#endif
}

// IEEE 754-2019 minimum and maximum: NaN propagates, -0 < +0.
template <class T> __host__ __device__ T least(T a, T b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, float>) {
    float result;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }
#endif
  return (std::signbit(a) ? a <= b : a < b) || a != a ? a : b;  // without branches; a NaN in b is never less
}
template <class T> __host__ __device__ T greatest(T a, T b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, float>) {
    float result;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }
#endif
  return (std::signbit(a) ? a > b : a >= b) || a != a ? a : b;
}

// The extremum of two signed integers, in unsigned arithmetic: where ptxas makes one signed instruction of two, it may
// lose a minus, and take min(min(a, -b), c) for min(min(a, b), c). Seen on sm_90 with 13.0; PyTorch's issue 190973 has
// it on sm_100 with 12.8 to 13.3.
template <bool Smaller> __host__ __device__ constexpr int extremum_of_integers(int a, int b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (!__builtin_is_constant_evaluated()) {
    constexpr unsigned top = 0x80000000u;
    unsigned result;
    if constexpr (Smaller) asm("min.u32 %0, %1, %2;" : "=r"(result) : "r"(a ^ top), "r"(b ^ top));
    else asm("max.u32 %0, %1, %2;" : "=r"(result) : "r"(a ^ top), "r"(b ^ top));
    return static_cast<int>(result ^ top);
  }
#endif
  return (Smaller ? b < a : a < b) ? b : a;
}
template <class T>
inline constexpr bool fits_signed_word = std::is_integral_v<T>&& std::is_signed_v<T> && sizeof(T) <= sizeof(int);

template <class T> inline constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double>;

// IEEE 754-2019 minimumNumber and maximumNumber: a NaN loses, -0 < +0.
template <class T> __host__ __device__ T least_number(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) {
    float result;
    asm("min.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }
#endif
  return a != a ? b : b != b ? a : least(a, b);
}
template <class T> __host__ __device__ T greatest_number(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) {
    float result;
    asm("max.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }
#endif
  return a != a ? b : b != b ? a : greatest(a, b);
}

// Complex numbers: cuda::std::complex, thrust::complex, or a type like them. Their own operators may be contracted.
template <class T>
concept is_complex = requires(const T& a) {
  typename T::value_type;
  requires is_real<typename T::value_type> && sizeof(T) == 2 * sizeof(typename T::value_type);
  { a.real() } -> std::convertible_to<typename T::value_type>;
  { a.imag() } -> std::convertible_to<typename T::value_type>;
  T(a.real(), a.imag());
};
// The toolkit's vectors of real numbers, which have no operators.
template <class T>
inline constexpr bool is_short_vector =
    std::is_same_v<T, float2> || std::is_same_v<T, float3> || std::is_same_v<T, float4> || std::is_same_v<T, double2>;
template <class T>
inline constexpr bool is_wide_integer = std::is_same_v<T, int128> ||
                                        (std::is_same_v<T, uint128> && sizeof(uint128) == 16);
// Strict modes, as -std=c++20, do not count those of 128 bits among the integral types.
template <class T>
concept is_integer = std::integral<T> || is_wide_integer<T>;
template <class T> inline constexpr bool is_plain_number = is_integer<T> || is_real<T>;
/// nvcc warns of comparisons that are pointless for unsigned integers.
template <is_integer T> __host__ __device__ constexpr bool is_negative(T value) {
  if constexpr (std::is_signed_v<T> || std::is_same_v<T, int128>) return value < T(0);
  else return false;
}

/// The numbers of which values of type `T` are made: those of a complex number or a short vector; else T.
template <class T> struct component { using type = T; };
template <is_complex T> struct component<T> { using type = typename T::value_type; };
template <class T>
  requires is_short_vector<T>
struct component<T> {
  using type = decltype(T::x);
};

template <class T> __host__ __device__ T add_components(const T& a, const T& b) {
  T sum;
  sum.x = add(a.x, b.x);
  sum.y = add(a.y, b.y);
  if constexpr (requires { sum.z; }) sum.z = add(a.z, b.z);
  if constexpr (requires { sum.w; }) sum.w = add(a.w, b.w);
  return sum;
}

template <class T>
concept has_sum = is_short_vector<T> || requires(const T& a, const T& b) {
  static_cast<T>(a + b);
};
template <class T>
concept has_product = requires(const T& a, const T& b) {
  static_cast<T>(a * b);
};
template <class T>
concept has_order = requires(const T& a, const T& b) {
  a < b ? a : b;
};

}  // namespace detail

/// a + b. Floating point rounds once (nothing is contracted); signed integers wrap. Complex numbers, float2, float3,
/// float4 and double2 are added component by component.
/// The error of a float sum by the canonical tree: with u = 2^-24 (double: 2^-53), h = ceil(log2 N) and X the sum of
/// the magnitudes, |result - sum| <= h u / (1 - h u) X, without overflow. (Each item takes part in h additions at most.
/// N. Higham, "The Accuracy of Floating Point Summation", SIAM Journal on Scientific Computing, 1993.)
struct plus {
  template <detail::has_sum T> __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
    if constexpr (detail::is_real<T>) return detail::add(a, b);
    else if constexpr (std::is_same_v<T, bool>) return a || b;
    else if constexpr (detail::is_short_vector<T>) return detail::add_components(a, b);
    else if constexpr (detail::is_complex<T>)
      return T(detail::add(a.real(), b.real()), detail::add(a.imag(), b.imag()));
    else if constexpr (detail::is_wide_integer<T>)
      return static_cast<T>(static_cast<uint128>(a) + static_cast<uint128>(b));
    else if constexpr (std::signed_integral<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    } else return static_cast<T>(a + b);
  }
};

/// a * b. Floating point rounds once; signed integers wrap. Complex numbers by the textbook's formula, each of whose
/// operations rounds once: infinities are not recovered from NaN as C's Annex G does.
struct multiplies {
  template <detail::has_product T> __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
    if constexpr (detail::is_real<T>) return detail::multiply(a, b);
    else if constexpr (std::is_same_v<T, bool>) return a && b;
    else if constexpr (detail::is_complex<T>) {
      using detail::multiply;
      return T(detail::add(multiply(a.real(), b.real()), -multiply(a.imag(), b.imag())),
               detail::add(multiply(a.real(), b.imag()), multiply(a.imag(), b.real())));
    } else if constexpr (detail::is_wide_integer<T>)
      return static_cast<T>(static_cast<uint128>(a) * static_cast<uint128>(b));
    else if constexpr (std::integral<T>) {
      using U = std::conditional_t<(sizeof(T) < sizeof(int)), unsigned, std::make_unsigned_t<T>>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else return static_cast<T>(a * b);
  }
};

/// The smaller; a NaN on either side wins, and -0 < +0 (IEEE 754-2019 minimum). Enumerations and other types are
/// ordered by their <; they have no identity, since no value of theirs is known to be the greatest.
struct minimum {
  template <detail::has_order T> __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
    if constexpr (detail::is_real<T>) return detail::least(a, b);
    else if constexpr (detail::fits_signed_word<T>) return static_cast<T>(detail::extremum_of_integers<true>(a, b));
    else return b < a ? b : a;
  }
};

/// The larger; a NaN on either side wins, and -0 < +0 (IEEE 754-2019 maximum).
struct maximum {
  template <detail::has_order T> __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
    if constexpr (detail::is_real<T>) return detail::greatest(a, b);
    else if constexpr (detail::fits_signed_word<T>) return static_cast<T>(detail::extremum_of_integers<false>(a, b));
    else return a < b ? b : a;
  }
};

/// The smaller of the numbers: NaN is ignored unless both are (IEEE 754-2019 minimumNumber).
struct minimum_number {
  template <detail::has_order T> __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
    if constexpr (detail::is_real<T>) return detail::least_number(a, b);
    else return minimum{}(a, b);
  }
};

/// The larger of the numbers: NaN is ignored unless both are (IEEE 754-2019 maximumNumber).
struct maximum_number {
  template <detail::has_order T> __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
    if constexpr (detail::is_real<T>) return detail::greatest_number(a, b);
    else return maximum{}(a, b);
  }
};

/// a & b, bit by bit, of integers.
struct bit_and {
  template <detail::is_integer T> __host__ __device__ constexpr T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
/// a | b, bit by bit, of integers.
struct bit_or {
  template <detail::is_integer T> __host__ __device__ constexpr T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
/// a ^ b, bit by bit, of integers.
struct bit_xor {
  template <detail::is_integer T> __host__ __device__ constexpr T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

/// Whether all are true; accumulates in bool.
struct logical_and {
  __host__ __device__ constexpr bool operator()(bool a, bool b) const { return a && b; }
};
/// Whether any is true; accumulates in bool.
struct logical_or {
  __host__ __device__ constexpr bool operator()(bool a, bool b) const { return a || b; }
};

/// The leftmost item.
struct first {
  template <class T> __host__ __device__ constexpr T operator()(const T& a, const T&) const { return a; }
};
/// The rightmost item.
struct last {
  template <class T> __host__ __device__ constexpr T operator()(const T&, const T& b) const { return b; }
};

/// `op`, accumulating in `A` whatever the item type: wf::accumulate_in<double>(wf::plus{}). Sums and products whose
/// output or init is wider than their accumulator need it.
template <class A, class Op> struct accumulating : Op {};
/// The operator `op` with the accumulator `A`.
template <class A, class Op> __host__ __device__ constexpr accumulating<A, Op> accumulate_in(Op op) { return {op}; }

}  // namespace warpfold
