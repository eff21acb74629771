// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two items of an array share a place, whatever its strides.
//
// Two items do if the differences d of their indices are not all 0, and the sum of stride * d is. Each |d| is less than
// its extent. The search chooses the d of one axis after the other, the largest stride first, and only such that the
// remaining axes can still make the sum 0: it is within their reach, and divisible by their common divisor. Most
// strides leave no choice but 0. Some, of many axes, leave more choices than can be tried.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <warpfold/axes/shape.hpp>
#include <warpfold/operators.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

enum class overlap { none, some, unknown };

/// The search of one array, whose checked_items are some.
class overlap_search {
 public:
  static constexpr std::int64_t most_choices = 1 << 18;  ///< some milliseconds

  explicit overlap_search(const array_axes& array) {
    for (int i = 0; i < array.rank; ++i)
      if (array.extent[i] > 1) {
        const std::int64_t stride = std::abs(array.stride[i]);
        int at = rank_++;
        for (; at > 0 && axes_[at - 1].stride < stride; --at) axes_[at] = axes_[at - 1];
        axes_[at].stride = stride, axes_[at].most = array.extent[i] - 1;
      }
    std::int64_t reach = 0, divisor = 0;
    for (int i = rank_ - 1; i >= 0 && axes_[i].stride > 0; --i) {
      axis& own = axes_[i];
      own.reach_left = reach, own.divisor_left = divisor;
      reach += own.stride * own.most;
      own.divisor = divisor = common_divisor(divisor, own.stride);
      own.period = own.divisor_left / own.divisor;
      own.inverse = own.period > 1 ? inverse(own.stride / own.divisor % own.period, own.period) : 0;
    }
  }
  overlap result() {
    if (rank_ == 0) return overlap::none;
    if (axes_[rank_ - 1].stride == 0 || can_be_zero(0, 0)) return overlap::some;
    return choices_ > most_choices ? overlap::unknown : overlap::none;
  }

 private:
  struct axis {
    std::int64_t stride = 0, most = 0;              ///< |d| is at most that
    std::int64_t reach_left = 0, divisor_left = 0;  ///< of all axes of smaller strides
    std::int64_t divisor = 0;                       ///< of these and this one
    std::int64_t period = 0;                        ///< from one possible d to the next
    std::int64_t inverse = 0;                       ///< of stride / divisor, modulo the period
  };

  /// Whether axis number `number` and the remaining ones can turn `sum` into 0. It is within their reach, and divisible
  /// by their divisor. As long as it is 0, each d is.
  bool can_be_zero(int number, std::int64_t sum) {
    if (number == rank_ - 1) return sum != 0;
    const axis& own = axes_[number];
    std::int64_t least = greatest_of(-own.most, -floor(own.reach_left + sum, own.stride));
    const std::int64_t greatest = least_of(own.most, floor(own.reach_left - sum, own.stride));
    if (sum == 0) least = 0;  // the negatives of these d are as good
    std::int64_t d = least;
    if (own.period > 1) {
      const std::int64_t quotient = modulo(-(sum / own.divisor), own.period);
      const auto residue = static_cast<std::int64_t>(int128{quotient} * own.inverse % own.period);
      d += modulo(residue - least, own.period);
    }
    for (; d <= greatest && ++choices_ <= most_choices; d += own.period) {
      const std::int64_t next = sum + own.stride * d;
      if ((next == 0 && d != 0) || can_be_zero(number + 1, next)) return true;
    }
    return false;
  }

  static std::int64_t common_divisor(std::int64_t a, std::int64_t b) { return b == 0 ? a : common_divisor(b, a % b); }
  /// a / b, rounded down, of b > 0.
  static std::int64_t floor(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }
  static std::int64_t modulo(std::int64_t a, std::int64_t b) { return a % b + (a % b < 0 ? b : 0); }
  /// The number whose product with `a` is 1 modulo b; they have no common divisor.
  static std::int64_t inverse(std::int64_t a, std::int64_t b) {
    std::int64_t of_a = 1, of_rest = 0, rest = b;
    while (rest > 0) {
      const std::int64_t quotient = a / rest;
      a = std::exchange(rest, a - quotient * rest);
      of_a = std::exchange(of_rest, of_a - quotient * of_rest);
    }
    return modulo(of_a, b);
  }

  int rank_ = 0;
  axis axes_[max_axes] = {};
  std::int64_t choices_ = 0;
};

/// Throws if two results in `out`, called `name`, share a place, and if that cannot be decided. It has items.
[[gnu::noinline]] inline void check_apart_from_itself(const char* function, const char* name, const array_axes& out) {
  const overlap found = overlap_search(out).result();
  if (found == overlap::none) return;
  reject(function,
         {name, found == overlap::some ? " overlaps itself" : " may overlap itself, which is too hard to decide",
          ": extents ", listed(out.extent, out.rank), ", strides ", listed(out.stride, out.rank)});
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
