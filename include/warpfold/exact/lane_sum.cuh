// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exact sum of the items of one lane. Integers of 64 bits count the last digits of a few levels of extraction,
// whose exponents stay while items fit them. A superaccumulator takes over what does not fit, and the integers when
// the exponents change. No lane depends on another one.
#pragma once
#include <warpfold/exact/add_items.cuh>
#include <warpfold/exact/double_sum.cuh>
#include <warpfold/exact/operator.cuh>
#include <warpfold/thread/lane_accumulator.cuh>

namespace warpfold::exact {

/// `Items` items of type `V` are added at a time.
template <class V, int Items> class lane_sum {
 public:
  using number = typename superaccumulator<V>::number;
  using extraction = exact::extraction<V, Items>;

  /// Adds the items, and overwrites them. Missing ones must be -0.
  __device__ void add(number (&items)[Items]) {
    const int field = take_largest(items);
    if (__builtin_expect(field > field_, false)) {
      if (field > max_field) return add_slowly(items);
      move_to(field);
    }
    level_sums<levels> sums;
    if (__builtin_expect(extract<extraction, false>(items, exponent(), sums), false)) {
      move_to(field);
      return add_slowly(items);
    }
    WARPFOLD_UNROLL
    for (int j = 0; j < levels; ++j) digits_[j] += sums.sum[j];
    if (++batches_ == max_batches) flush();
  }
  /// The sum of all items.
  __device__ superaccumulator<V> total() {
    flush();
    total_.kinds |= other_ != 0 ? unsigned{has_other_than_minus_zero} : 0u;
    return total_;
  }

 private:
  static constexpr int levels = extraction::first_levels;
  static constexpr int max_batches = 1 << 12;  ///< digits of a batch are below 2^51
  /// The largest exponent's field that extraction takes.
  static constexpr int max_field =
      least_of(extraction::max_exponent, format<number>::max_exponent) + format<number>::max_exponent;
  static constexpr int margin = 1;  ///< octaves above the items that set the level

  __device__ int exponent() const { return (field_ > 0 ? field_ : 1) - format<number>::max_exponent; }
  /// The largest exponent's field of the items.
  __device__ int take_largest(const number (&items)[Items]) {
    if constexpr (std::is_same_v<number, float>) {
      float largest = 0;
      WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k) {
        largest = maximum{}(largest, fabsf(items[k]));  // or NaN
        other_ |= bits_as<std::uint32_t>(items[k]) ^ 0x80000000u;
      }
      return static_cast<int>(bits_as<std::uint32_t>(largest) >> 23 & 0xff);
    } else {
      int largest = 0;
      WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k) {
        const auto bits = bits_as<std::uint64_t>(items[k]);
        const auto high = static_cast<std::uint32_t>(bits >> 32);
        largest = greatest_of(largest, static_cast<int>(high & 0x7fffffffu));
        other_ |= static_cast<std::uint32_t>(bits) | (high ^ 0x80000000u);
      }
      return largest >> 20;
    }
  }
  /// Sets the level for items whose largest exponent has this field.
  __device__ void move_to(int field) {
    flush();
    field_ = least_of(field + margin, max_field);
  }
  /// Moves the digits to the superaccumulator.
  __device__ void flush() {
    if (batches_ == 0) return;
    int e = extraction::start(exponent());
    WARPFOLD_UNROLL
    for (int j = 0; j < levels; ++j) {
      total_ = exact::add(total_, accumulator_of<V>(digits_[j], e - 52, 0));
      digits_[j] = 0;
      e = extraction::next_start(e);
    }
    batches_ = 0;
  }
  __device__ void add_slowly(const number (&items)[Items]) {
    thread::array<number, Items> copy;
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) copy[k] = items[k];
    total_ = with_items(total_, copy);
  }
  /// `total` and any items. Not inlined: it would take registers from the loop over the items.
  __device__ __attribute__((noinline)) static superaccumulator<V> with_items(superaccumulator<V> total,
                                                                             thread::array<number, Items> given) {
    number items[Items];
    bool has_rest = true;
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) items[k] = given[k];
    total.kinds |= take_special_items(items);
    if constexpr (std::is_same_v<number, double>) {
      WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k) {
        if (-0x1p1000 < items[k] && items[k] < 0x1p1000) continue;  // others would overflow extraction
        total = exact::add(total, accumulator_of(static_cast<V>(items[k])));
        items[k] = 0;
      }
    }
    WARPFOLD_NO_UNROLL
    while (has_rest) {
      int field = 0;
      WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k) field = greatest_of(field, field_of(items[k]));
      level_sums<extraction::most_levels> sums;
      has_rest = extract<extraction, true>(items, (field > 0 ? field : 1) - format<number>::max_exponent, sums);
      WARPFOLD_UNROLL
      for (int j = 0; j < extraction::most_levels; ++j)
        total = exact::add(total, accumulator_of<V>(sums.sum[j], sums.exponent[j] - 52, 0));
    }
    return total;
  }
  __device__ static int field_of(number item) {
    using f = format<number>;
    return static_cast<int>(bits_as<typename f::bits>(item) >> (f::digits - 1) & f::max_field);
  }

  int field_ = -1;   ///< the largest exponent's field that the level takes
  int batches_ = 0;  ///< in digits_
  std::int64_t digits_[levels] = {};
  std::uint32_t other_ = 0;  ///< not zero if any item is other than -0
  superaccumulator<V> total_{};
};

}  // namespace warpfold::exact

namespace warpfold::thread {
namespace detail {
/// Only numbers that are floats before they are summed.
template <class T> struct few_exact_items {};
template <> struct few_exact_items<float> { using few = exact::double_sum; };
}  // namespace detail

template <class R, class T>
struct lane_accumulator<exact_plus_as<R>, exact::superaccumulator<T>> : detail::few_exact_items<T> {
  static constexpr bool exists = true;
  using number = typename exact::superaccumulator<T>::number;
  static constexpr number nothing = -0.0;
  template <int Items> using sum = exact::lane_sum<T, Items>;
};
}  // namespace warpfold::thread
