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
#include <warpfold/moments_of.hpp>
#include <warpfold/standard.hpp>

namespace warpfold {

/// The treatment of NaN items. `propagate`: moments and extremes are NaN, as those of numpy.mean and numpy.min.
/// `omit`: they are left out of everything and counted, as by numpy.nanmean and pandas.
enum class nan_policy { propagate, omit };

namespace detail {

template <class T> __host__ __device__ constexpr bool is_nan(const T& item) {
  if constexpr (std::is_integral_v<T>) return false;
  else if constexpr (std::is_same_v<T, double>) return item != item;
  else {
    const auto x = convert<float>(item);
    return x != x;
  }
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
    const result value = of_full(join_numbers<0, Count>(items), Count);
    return !skips_nan || value.sum == value.sum ? value : join_items<0, Count>(items);  // NaN if an item is
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
    return detail::counted_moments<Order>(all, items);
  }
  /// With a right neighbour of at least one item. Inlined, since what is rare elsewhere is the only case here.
  __host__ __device__ static result join_fewer(const full& left, std::int64_t items, const result& right) {
    if (detail::is_any_large(left.sum, right.sum)) return detail::join_large(of_full(left, items), right);
    return detail::join_any<Order>(of_full(left, items), right);
  }
  /// Sets `value` to the node over the first `count` items, 1 to 7. Returns false if it may not be right, since an item
  /// is a NaN that does not count. The other items count for nothing.
  template <class T>
    requires(sizeof(T) <= 4)
  __host__ __device__ static bool fold_few(const T (&items)[7], int count, result& value) {
    const bool has_4 = count >= 4, has_2 = (count & 2) != 0, has_1 = (count & 1) != 0;
    const T rest[3] = {has_4 ? items[4] : items[0], has_4 ? items[5] : items[1], has_4 ? items[6] : items[2]};
    full all = lift_full(has_2 ? rest[2] : rest[0]);
    if (has_2) {
      const full two = join_numbers<0, 2>(rest);
      all = detail::choose(has_1, detail::join_few<2>(two, all, 1), two);
    }
    if (has_4) {
      const full four = join_numbers<0, 4>(items);
      all = detail::choose(has_1 || has_2, detail::join_few<4>(four, all, count & 3), four);
    }
    value = of_full(all, count);
    return !skips_nan || value.sum == value.sum;
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
