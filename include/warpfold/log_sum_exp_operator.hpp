// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operator log_sum_exp: log(exp(x0) + exp(x1) + ...) in one pass, without overflow.
//
// exp(x) = p 4^h, with h the multiple of 1/2 next to x log4(e), and p a polynomial of the rest. Sums are kept as a
// number and a common power of two, that of the largest item. A change of the power of two loses nothing, so a sum has
// the bits of floating-point addition with unlimited exponents, in the tree's order, however a kernel scales its parts;
// and a join of two sums needs no exponential. With powers of 4, |h| < |x|: so an exponent of 2^21 or more can only be
// an item, one too large to be computed, which is stored as its own exponent. (The idea of one pass: Milakov and
// Gimelshein, Online Normalizer Calculation for Softmax, 2018, whose join needs two. The argument's reduction: Cody
// and Waite, Software Manual for the Elementary Functions, 1980.) Nothing is taken from a mathematical library, whose
// bits differ between host and GPU.
#pragma once
#include <warpfold/standard.hpp>
#include <warpfold/vector_operators.hpp>

namespace warpfold {

/// sum * 4^exponent. The exponent is a multiple of 1/2. Where it is at least `exponential<R>::most` in magnitude, it is
/// an item itself, and sum the number of such items.
template <class R> struct scaled_sum {
  R sum;       ///< of powers
  R exponent;  ///< of 4
};

namespace detail {

template <class R> __host__ __device__ R fused_multiply_add(R a, R b, R c) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<R, float>) return __fmaf_rn(a, b, c);
  else return __fma_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

template <class R> struct exponential;
template <> struct exponential<float> {
  using bits = std::uint32_t;
  static constexpr int mantissa_bits = 23, bias = 127;
  static constexpr float infinity = std::numeric_limits<float>::infinity();
  static constexpr float log4e = 0x1.715476p-1f, log4e_rest = 0x1.4ae0cp-27f;
  static constexpr float half_integer = 0x1.8p22f;  ///< adding it rounds to a multiple of 1/2; low bits count halves
  static constexpr float most = 0x1p21f;            ///< |x| of a computed item is less, and its |exponent|
  static constexpr int reach = 120;                 ///< halves: terms so far below the greatest one are normal numbers
  /// 4^f = 1 + f (c0 + f (c1 + ...)) for |f| <= 1/4, to a relative error of 1e-8: interpolated at Chebyshev's nodes.
  template <class F> __host__ __device__ static float polynomial(F with) {
    return with(0x1.62e430p0f, 0x1.ebfbe0p-1f, 0x1.c6af6cp-2f, 0x1.3b2a54p-3f, 0x1.5f0890p-5f, 0x1.44138ap-7f);
  }
};
template <> struct exponential<double> {
  using bits = std::uint64_t;
  static constexpr int mantissa_bits = 52, bias = 1023;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double log4e = 0x1.71547652b82fep-1, log4e_rest = 0x1.777d0ffda0d24p-57;
  static constexpr double half_integer = 0x1.8p51, most = 0x1p50;
  static constexpr int reach = 1000;
  /// To a relative error of 2e-17.
  template <class F> __host__ __device__ static double polynomial(F with) {
    return with(0x1.62e42fefa39efp0, 0x1.ebfbdff82c598p-1, 0x1.c6b08d704a0c2p-2, 0x1.3b2ab6fba1ddap-3,
                0x1.5d87fe78a5276p-5, 0x1.430913096fd9fp-7, 0x1.ffcbfc670dcd4p-10, 0x1.62bfd47773353p-12,
                0x1.b524fae627834p-15, 0x1.e6063f7217bc6p-18, 0x1.e9d3fe3952179p-21);
  }
};

/// c0 + f (c1 + f (c2 + ...)).
template <class R> __host__ __device__ R horner(R, R last) { return last; }
template <class R, class... Rest> __host__ __device__ R horner(R f, R c, Rest... rest) {
  return fused_multiply_add(f, horner(f, rest...), c);
}

/// x log4(e) as a multiple of 1/2 and a rest of at most 1/4: the multiple plus exponential<R>::half_integer.
template <class R> __host__ __device__ R exponent_bits(R x) {
  return fused_multiply_add(x, exponential<R>::log4e, exponential<R>::half_integer);
}
/// exp(x) 4^-h, h being exponent_bits(x) - exponential<R>::half_integer.
template <class R> __host__ __device__ R significand(R x, R h) {
  using e = exponential<R>;
  const R f = fused_multiply_add(x, e::log4e_rest, fused_multiply_add(x, e::log4e, -h));
  return fused_multiply_add(f, e::polynomial([f](auto... c) { return horner(f, c...); }), R{1});
}
/// 4^h for a multiple h of 1/2, where that is a normal number, or 0 for h = -exponential<R>::bias / 2.
template <class R> __host__ __device__ R power_of_four(R h) {
  using e = exponential<R>;
  using bits = typename e::bits;
  const bits halves = __builtin_bit_cast(bits, add(h, e::half_integer)) - __builtin_bit_cast(bits, e::half_integer);
  return __builtin_bit_cast(R, (halves + bits{e::bias}) << e::mantissa_bits);
}

/// The exponents of items: the greatest one, and whether all items can be added at it.
template <class R> class exponent_range;
template <> class exponent_range<float> {
 public:
  __host__ __device__ void meet(float x) { least_ = minimum{}(least_, x), greatest_ = maximum{}(greatest_, x); }
  __host__ __device__ void meet(const exponent_range& other) {
    least_ = minimum{}(least_, other.least_), greatest_ = maximum{}(greatest_, other.greatest_);
  }
  template <class Reduce> __host__ __device__ bool settle(Reduce all_reduce) {
    using e = exponential<float>;
    least_ = of_order(all_reduce(order(least_), minimum{}));
    greatest_ = of_order(all_reduce(order(greatest_), maximum{}));
    return -e::most < least_ && greatest_ < e::most && exponent_bits(greatest_) - exponent_bits(least_) <= e::reach / 2;
  }
  __host__ __device__ float bits_of_greatest() const { return exponent_bits(greatest_); }
  __host__ __device__ bool holds_infinity() const { return least_ == -exponential<float>::infinity; }

 private:
  /// Integers in the order of numbers, which warps reduce in one instruction. If a lane meets a NaN, both of its
  /// extrema are NaN, which comes after infinity.
  __host__ __device__ static std::int32_t order(float x) { return flip(__builtin_bit_cast(std::int32_t, x)); }
  __host__ __device__ static float of_order(std::int32_t order) { return __builtin_bit_cast(float, flip(order)); }
  __host__ __device__ static std::int32_t flip(std::int32_t x) { return x ^ (x >> 31 & 0x7FFFFFFF); }

  float least_ = exponential<float>::infinity, greatest_ = -exponential<float>::infinity;
};
/// By integers, since extrema of doubles take several instructions. Items of 2^30 or more do not count.
template <> class exponent_range<double> {
 public:
  __host__ __device__ void meet(double x) {
    const auto number = static_cast<std::int32_t>(__builtin_bit_cast(std::uint64_t, exponent_bits(x)));
    const auto high = static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, x) >> 32) & 0x7FFFFFFF;
    meet(number, number, high >= 0x41D00000);
  }
  __host__ __device__ void meet(const exponent_range& other) { meet(other.least_, other.greatest_, other.is_far_); }
  template <class Reduce> __host__ __device__ bool settle(Reduce all_reduce) {
    least_ = all_reduce(least_, minimum{}), greatest_ = all_reduce(greatest_, maximum{});
    const bool any_is_far = all_reduce(is_far_ ? 1u : 0u, bit_or{}) != 0;
    return !any_is_far && std::int64_t{greatest_} - least_ <= exponential<double>::reach;
  }
  __host__ __device__ double bits_of_greatest() const {
    return fused_multiply_add(static_cast<double>(greatest_), 0.5, exponential<double>::half_integer);
  }

 private:
  __host__ __device__ void meet(std::int32_t least, std::int32_t greatest, bool is_far) {
    least_ = least_ < least ? least_ : least, greatest_ = greatest_ > greatest ? greatest_ : greatest;
    is_far_ = is_far_ || is_far;
  }

  std::int32_t least_ = INT32_MAX, greatest_ = INT32_MIN;
  bool is_far_ = false;
};

