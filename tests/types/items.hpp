// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of items in the table of types: their names, small whole values of them, and the outputs that are wider and
// narrower. Nothing here is taken from the library but its name of a 128-bit integer.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdint>
#include <cuda/std/complex>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>
#include <warpfold/operators.hpp>

namespace types {

using int128 = warpfold::int128;
using complex_float = cuda::std::complex<float>;
using complex_double = cuda::std::complex<double>;
enum class colour : int {};

/// Structs with +, < and ==, of `Bytes` bytes: three members, or four.
template <class N, int Count, int Alignment> struct alignas(Alignment) numbers {
  N at[Count];
  numbers() = default;
  __host__ __device__ constexpr explicit numbers(int n) : at{} {
    for (int i = 0; i < Count; ++i) at[i] = static_cast<N>(n + i);
  }
  /// From one of other numbers: the members that both have.
  template <class M, int Others, int Aligned>
  __host__ __device__ constexpr numbers(const numbers<M, Others, Aligned>& from) : at{} {
    for (int i = 0; i < Count && i < Others; ++i) at[i] = static_cast<N>(from.at[i]);
  }
  __host__ __device__ friend constexpr numbers operator+(const numbers& a, const numbers& b) {
    numbers sum{};
    for (int i = 0; i < Count; ++i) sum.at[i] = static_cast<N>(a.at[i] + b.at[i]);
    return sum;
  }
  __host__ __device__ friend constexpr bool operator<(const numbers& a, const numbers& b) { return a.at[0] < b.at[0]; }
  __host__ __device__ friend constexpr bool operator==(const numbers& a, const numbers& b) {
    for (int i = 0; i < Count; ++i)
      if (a.at[i] != b.at[i]) return false;
    return true;
  }
};
using bytes3 = numbers<std::uint8_t, 3, 1>;
using bytes24 = numbers<std::int64_t, 3, 8>;
using aligned32 = numbers<std::int64_t, 4, 32>;
static_assert(sizeof(bytes3) == 3 && sizeof(bytes24) == 24 && sizeof(aligned32) == 32 && alignof(aligned32) == 32);

template <class T, class... Ts> inline constexpr bool is_any_of = (std::is_same_v<T, Ts> || ...);
template <class T> inline constexpr bool is_fp8 = is_any_of<T, __nv_fp8_e4m3, __nv_fp8_e5m2>;
template <class T> inline constexpr bool is_complex = is_any_of<T, complex_float, complex_double>;
template <class T> inline constexpr bool is_integer = std::is_integral_v<T> || is_any_of<T, int128, warpfold::uint128>;
template <class T> inline constexpr bool is_struct = is_any_of<T, bytes3, bytes24, aligned32>;
/// Numbers on a line, as float or double at least.
template <class T> inline constexpr bool is_real = is_any_of<T, __half, __nv_bfloat16, float, double> || is_fp8<T>;
template <class T> inline constexpr bool is_number = is_integer<T> || is_real<T>;

/// The type in which sums and extrema of `T` accumulate, as documented.
template <class T> consteval auto accumulator_type() {
  if constexpr (is_real<T> && !std::is_same_v<T, double>) return std::type_identity<float>{};
  else if constexpr (!std::is_integral_v<T> || sizeof(T) >= 4) return std::type_identity<T>{};
  else if constexpr (std::is_signed_v<T> || std::is_same_v<T, bool>) return std::type_identity<int>{};
  else return std::type_identity<unsigned>{};
}
template <class T> using accumulator = typename decltype(accumulator_type<T>())::type;

/// `value` as a `To`.
template <class To, class From> __host__ __device__ constexpr To as(const From& value) {
  if constexpr (std::is_same_v<To, From>) return value;
  else if constexpr (std::is_same_v<From, __half>) return static_cast<To>(__half2float(value));
  else if constexpr (std::is_same_v<From, __nv_bfloat16>) return static_cast<To>(__bfloat162float(value));
  else if constexpr (is_complex<From> && is_complex<To>) {
    using R = typename To::value_type;
    return To(static_cast<R>(value.real()), static_cast<R>(value.imag()));
  } else if constexpr (std::is_same_v<To, __nv_fp8_e5m2> && std::is_floating_point_v<From>) {
    To result = static_cast<To>(value);
    if (value != 0 && value == value / 2) ++result.__x;  // to infinity, at which the constructor stops short
    return result;
  } else return static_cast<To>(value);
}

/// Whether results of type `R` can be written as an `Out`: as an assignment does, and to fp8 from any number.
template <class Out, class R>
inline constexpr bool is_written = std::is_assignable_v<Out&, const R&> || (is_fp8<Out> && is_number<R>);

/// A small whole number as a `T`, -4 to 8.
template <class T> T make(int n) {
  if constexpr (is_any_of<T, __half, __nv_bfloat16> || is_fp8<T>) return T(static_cast<float>(n));
  else if constexpr (is_complex<T>)
    return T(static_cast<typename T::value_type>(n), static_cast<typename T::value_type>(3 - n));
  else if constexpr (std::is_same_v<T, float2>) return float2{static_cast<float>(n), static_cast<float>(3 - n)};
  else if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) return static_cast<T>(n < 0 ? -n : n);
  else if constexpr (std::is_same_v<T, bool>) return n > 5;
  else return static_cast<T>(n);
}

