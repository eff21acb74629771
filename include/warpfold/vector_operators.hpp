// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators for everyday results of vectors: euclidean_norm, arithmetic_mean, minimum_maximum; and the transforms
// magnitude and product. They lift items and lower results (operator_traits.hpp), and so work in every
// function that takes an operator: segmented_reduce(in, offsets, out, wf::euclidean_norm{}). vector_reductions.cuh has
// functions of the usual names. All of them round as written, on every GPU and in the emulator.
#pragma once
#include <warpfold/standard.hpp>
#include <warpfold/thread/real_functions.cuh>

namespace warpfold {

namespace detail {
/// A sum of doubles, which Map makes of items: arithmetic_mean and euclidean_norm without all that follows from it.
template <class Map> struct sum_of {
  template <class T> __host__ __device__ constexpr double lift(const T& item) const { return Map{}(item); }
  __host__ __device__ constexpr double operator()(double a, double b) const { return add(a, b); }
};
template <class Map> struct plain_operator<sum_of<Map>> { using type = plus; };
}  // namespace detail

/// |x|, as float for half and what is narrower, as int for narrow integers. The magnitude of the least integer wraps.
/// Of a complex number it is the modulus, a real number. (BLAS' asum and iamax take |Re| + |Im| instead.)
struct magnitude {
  template <class T> __host__ __device__ constexpr auto operator()(const T& item) const {
    using V = detail::number_of<T>;
    const V value = detail::convert<V>(item);
    if constexpr (detail::is_real<V>) return std::fabs(value);
    else if constexpr (detail::is_complex<V>) return detail::modulus(value.real(), value.imag());
    else if constexpr (detail::is_integer<V>) {
      using U = std::conditional_t<(sizeof(V) > 8), uint128, std::uint64_t>;  // the difference wraps
      return detail::is_negative(value) ? static_cast<V>(U{0} - static_cast<U>(value)) : value;
    } else {
      static_assert(detail::is_integer<V>,
                    "warpfold: a magnitude is known of integers, floating-point and complex numbers; for other items "
                    "pass your own transform to wf::transform_reduce");
      return detail::refused{};
    }
  }
};

/// a * b in the common type of both, which is float for half and what is narrower: a product of halves is exact.
struct product {
  template <class T, class U> __host__ __device__ constexpr auto operator()(const T& a, const U& b) const {
    using V = std::common_type_t<detail::number_of<T>, detail::number_of<U>>;
    static_assert(detail::has_product<V>, "warpfold: the items have no product a * b");
    if constexpr (detail::has_product<V>) return multiplies{}(detail::convert<V>(a), detail::convert<V>(b));
    else return detail::refused{};
  }
};

/// Whether `predicate` holds, as a bool whatever it returns: a transform that makes sums count. Of segments:
/// transform_segmented_reduce(in, offsets, out, wf::accumulate_in<std::int64_t>(wf::plus{}), wf::indicator{is_even{}}).
template <class Predicate> struct indicator {
  Predicate predicate;  ///< of items

  template <class... Items>
    requires(is_extended_lambda<Predicate> || std::is_invocable_v<const Predicate&, const Items&...>)
  __host__ __device__ constexpr bool operator()(const Items&... items) const {
    return detail::convert<bool>(predicate(items...));
  }
};
template <class Predicate> indicator(Predicate) -> indicator<Predicate>;

// ---- the Euclidean norm ---------------------------------------------------------------------------------------------

/// A sum of squares in double, for items whose squares fit; the norm is an `R`.
template <class R> struct sum_of_squares { double sum; };
/// A sum of squares of doubles, each scaled before it is squared: by 2^537 (`scale` -1), 1 (0) or 2^-538 (1).
struct scaled_squares {
  double sum;  ///< of scaled squares
  int scale;   ///< -1, 0 or 1
};

namespace detail {
/// Squares of doubles none of which needs a scale but zeros, which add nothing.
class unscaled_squares {
 public:
  __host__ __device__ void meet(double x) {
    const auto bits = __builtin_bit_cast(std::uint64_t, x);
    const auto high = static_cast<std::uint32_t>(bits >> 32) & 0x7FFFFFFF, low = static_cast<std::uint32_t>(bits);
    constexpr std::uint32_t least = (1023 - 511) << 20, end = (1023 + 486) << 20;
    needs_scale_ = needs_scale_ || (high - least >= end - least && (high | low) != 0);
  }
  template <class Reduce> __host__ __device__ bool settle(Reduce all_reduce) const {
    return all_reduce(needs_scale_ ? 1u : 0u, bit_or{}) == 0;
  }
  __host__ __device__ static double term(double x) { return multiply(x, x); }
  __host__ __device__ static scaled_squares total(double sum, int) { return {sum, sum == 0 ? -1 : 0}; }

