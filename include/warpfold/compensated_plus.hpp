// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum that carries the rounding errors of its additions along: about as exact as if it were computed in twice the
// precision and rounded once. Source: Ogita, Rump and Oishi, "Accurate Sum and Dot Product", SIAM Journal on Scientific
// Computing, 2005 (Sum2), over a tree; the error of an addition by D. Knuth, The Art of Computer Programming, 2, 4.2.2.
//
// The bound. Let u be 2^-24 for float and 2^-53 for double, h = ceil(log2 N), S the sum, and X that of the magnitudes.
// - At each node, a + b = s + e exactly. So S is the root's sum plus all e.
// - |e| <= u |s|, and the |s| of one level add up to at most (1 + u)^h X. So all |e| add up to at most h u (1 + u)^h X.
// - An e takes part in at most 2 h additions of errors, so these are off by at most 2 h u (1 + 2 h u) of that.
// - One more rounding gives the result. Together: |result - S| <= u |S| + 2 h^2 u^2 (1 + 4 h u) X.
// For 2^30 doubles that is u |S| + 2.3e-29 X. (Without overflow. An addition that underflows is exact.)
#pragma once
#include <warpfold/operator_traits.hpp>

namespace warpfold {

/// The accumulator of compensated_plus: a sum, and the rounding errors of its additions.
template <class T> struct compensated_sum { T sum, error; };

/// The sum of float, double, half, bfloat16 or fp8 items; of the last three in float. The association is the canonical
/// tree, so results have the same bits everywhere. With NaN, infinities, overflow and zeros the result is that of plus.
/// Cost: 8 additions a node instead of one, and accumulators twice as wide. The result's type is float or double.
struct compensated_plus {
  template <class T>
    requires(detail::is_real<typename detail::promoted<T>::type>)
  __host__ __device__ auto lift(const T& item) const {
    using A = typename detail::promoted<T>::type;
    return compensated_sum<A>{detail::convert<A>(item), A(0)};
  }
  template <class T>
  __host__ __device__ compensated_sum<T> operator()(const compensated_sum<T>& a, const compensated_sum<T>& b) const {
    using detail::add;
    const T sum = add(a.sum, b.sum), from_b = add(sum, -a.sum);
    const T error = add(add(a.sum, -add(sum, -from_b)), add(b.sum, -from_b));
    return {sum, add(add(a.error, b.error), error)};
  }
  /// Infinities and NaN leave an error that is no number. A zero error must not turn -0 into +0.
  template <class T> __host__ __device__ T lower(const compensated_sum<T>& value) const {
    const bool is_number = value.error - value.error == T(0);
    return is_number && value.error != T(0) ? detail::add(value.sum, value.error) : value.sum;
  }
};

template <class T> struct identity<compensated_plus, compensated_sum<T>> {
  WARPFOLD_JIT static constexpr compensated_sum<T> value() { return {T(0), T(0)}; }
};
template <> inline constexpr bool is_commutative<compensated_plus> = true;

}  // namespace warpfold