/// log(sum 2^halves) of a normal `sum`, to a relative error of 2^-41. As logarithm() below, with a quotient that is
/// mended once from about 22 bits, and a shorter series, interpolated at Chebyshev's nodes. Its last three coefficients
/// have so few bits that instructions hold them.
__host__ __device__ inline double logarithm_of(float sum, std::int32_t halves) {
  constexpr std::uint32_t root = 0x3F3504F3;  // of 1/2
  const std::uint32_t from_root = __builtin_bit_cast(std::uint32_t, sum) - root;
  const float m = __builtin_bit_cast(float, (from_root & 0x7FFFFF) + root);  // from the root of 1/2 to that of 2
  const double above = 2 * add(m, -1.0f), divisor = fused_multiply_add(0.5, above, 2.0);
  const double reciprocal = rough_reciprocal(add(m, 1.0f));
  const double first = multiply(above, reciprocal);
  const double z = fused_multiply_add(fused_multiply_add(-first, divisor, above), reciprocal, first);
  const double square = multiply(z, z);
  const double series =
      horner(square, 0x1.555555559959ep-4, 0x1.99999863d9682p-7, 0x1.24934p-9, 0x1.c6762p-12, 0x1.8c8cbp-14);
  const double of_m = fused_multiply_add(z, multiply(square, series), z);
  const auto exponent = static_cast<double>(halves + (static_cast<std::int32_t>(from_root) >> 23));
  return fused_multiply_add(exponent, 0x1.62e42fefa39efp-1, of_m);
}