 private:
  bool needs_scale_ = false;
};
}  // namespace detail

/// sqrt(x0^2 + x1^2 + ...), without overflow or underflow of any square. The norm of nothing is 0; a NaN propagates.
/// - float, half and bfloat16: squares are exact in double, and are added in double. The norm is a float, off by 0.5
///   ulp and 2^-53 ceil(log2 N) relative.
/// - double: items from 2^486 up, and those below 2^-511, are scaled (the thresholds of Blue 1978 and Anderson 2017,
///   Algorithm 978, "Safe Scaling in the Level 1 BLAS"); a sum takes the scale of its largest item. Off by about
///   2^-53 (ceil(log2 N) + 3) relative.
/// - integers: as double, where their squares fit.
/// - complex numbers: the squares of both parts; the norm is a real number. It has the bits of the norm of the
///   numbers re, im, re, im, ….
struct euclidean_norm {
  template <detail::is_scalar T> __host__ __device__ auto lift(const T& item) const {
    if constexpr (detail::is_complex<T>) return (*this)(lift(item.real()), lift(item.imag()));
    else return lift_real(item);
  }
  template <class R>
  __host__ __device__ sum_of_squares<R> operator()(const sum_of_squares<R>& a, const sum_of_squares<R>& b) const {
    return {detail::add(a.sum, b.sum)};
  }
  __host__ __device__ scaled_squares operator()(const scaled_squares& a, const scaled_squares& b) const {
    const bool b_is_larger = a.scale < b.scale;
    const int large = b_is_larger ? b.scale : a.scale, small = b_is_larger ? a.scale : b.scale;
    const double large_sum = b_is_larger ? b.sum : a.sum, small_sum = b_is_larger ? a.sum : b.sum;
    // Two scales apart, the smaller sum is less than half an ulp of the larger one.
    const double step = large == small ? 1.0 : large - small == 2 ? 0.0 : small < 0 ? 0x1p-537 : 0x1p-538;
    return {detail::add(large_sum, detail::multiply(detail::multiply(small_sum, step), step)), large};
  }
  template <class R> __host__ __device__ R lower(const sum_of_squares<R>& all) const {
    return static_cast<R>(detail::square_root(all.sum));
  }
  __host__ __device__ double lower(const scaled_squares& all) const {
    const double root = detail::square_root(all.sum);
    return detail::multiply(root, all.scale < 0 ? 0x1p-537 : all.scale > 0 ? 0x1p538 : 1.0);
  }

  /// For kernels (warp/fold_terms.cuh).
  template <std::same_as<scaled_squares> A> using plain_terms = detail::unscaled_squares;

  // Sums of squares that need no scale (operator_traits.hpp).
  /// Squares an item, scaled.
  struct square {
    template <class T> __host__ __device__ constexpr double operator()(const T& item) const {
      return lift_real(item).sum;
    }
  };
  template <detail::is_real_number T>
    requires(!std::is_same_v<T, double>)
  WARPFOLD_JIT constexpr detail::sum_of<square> uncounted() const { return {}; }
  template <class A> __host__ __device__ static constexpr A counted(double sum, std::int64_t) { return {sum}; }

 private:
  template <class T> __host__ __device__ static auto lift_real(const T& item) {
    const auto x = static_cast<double>(detail::convert<detail::number_of<T>>(item));
    if constexpr (std::is_same_v<T, double>) {
      const int exponent = static_cast<int>(__builtin_bit_cast(std::uint64_t, x) >> 52 & 0x7FF);
      const int scale = exponent < 1023 - 511 ? -1 : exponent >= 1023 + 486 ? 1 : 0;
      const double scaled = detail::multiply(x, scale < 0 ? 0x1p537 : scale > 0 ? 0x1p-538 : 1.0);
      return scaled_squares{detail::multiply(scaled, scaled), scale};
    } else return sum_of_squares<detail::real_of<T>>{detail::multiply(x, x)};
  }
};
template <class Map> struct identity<detail::sum_of<Map>, double> : identity<plus, double> {};
template <class R> struct identity<euclidean_norm, sum_of_squares<R>> {
  WARPFOLD_JIT static constexpr sum_of_squares<R> value() { return {0}; }
};
template <> struct identity<euclidean_norm, scaled_squares> {
  WARPFOLD_JIT static constexpr scaled_squares value() { return {0, -1}; }
};

// ---- the mean -------------------------------------------------------------------------------------------------------

/// The accumulator of arithmetic_mean; the mean is an `R`.
template <class R> struct sum_and_count {
  double sum;          ///< of items
  std::int64_t count;  ///< of items
};

namespace detail {
/// Items whose number is known are added as they are.
template <class A> struct counted_terms {
  __host__ __device__ static void meet(double) {}
  template <class Reduce> __host__ __device__ static bool settle(Reduce) { return true; }
  __host__ __device__ static double term(double x) { return x; }
  __host__ __device__ static A total(double sum, int items) { return {sum, items}; }
};
}  // namespace detail

/// The same of complex numbers.
template <class C> struct complex_sum_and_count {
  double real, imaginary;  ///< parts of the sum
  std::int64_t count;      ///< of items
};

/// The arithmetic mean: items are added in double and divided by their number, once. A float for float and what is
/// narrower, else a double; of complex numbers one of these. The mean of nothing is NaN. A sum of doubles may overflow,
/// on the way too: such a mean is infinite or NaN. Sums of other items do not.
struct arithmetic_mean {
  template <detail::is_scalar T> __host__ __device__ auto lift(const T& item) const {
    if constexpr (detail::is_complex<T>)
      return complex_sum_and_count<T>{static_cast<double>(item.real()), static_cast<double>(item.imag()), 1};
    else return sum_and_count<detail::real_of<T>>{static_cast<double>(detail::convert<detail::number_of<T>>(item)), 1};
  }
  template <class C>
  __host__ __device__ complex_sum_and_count<C> operator()(const complex_sum_and_count<C>& a,
                                                          const complex_sum_and_count<C>& b) const {
    return {detail::add(a.real, b.real), detail::add(a.imaginary, b.imaginary), a.count + b.count};
  }
  template <class C> __host__ __device__ C lower(const complex_sum_and_count<C>& all) const {
    using R = typename C::value_type;
    const auto items = static_cast<double>(all.count);
    return C(static_cast<R>(detail::quotient(all.real, items)), static_cast<R>(detail::quotient(all.imaginary, items)));
  }
  template <class R>
  __host__ __device__ sum_and_count<R> operator()(const sum_and_count<R>& a, const sum_and_count<R>& b) const {
    return {detail::add(a.sum, b.sum), a.count + b.count};
  }
  template <class R> __host__ __device__ R lower(const sum_and_count<R>& all) const {
    // The NaN of 0 / 0. That division takes ten times as long as others, and each empty segment has one.
    if (all.count == 0 && all.sum == 0) return static_cast<R>(of_nothing);
    return static_cast<R>(detail::quotient(all.sum, static_cast<double>(all.count)));
  }

