// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of `moments` (statistics.hpp), and how those of two parts are joined.
#pragma once
#include <warpfold/operators.hpp>
#include <warpfold/standard.hpp>

namespace warpfold {

/// The moments of a number of items, up to order `Order` (2 to 4), in double: the count n, the sum, and the sums of
/// powers of the deviations from the mean. Undefined results (a variance of no items, say) are NaN.
template <int Order = 2> struct moments_of {
  static_assert(2 <= Order && Order <= 4, "warpfold: moments have order 2, 3 or 4");

  std::int64_t count;       ///< n
  double sum;               ///< of all items
  double power[Order - 1];  ///< power[p - 2]: the sum of (x - mean)^p

  __host__ __device__ double mean() const { return sum / number(); }  ///< sum / n
  /// The population's, M2 / n, as numpy.var gives it.
  __host__ __device__ double variance() const { return squares() / number(); }
  /// The sample's unbiased estimate, M2 / (n - 1), as pandas gives it.
  __host__ __device__ double sample_variance() const { return count > 1 ? squares() / (number() - 1) : undefined; }
  __host__ __device__ double stddev() const { return std::sqrt(variance()); }                ///< of the population
  __host__ __device__ double sample_stddev() const { return std::sqrt(sample_variance()); }  ///< of the sample
  /// m3 / m2^1.5, as scipy.stats.skew gives it.
  __host__ __device__ double skewness() const requires(Order >= 3) {
    const double top = std::sqrt(number()) * power[1], bottom = power[0] * std::sqrt(power[0]);
    if (is_normal(bottom) && std::fabs(top) <= most) return top / bottom;
    return std::sqrt(number()) * (power[1] / power[0]) / std::sqrt(power[0]);
  }
  /// m4 / m2^2, 3 for a normal distribution: Pearson's, scipy.stats.kurtosis(fisher=False).
  __host__ __device__ double kurtosis() const requires(Order >= 4) {
    const double top = number() * power[2], bottom = power[0] * power[0];
    return is_normal(bottom) && top <= most ? top / bottom : number() * (power[2] / power[0]) / power[0];
  }
  /// kurtosis() - 3: scipy.stats.kurtosis.
  __host__ __device__ double excess_kurtosis() const requires(Order >= 4) { return kurtosis() - 3; }

 private:
  /// M2, but NaN if an item is NaN or infinite: power[0] of a single one is 0.
  __host__ __device__ double squares() const { return power[0] + (sum - sum); }
  __host__ __device__ double number() const { return static_cast<double>(count); }
  __host__ __device__ static bool is_normal(double x) { return least <= x && x <= most; }
  static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  static constexpr double least = std::numeric_limits<double>::min(), most = std::numeric_limits<double>::max();
};

namespace detail {

/// 1 / (2 n), for a power of two n. For n = 0 the result is unspecified.
__host__ __device__ inline double half_reciprocal(std::int64_t n) {
  const auto x = static_cast<double>(n);
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = (std::uint64_t{2045} << 52) - bits;  // only the exponent, whose bias is 1023, is not zero
  double result;
  std::memcpy(&result, &bits, sizeof bits);
  return result;
}

// Below, products are added only by an explicit fma, and items, which may be a transform's products, only by `add`: so
// no compiler can contract anything, and the bits are the same everywhere. Sums are exact as long as float items are of
// similar size, so their differences lose nothing; differences of rounded means would.

/// moments_of without its count, which the caller knows.
template <int Order> struct uncounted_moments {
  double sum;
  double power[Order - 1];
};

/// The moments of two adjacent parts of `items` items each, a power of two: no division. M is moments_of or
/// uncounted_moments.
template <int Order, class M> __host__ __device__ M join_equal(const M& a, const M& b, std::int64_t items) {
  const double difference = add(b.sum, -a.sum), half_d = difference * half_reciprocal(items);
  const double squares = a.power[0] + b.power[0];
  M all{};
  all.sum = add(a.sum, b.sum);
  all.power[0] = std::fma(half_d, difference, squares);
  if constexpr (Order >= 3) all.power[1] = std::fma(3 * half_d, b.power[0] - a.power[0], a.power[1] + b.power[1]);
  if constexpr (Order >= 4) {
    const double both = std::fma(4 * half_d, b.power[1] - a.power[1], a.power[2] + b.power[2]);
    all.power[2] = std::fma(half_d * half_d, std::fma(half_d, difference, 6 * squares), both);
  }
  return all;
}
template <int Order>
__host__ __device__ moments_of<Order> join_equal(const moments_of<Order>& a, const moments_of<Order>& b) {
  moments_of<Order> all = join_equal<Order>(a, b, a.count);
  all.count = 2 * a.count;
  return all;
}

/// The moments of two adjacent parts of `na` and `nb` items, neither of them 0: Chan's update, and Pébay's for higher
/// powers. divide(a, b) is a / b. A and B are moments_of or uncounted_moments.
template <int Order, class A, class B, class Divide>
__host__ __device__ uncounted_moments<Order> join_parts(const A& a, const B& b, double na, double nb, Divide divide) {
  const double n = na + nb, product = nb * a.sum;
  // na * b.sum - nb * a.sum, right to an ulp or two (Kahan).
  const double scaled = std::fma(na, b.sum, -product) + std::fma(-nb, a.sum, product);
  const double quotient = divide(scaled, na * nb * n);
  uncounted_moments<Order> all{add(a.sum, b.sum), {}};
  all.power[0] = std::fma(scaled, quotient, a.power[0] + b.power[0]);
  if constexpr (Order >= 3) {
    const double to_a = quotient * na, to_b = quotient * nb;  // from the common mean
    const double square = scaled * quotient, difference = quotient * (na - nb);
    const double cross = std::fma(to_a, b.power[0], -(to_b * a.power[0]));
    all.power[1] = std::fma(square, difference, std::fma(3.0, cross, a.power[1] + b.power[1]));
    if constexpr (Order >= 4) {
      const double squares = std::fma(to_a * to_a, b.power[0], to_b * to_b * a.power[0]);
      const double cubes = std::fma(to_a, b.power[1], -(to_b * a.power[1]));
      const double both = std::fma(6.0, squares, std::fma(4.0, cubes, a.power[2] + b.power[2]));
      all.power[2] = std::fma(square, std::fma(to_a, difference, to_b * to_b), both);
    }
  }
  return all;
}
/// The accumulator of `count` items that all count.
template <int Order>
__host__ __device__ moments_of<Order> counted_moments(const uncounted_moments<Order>& all, std::int64_t count) {
  moments_of<Order> value{count, all.sum, {}};
  for (int p = 0; p < Order - 1; ++p) value.power[p] = all.power[p];
  return value;
}
template <int Order>
__host__ __device__ moments_of<Order> join_any(const moments_of<Order>& a, const moments_of<Order>& b) {
  const auto divide = [](double top, double bottom) { return top / bottom; };
  return counted_moments<Order>(
      join_parts<Order>(a, b, static_cast<double>(a.count), static_cast<double>(b.count), divide), a.count + b.count);
}
/// `a` or `b`, each number for itself: a choice between two variables would be one between their addresses.
template <int Order>
__host__ __device__ uncounted_moments<Order> choose(bool takes_a, const uncounted_moments<Order>& a,
                                                    const uncounted_moments<Order>& b) {
  uncounted_moments<Order> chosen{takes_a ? a.sum : b.sum, {}};
  for (int p = 0; p < Order - 1; ++p) chosen.power[p] = takes_a ? a.power[p] : b.power[p];
  return chosen;
}
/// The moments of 4 and of `nb` = 1, 2 or 3 items, or of 2 and 1, whose finite sums are multiples of 2^-149. The
/// quotient of a number and a small integer is right if it is corrected once by its rest: it lies too far from the
/// middle between two numbers to be rounded to the wrong one (Markstein, Computation of Elementary Functions on the IBM
/// RISC System/6000 Processor, 1990).
template <int Left, int Order>
__host__ __device__ uncounted_moments<Order> join_few(const uncounted_moments<Order>& a,
                                                      const uncounted_moments<Order>& b, int nb) {
  static_assert(Left == 2 || Left == 4);
  const double reciprocal = Left == 2 ? 1.0 / 6 : nb == 1 ? 1.0 / 20 : nb == 2 ? 1.0 / 48 : 1.0 / 84;
  return join_parts<Order>(a, b, double{Left},
                           nb == 1   ? 1.0
                           : nb == 2 ? 2.0
                                     : 3.0,
                           [=](double top, double bottom) {
                             const double quotient = top * reciprocal, rest = std::fma(-quotient, bottom, top);
                             return rest - rest == 0 ? std::fma(rest, reciprocal, quotient)
                                                     : quotient;  // not of an infinity
                           });
}
/// The same, not inlined: it is rare, and would make most of each join's code. (Higher moments are too many registers
/// to be passed.)
WARPFOLD_NO_INLINE __host__ __device__ inline moments_of<2> join_any(moments_of<2> a, moments_of<2> b) {
  return join_any<2>(a, b);
}

/// Whether a sum is 2^513 or more in magnitude, infinite or NaN. Compared as integers, which is faster.
__host__ __device__ inline bool is_any_large(double a, double b) {
  const auto magnitude = [](double x) {
    return static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, x) >> 32) & 0x7FFFFFFF;
  };
  return maximum{}(magnitude(a), magnitude(b)) >= std::uint32_t{1023 + 513} << 20;
}
/// join_any where is_any_large: products of sums and counts may overflow though their difference is small, and so
/// may the square of the sums' rounding error. Sums of items of one sign, at most 2^63, are right to 63 u relative:
/// where a difference may be no more than that, and its square comes near to overflowing, it counts as 0.
WARPFOLD_NO_INLINE __host__ __device__ inline moments_of<2> join_large(moments_of<2> a, moments_of<2> b) {
  const auto na = static_cast<double>(a.count), nb = static_cast<double>(b.count);
  const double small_a = a.sum * 0x1p-128, small_b = b.sum * 0x1p-128, product = nb * small_a;
  const double small = std::fma(na, small_b, -product) + std::fma(-nb, small_a, product);
  const double rounding = 0x1p-47 * std::fma(na, std::fabs(small_b), std::fabs(product));
  const double weight = na * nb * (na + nb);
  const bool is_rounding = std::fabs(small) <= rounding && rounding - rounding == 0;
  const double scaled = is_rounding && small * small > 0x1p704 * weight ? 0 : small * 0x1p128;
  moments_of<2> all{a.count + b.count, add(a.sum, b.sum), {}};
  all.power[0] = std::fma(scaled, scaled / weight, a.power[0] + b.power[0]);
  return all;
}
inline constexpr double overflown = std::numeric_limits<double>::quiet_NaN();
/// At most 2^63 items of such sums are equal, or deviate by 2^396 or more, whose cubes overflow.
template <int Order>
__host__ __device__ moments_of<Order> join_large(const moments_of<Order>& a, const moments_of<Order>& b) {
  const moments_of<2> two =
      join_large(moments_of<2>{a.count, a.sum, {a.power[0]}}, moments_of<2>{b.count, b.sum, {b.power[0]}});
  moments_of<Order> all{two.count, two.sum, {two.power[0]}};
  for (int p = 1; p < Order - 1; ++p) all.power[p] = two.power[0] == 0 ? 0 : overflown;
  return all;
}
}  // namespace detail

}  // namespace warpfold