/// exp(x) at the exponent of the greatest of some items.
template <class R> class exponential_terms {
 public:
  __host__ __device__ void meet(R x) { range_.meet(x); }
  __host__ __device__ void meet(const exponential_terms& others) { range_.meet(others.range_); }
  template <class Reduce> __host__ __device__ bool settle(Reduce all_reduce) { return range_.settle(all_reduce); }
  /// Whether an item adds something, and after settle() whether some item that was met may not.
  __host__ __device__ static bool counts(R x) { return x != -exponential<R>::infinity; }
  __host__ __device__ bool may_hold_nothing() const { return range_.holds_infinity(); }
  /// A term is no subnormal number, so its exponent's field is the sum of that of exp(x) 4^-h and the difference of
  /// exponents.
  __host__ __device__ R term(R x) const {
    using e = exponential<R>;
    using word = typename e::bits;
    const R bits = exponent_bits(x), value = significand(x, add(bits, -e::half_integer));
    const word apart = __builtin_bit_cast(word, bits) - __builtin_bit_cast(word, range_.bits_of_greatest());
    return __builtin_bit_cast(R, __builtin_bit_cast(word, value) + (apart << e::mantissa_bits));
  }
  __host__ __device__ scaled_sum<R> total(R sum, int) const { return {sum, exponent()}; }

  /// The exponent of the greatest item.
  __host__ __device__ R exponent() const { return add(range_.bits_of_greatest(), -exponential<R>::half_integer); }
  /// total() of some of the items, whose own exponent is given.
  __host__ __device__ scaled_sum<R> total_at(R own_exponent, R sum) const {
    return {multiply(sum, power_of_four(add(exponent(), -own_exponent))), own_exponent};
  }
  /// Sets `result` to what log_sum_exp lowers total_at(exponent, sum) to, whatever the exponent of the `count` < 2^10
  /// items themselves is. Returns false where that may matter: where a float ends halfway between two others, as far as
  /// is known (to 2^-39), or where sum and exponent almost cancel. (An item alone has an exponent of 0 there.) A sum
  /// of 0 is that of items that add nothing.
  __host__ __device__ bool lower(R sum, int count, R& result) const requires(std::is_same_v<R, float>) {
    using e = exponential<R>;
    using word = typename e::bits;
    const word halves = __builtin_bit_cast(word, range_.bits_of_greatest()) - __builtin_bit_cast(word, e::half_integer);
    const double log = logarithm_of(sum, static_cast<std::int32_t>(halves));
    const auto low = static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, log));
    constexpr std::uint32_t half = 1u << 28, unknown = 1u << 14;  // of the 29 bits that a float lacks
    result = sum == 0 ? -e::infinity : static_cast<float>(log);
    const bool is_known = ((low - (half - unknown)) & (2 * half - 1)) >= 2 * unknown;
    return sum == 0 || (is_known && (std::fabs(result) >= 0x1p-9f || count == 1));
  }

 private:
  exponent_range<R> range_;
};