  /// For kernels (warp/fold_terms.cuh).
  template <class A> using plain_terms = detail::counted_terms<A>;

  // Sums of items whose number is known (operator_traits.hpp).
  /// Turns an item into a double.
  struct in_double {
    template <class T> __host__ __device__ constexpr double operator()(const T& item) const {
      return static_cast<double>(detail::convert<detail::number_of<T>>(item));
    }
  };
  template <detail::is_real_number T> WARPFOLD_JIT constexpr detail::sum_of<in_double> uncounted() const { return {}; }
  template <class A> __host__ __device__ static constexpr A counted(double sum, std::int64_t items) {
    return {sum, items};
  }

 private:
  static constexpr double of_nothing = std::numeric_limits<double>::quiet_NaN();
};
template <class R> struct identity<arithmetic_mean, sum_and_count<R>> {
  WARPFOLD_JIT static constexpr sum_and_count<R> value() { return {0, 0}; }
};
template <class C> struct identity<arithmetic_mean, complex_sum_and_count<C>> {
  WARPFOLD_JIT static constexpr complex_sum_and_count<C> value() { return {0, 0, 0}; }
};

// ---- both extrema ---------------------------------------------------------------------------------------------------

/// The smallest and the largest item.
template <class T> struct extrema {
  T minimum;  ///< the smallest item
  T maximum;  ///< the largest item

  __host__ __device__ friend constexpr bool operator==(const extrema& a, const extrema& b) {
    return a.minimum == b.minimum && a.maximum == b.maximum;
  }
  /// The same with another type of items. The extrema of nothing, which alone are in the wrong order, are those of U.
  template <class U>
    requires(detail::converts<U, T>)
  __host__ __device__ constexpr operator extrema<U>() const {
    if constexpr (detail::is_plain_number<T> && detail::is_integer<U>) {
      constexpr T least = detail::narrowed_identity<warpfold::maximum, T, U>,
                  greatest = detail::narrowed_identity<warpfold::minimum, T, U>;
      if (maximum < minimum) return {static_cast<U>(greatest), static_cast<U>(least)};
    }
    return {detail::convert<U>(minimum), detail::convert<U>(maximum)};
  }
};

/// minimum and maximum in one pass: NaN propagates into both, and -0 < +0.
struct minimum_maximum {
  template <class T>
    requires(detail::has_order<detail::number_of<T>>)
  __host__ __device__ constexpr extrema<detail::number_of<T>> lift(const T& item) const {
    const auto value = detail::convert<detail::number_of<T>>(item);
    return {value, value};
  }
  template <class T>
  __host__ __device__ constexpr extrema<T> operator()(const extrema<T>& a, const extrema<T>& b) const {
    return {minimum{}(a.minimum, b.minimum), maximum{}(a.maximum, b.maximum)};
  }
};
template <class T>
  requires has_identity_v<minimum, T>
struct identity<minimum_maximum, extrema<T>> {
  WARPFOLD_JIT static constexpr extrema<T> value() {
    return {identity<minimum, T>::value(), identity<maximum, T>::value()};
  }
};
template <class T> inline constexpr bool is_exact<minimum_maximum, extrema<T>> = true;

}  // namespace warpfold