/// An output that does not exist, so it has no name.
struct none {};
template <class T> struct item;
#define WF_TEST_ITEM(T, Name, Wider, Narrower) \
  template <> struct item<T> {                 \
    static constexpr const char* name = Name;  \
    using wider = Wider;                       \
    using narrower = Narrower;                 \
  }
WF_TEST_ITEM(bool, "bool", std::int64_t, none);
WF_TEST_ITEM(std::int8_t, "int8", std::int64_t, bool);
WF_TEST_ITEM(std::int16_t, "int16", std::int64_t, std::int8_t);
WF_TEST_ITEM(std::int32_t, "int32", std::int64_t, std::int16_t);
WF_TEST_ITEM(std::int64_t, "int64", int128, std::int32_t);
WF_TEST_ITEM(std::uint8_t, "uint8", std::uint64_t, bool);
WF_TEST_ITEM(std::uint16_t, "uint16", std::uint64_t, std::uint8_t);
WF_TEST_ITEM(std::uint32_t, "uint32", std::uint64_t, std::uint8_t);
WF_TEST_ITEM(std::uint64_t, "uint64", int128, std::uint16_t);
WF_TEST_ITEM(int128, "int128", double, std::int64_t);
WF_TEST_ITEM(__half, "half", double, __nv_fp8_e5m2);
WF_TEST_ITEM(__nv_bfloat16, "bfloat16", double, __nv_fp8_e4m3);
WF_TEST_ITEM(__nv_fp8_e4m3, "e4m3", float, none);
WF_TEST_ITEM(__nv_fp8_e5m2, "e5m2", double, none);
WF_TEST_ITEM(float, "float", double, __half);
WF_TEST_ITEM(double, "double", none, float);
WF_TEST_ITEM(complex_float, "complex_float", complex_double, none);
WF_TEST_ITEM(complex_double, "complex_double", none, complex_float);
WF_TEST_ITEM(float2, "float2", double2, float);
WF_TEST_ITEM(colour, "enum", std::int64_t, std::int8_t);
WF_TEST_ITEM(bytes3, "bytes3", bytes24, none);
WF_TEST_ITEM(bytes24, "bytes24", aligned32, bytes3);
WF_TEST_ITEM(aligned32, "aligned32", none, bytes24);
#undef WF_TEST_ITEM

/// A vector that also holds bool as such.
template <class T> class list {
 public:
  list() = default;
  explicit list(std::size_t count) : held_(count) {}
  explicit list(std::span<const T> from) {
    for (const T& value : from) push_back(value);
  }
  void push_back(const T& value) { held_.push_back({value}); }
  std::size_t size() const { return held_.size(); }
  T* data() { return reinterpret_cast<T*>(held_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(held_.data()); }
  const T& operator[](std::size_t i) const { return held_[i].value; }
  std::span<const T> span() const { return {data(), size()}; }
  std::span<const T> span(std::size_t first, std::size_t count) const { return span().subspan(first, count); }

 private:
  struct held {
    T value;
  };
  std::vector<held> held_;
};

/// Whether two results are the same value, as NaN and NaN are. Sums of powers are rounded.
template <class T> bool same(const T& a, const T& b) {
  if constexpr (is_any_of<T, float, double>) return a == b || (a != a && b != b);
  else if constexpr (is_any_of<T, __half, __nv_bfloat16>) return same(as<float>(a), as<float>(b));
  else if constexpr (is_fp8<T>) return same(static_cast<float>(a), static_cast<float>(b));
  else if constexpr (is_complex<T>) return same(a.real(), b.real()) && same(a.imag(), b.imag());
  else if constexpr (requires { a.x; }) return same(a.x, b.x) && same(a.y, b.y);
  else if constexpr (requires { a.power; }) {
    const bool are_close = std::fabs(a.power[0] - b.power[0]) <= 1e-12 * std::fabs(b.power[0]);
    if (a.count != b.count || a.sum != b.sum || !are_close) return false;
    if constexpr (requires { a.nan_count; })
      return same(a.minimum, b.minimum) && same(a.maximum, b.maximum) && a.nan_count == b.nan_count;
    else return true;
  } else if constexpr (requires { a.index; }) return a.index == b.index && same(a.value, b.value);
  else if constexpr (requires { a.item[0]; }) {
    bool all = true;
    for (std::size_t i = 0; i < std::size(a.item); ++i) all = all && same(a.item[i], b.item[i]);
    return all;
  } else if constexpr (requires { a.minimum; }) return same(a.minimum, b.minimum) && same(a.maximum, b.maximum);
  else return a == b;
}

}  // namespace types