/// The natural logarithm of a positive number that is neither subnormal nor infinite, to about an ulp: 2 artanh(z) of
/// z = (m - 1) / (m + 1).
__host__ __device__ inline double logarithm(double x) {
  const auto bits = __builtin_bit_cast(std::uint64_t, x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = __builtin_bit_cast(double, (bits & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000);  // 1 to 2
  if (m > 0x1.6a09e667f3bcdp+0) m *= 0.5, ++exponent;
  const double z = quotient(add(m, -1.0), add(m, 1.0)), square = multiply(z, z);
  const double series = horner(square, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
                               1.0 / 19, 1.0 / 21, 1.0 / 23);
  const double of_m = fused_multiply_add(multiply(2 * z, square), series, 2 * z);
  return fused_multiply_add(static_cast<double>(exponent), 0x1.62e42fefa39efp-1, of_m);
}

}  // namespace detail

/// log(exp(x0) + exp(x1) + ...) of float (also of half and what is narrower) or double (also of integers).
/// - Nothing, and nothing but -inf, gives -inf. +inf gives +inf, unless there is a NaN, which propagates.
/// - Error of float results: at most 2^-24 (ceil(log2 N) + 4) absolute and half an ulp of the result. Of items of 2^21
///   or more in magnitude, only those that equal the largest one count: an error of at most 2^-21 log(N) relative. For
///   double 2^-53 (ceil(log2 N) + 8), an ulp of the result, and items of 2^50. A single one of these is the result.
/// - The same bits on every GPU and in the emulator.
struct log_sum_exp {
  static constexpr bool has_long_joins = true;  ///< operator_traits.hpp
  template <detail::is_real_number T> __host__ __device__ auto lift(const T& item) const {
    using R = detail::real_of<T>;
    using e = detail::exponential<R>;
    const R x = static_cast<R>(detail::convert<detail::number_of<T>>(item));
    constexpr R infinity = e::infinity;
    if (-e::most < x && x < e::most) {
      const R h = detail::add(detail::exponent_bits(x), -e::half_integer);
      return scaled_sum<R>{detail::significand(x, h), h};
    }
    if (x != x) return scaled_sum<R>{x, infinity};
    return scaled_sum<R>{x == -infinity ? R{0} : R{1}, x};
  }
  /// The lower sum moves to the higher exponent, where it may be too small to count. Written without branches: in many
  /// kernels joins take most of the time.
  template <class R>
  __host__ __device__ scaled_sum<R> operator()(const scaled_sum<R>& a, const scaled_sum<R>& b) const {
    constexpr R least = detail::exponential<R>::bias * R{-0.5};
    const bool b_is_lower = b.exponent < a.exponent;
    const R low = b_is_lower ? b.exponent : a.exponent, high = b_is_lower ? a.exponent : b.exponent;
    const R apart = detail::add(low, -high);
    const R moved = is_computed(high) ? detail::power_of_four(apart > least ? apart : least) : R{0};
    const R factor = low == high ? R{1} : moved;
    return {detail::fused_multiply_add(b_is_lower ? b.sum : a.sum, factor, b_is_lower ? a.sum : b.sum), high};
  }
  template <class R> __host__ __device__ R lower(const scaled_sum<R>& all) const {
    if (all.sum != all.sum) return all.sum;
    if (all.exponent - all.exponent != 0) return all.exponent;  // infinite
    const double exponent = all.exponent, log_sum = detail::logarithm(all.sum);
    if (!is_computed(all.exponent)) return static_cast<R>(detail::add(exponent, log_sum));
    return static_cast<R>(  // the logarithm of 4, in two parts
        detail::fused_multiply_add(exponent, 0x1.62e42fefa39efp0,
                                   detail::fused_multiply_add(exponent, 0x1.abc9e3b39803fp-55, log_sum)));
  }

  /// For kernels: items that are added at the exponent of the greatest one (warp/fold_terms.cuh).
  template <class A> using plain_terms = detail::exponential_terms<decltype(A::sum)>;

 private:
  /// Whether an exponent is one, not an item stored in its place.
  template <class R> __host__ __device__ static bool is_computed(R exponent) {
    return std::fabs(exponent) < detail::exponential<R>::most;
  }
};
template <class R> struct identity<log_sum_exp, scaled_sum<R>> {
  WARPFOLD_JIT static constexpr scaled_sum<R> value() { return {0, -std::numeric_limits<R>::infinity()}; }
};

}  // namespace warpfold
