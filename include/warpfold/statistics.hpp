// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Count, mean, variance and higher moments of an input, its extremes and its NaN, in one read.
//
//   const auto m = wf::reduce_value(in, wf::moments{});           // m.mean(), m.variance(), m.stddev()
//   const auto s = wf::reduce_value(in, wf::statistics{});        // the same, and s.minimum, s.maximum, s.nan_count
//   wf::segmented_reduce(in, offsets, out, wf::moments<4>{});     // out holds a wf::moments_of<4> per segment
//
// Both are operators (operator_traits.hpp) for every function, and can be fused with others (fuse.hpp).
#pragma once
#include <warpfold/fuse.hpp>
#include <warpfold/standard.hpp>

namespace warpfold {

/// The treatment of NaN items. `propagate`: moments and extremes are NaN, as those of numpy.mean and numpy.min.
/// `omit`: they are left out of everything and counted, as by numpy.nanmean and pandas.
enum class nan_policy { propagate, omit };

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

template <class T> __host__ __device__ constexpr bool is_nan(const T& item) {
  if constexpr (std::is_integral_v<T>) return false;
  else if constexpr (std::is_same_v<T, double>) return item != item;
  else {
    const auto x = convert<float>(item);
    return x != x;
  }
}

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

/// The moments of two adjacent parts of any sizes but 0: Chan's update, and Pébay's for higher powers.
template <int Order>
__host__ __device__ moments_of<Order> join_any(const moments_of<Order>& a, const moments_of<Order>& b) {
  const auto na = static_cast<double>(a.count), nb = static_cast<double>(b.count);
  const double n = na + nb, product = nb * a.sum;
  // na * b.sum - nb * a.sum, right to an ulp or two (Kahan).
  const double scaled = std::fma(na, b.sum, -product) + std::fma(-nb, a.sum, product);
  const double quotient = scaled / (na * nb * n);
  moments_of<Order> all{a.count + b.count, add(a.sum, b.sum), {}};
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

/// The operator that computes moments_of<Order>: items of any arithmetic type, half or bfloat16 count as doubles.
/// Algorithm: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
/// Variances", 1979, along the canonical tree, and P. Pébay, SAND2008-6212, 2008, for powers 3 and 4. Parts of equal
/// size, which are nearly all, take no division. The variance of float items far from 0 keeps its digits: at mean /
/// deviation = 10^6 it is right to 4 ulp (tests/statistics_test.cu), since sums of floats of similar size are exact in
/// double, and only distances of means are squared. Of double items the relative error at mean / deviation = r is
/// about r u, u being 2^-53; equal items have a deviation of 0, or of some u |mean|. An infinite item makes the mean
/// infinite or NaN, and what follows from powers NaN. The identity is the moments of nothing.
/// - Sums and powers of float items, integers and what is narrower never overflow.
/// - Nor do those of N double items of magnitudes up to M, at most D apart, while N M < 2^1023 and
///   N (D + 64 u M)^Order < 2^960. A sum that overflows on the way makes the mean infinite or NaN, and the variance
///   NaN. Powers that overflow are infinite or NaN, and so is what follows from them.
/// - Where even what is rounded off sums comes near to overflowing when squared, N (64 u M)^2 >= 2^960, deviations of
///   up to 64 u M may count as none: equal items have a variance of 0. Among omitted NaN it may be infinite.
/// - Powers below 2^-1022 lose digits: fourth powers of deviations of 2^-256, for example.
template <int Order = 2, nan_policy Policy = nan_policy::propagate> struct moments {
  using result = moments_of<Order>;  ///< the accumulator and the result

  template <detail::is_real_number T> __host__ __device__ result lift(const T& item) const {
    const auto x = detail::convert<double>(item);
    if (Policy == nan_policy::omit && x != x) return result{};
    return {1, x, {}};
  }
  template <class T, int Count> __host__ __device__ result lift_chunk(const T (&items)[Count]) const {
    static_assert(is_power_of_two(Count));
    bool all = true;
    for (int k = 0; k < Count; ++k) all = all && !(skips_nan && detail::is_nan(items[k]));
    return all ? of_full(join_numbers<0, Count>(items), Count) : join_items<0, Count>(items);
  }
  __host__ __device__ result operator()(const result& a, const result& b) const {
    if (a.count == b.count && (a.count & (a.count - 1)) == 0) return detail::join_equal(a, b);
    if ((a.count == 0) | (b.count == 0) | detail::is_any_large(a.sum, b.sum)) {  // one branch for all that is rare
      if (a.count == 0) return b;
      return b.count == 0 ? a : detail::join_large(a, b);
    }
    return detail::join_any(a, b);
  }

  // Nodes whose items all count (operator_traits.hpp).
  using full = detail::uncounted_moments<Order>;
  static constexpr bool skips_nan = Policy == nan_policy::omit;
  template <class T> __host__ __device__ static full lift_full(const T& item) {
    return {detail::convert<double>(item), {}};
  }
  __host__ __device__ static full join_full(const full& a, const full& b, std::int64_t items) {
    return detail::join_equal<Order>(a, b, items);
  }
  __host__ __device__ static result of_full(const full& all, std::int64_t items) {
    result value{items, all.sum, {}};
    for (int p = 0; p < Order - 1; ++p) value.power[p] = all.power[p];
    return value;
  }
  /// With a right neighbour of at least one item. Inlined, since what is rare elsewhere is the only case here.
  __host__ __device__ static result join_fewer(const full& left, std::int64_t items, const result& right) {
    if (detail::is_any_large(left.sum, right.sum)) return detail::join_large(of_full(left, items), right);
    return detail::join_any<Order>(of_full(left, items), right);
  }
  /// False if an item is NaN, or if there are infinities of both signs.
  __host__ __device__ static bool all_count(const result& value) requires(skips_nan) { return value.sum == value.sum; }

 private:
  template <int First, int Count, class T, int All>
  __host__ __device__ static full join_numbers(const T (&items)[All]) {
    if constexpr (Count == 1) return lift_full(items[First]);
    else
      return join_full(join_numbers<First, Count / 2>(items), join_numbers<First + Count / 2, Count / 2>(items),
                       Count / 2);
  }
  template <int First, int Count, class T, int All> __host__ __device__ result join_items(const T (&items)[All]) const {
    if constexpr (Count == 1) return lift(items[First]);
    else return (*this)(join_items<First, Count / 2>(items), join_items<First + Count / 2, Count / 2>(items));
  }
};

template <int Order, nan_policy Policy> struct identity<moments<Order, Policy>, moments_of<Order>> {
  WARPFOLD_JIT static constexpr moments_of<Order> value() { return {}; }
};

/// The number of items that are NaN. As exact as a sum of integers.
struct nan_counter {
  template <detail::is_real_number T> __host__ __device__ constexpr std::int64_t lift(const T& item) const {
    return detail::is_nan(item);
  }
  template <class T, int Count> __host__ __device__ constexpr std::int64_t lift_chunk(const T (&items)[Count]) const {
    int count = 0;
    for (int k = 0; k < Count; ++k) count += detail::is_nan(items[k]);
    return count;
  }
  __host__ __device__ constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }

  // Without NaN there is nothing to count (operator_traits.hpp).
  struct full {};
  static constexpr bool skips_nan = true;
  template <class T> __host__ __device__ static constexpr full lift_full(const T&) { return {}; }
  __host__ __device__ static constexpr full join_full(const full&, const full&, std::int64_t) { return {}; }
  __host__ __device__ static constexpr std::int64_t of_full(const full&, std::int64_t) { return 0; }
};
template <> struct detail::plain_operator<nan_counter> { using type = plus; };
template <> struct identity<nan_counter, std::int64_t> : identity<plus, std::int64_t> {};

/// The result of `statistics`. Without numbers, minimum and maximum are NaN if they are omitted, else the identities of
/// wf::minimum and wf::maximum.
template <class Extremum, int Order = 2> struct statistics_of : moments_of<Order> {
  Extremum minimum, maximum;  ///< of type accumulator_t<wf::minimum, Item>: float for half, say
  std::int64_t nan_count;     ///< how many items are NaN
};

/// The operator that computes statistics_of: moments, extremes and the number of NaN, fused. By default NaN are left
/// out of moments and extremes. Each part has the bits of a call of its own with moments<Order, Policy>, with
/// minimum_number and maximum_number (minimum and maximum if NaN propagate), and with nan_counter.
template <int Order = 2, nan_policy Policy = nan_policy::omit>
struct statistics
    : fused_operator<moments<Order, Policy>, std::conditional_t<Policy == nan_policy::omit, minimum_number, minimum>,
                     std::conditional_t<Policy == nan_policy::omit, maximum_number, maximum>, nan_counter> {
  template <class E>
  __host__ __device__ constexpr statistics_of<E, Order> lower(
      const fused<moments_of<Order>, E, E, std::int64_t>& all) const {
    return {all.template get<0>(), all.template get<1>(), all.template get<2>(), all.template get<3>()};
  }
};

template <int Order, nan_policy Policy, class A>
struct identity<statistics<Order, Policy>, A> : identity<typename statistics<Order, Policy>::fused_operator, A> {};

}  // namespace warpfold
