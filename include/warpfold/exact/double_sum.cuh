// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of few floats in a double: its 53 digits hold the sums of items whose exponents are not far apart.
#pragma once
#include <warpfold/exact/superaccumulator.cuh>

namespace warpfold::exact {

/// The sum of up to `max_items` items, and their extremes.
class double_sum {
 public:
  static constexpr int log_max_items = 5, max_items = 1 << log_max_items;

  /// -0 changes nothing.
  __device__ void add(float item) {
    const std::uint32_t magnitude = bits_as<std::uint32_t>(item) & 0x7FFFFFFF;
    largest_ = greatest_of(largest_, magnitude);
    least_ = least_of(least_, magnitude - 1);
    sum_ = warpfold::detail::add(sum_, static_cast<double>(item));
  }
  /// Whether all items are numbers, and no sum was rounded: each is a multiple of the least item's last digit, and less
  /// than max_items times the power of two above the largest one.
  __device__ bool is_exact() const {
    constexpr int max_apart = format<double>::digits - format<float>::digits - log_max_items;
    const int apart = field_of(largest_) - field_of(least_ + 1);
    return field_of(largest_) < static_cast<int>(format<float>::max_field) && (apart <= max_apart || largest_ == 0);
  }
  /// Sets `digits` to the sum in units of 2^exponent, in two's complement. Returns whether it is such a number.
  __device__ bool count_digits(int exponent, std::int64_t& digits) const {
    const double scaled = sum_ * bits_as<double>(static_cast<std::uint64_t>(format<double>::max_exponent - exponent)
                                                 << (format<double>::digits - 1));
    if (!(fabs(scaled) < 0x1p63)) return false;
    digits = static_cast<std::int64_t>(scaled);
    return static_cast<double>(digits) == scaled;
  }
  /// The nearest float, or the sum itself, if it is_exact.
  template <class R> __host__ __device__ R rounded() const { return static_cast<R>(sum_); }
  /// Whether an item is other than -0.
  __device__ bool has_other_than_minus_zero() const { return bits_as<std::uint64_t>(sum_) != std::uint64_t{1} << 63; }

 private:
  __device__ static int field_of(std::uint32_t magnitude) {
    return static_cast<int>(magnitude >> (format<float>::digits - 1));
  }

  double sum_ = -0.0;
  std::uint32_t largest_ = 0, least_ = 0xFFFFFFFF;  // the latter less one, so that zeros are not the least
};

}  // namespace warpfold::exact
