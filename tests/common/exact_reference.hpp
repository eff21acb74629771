// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums in 2304-bit integers, and whether a result is the number nearest to one: by distances to the result and to its
// neighbours, so nothing here rounds.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>
#include <warpfold/exact/superaccumulator.cuh>

#include "common/random_items.hpp"
#include "common/same_bits.hpp"

namespace wf_test {

/// Any number as double: all formats that are summed are a part of double.
template <class T> double as_double(const T& item) {
  return static_cast<double>(warpfold::detail::convert<double>(item));
}
/// All digits of a number.
inline std::string in_hexadecimal(double item) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", item);
  return text;
}

/// An integer in units of 2^-1075, in two's complement.
class wide_integer {
 public:
  void add_power(int exponent, bool is_negative = false) { add_at(1, exponent + 1075, is_negative); }
  void add(double item) {
    if (item == 0) return;
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(item), &exponent);
    const int last = exponent - 53 < -1074 ? -1074 : exponent - 53;
    add_at(static_cast<std::uint64_t>(std::ldexp(fraction, exponent - last)), last + 1075, item < 0);
  }
  bool is_negative() const { return words_[count - 1] >> 63; }
  bool is_zero() const { return *this == wide_integer(); }
  wide_integer magnitude() const {
    if (!is_negative()) return *this;
    wide_integer result;
    std::uint64_t carry = 1;
    for (int i = 0; i < count; ++i) {
      result.words_[i] = ~words_[i] + carry;
      carry = carry && result.words_[i] == 0;
    }
    return result;
  }
  friend bool operator==(const wide_integer&, const wide_integer&) = default;
  /// Of magnitudes.
  friend bool operator<(const wide_integer& a, const wide_integer& b) {
    for (int i = count - 1; i >= 0; --i)
      if (a.words_[i] != b.words_[i]) return a.words_[i] < b.words_[i];
    return false;
  }

 private:
  static constexpr int count = 36;
  void add_at(std::uint64_t value, int bit, bool is_negative) {
    const int word = bit / 64, shift = bit % 64;
    const std::uint64_t parts[2] = {value << shift, shift > 0 ? value >> (64 - shift) : 0};
    std::uint64_t carry = 0;
    for (int i = word; i < count; ++i) {
      const std::uint64_t part = i - word < 2 ? parts[i - word] : 0;
      const auto sum = is_negative ? static_cast<unsigned __int128>(words_[i]) - part - carry
                                   : static_cast<unsigned __int128>(words_[i]) + part + carry;
      words_[i] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64) & 1;
    }
  }
  std::uint64_t words_[count] = {};
};

/// A sum that is kept exactly, with what IEEE 754 says of infinities, NaN and zeros.
struct exact_sum {
  wide_integer finite;
  bool nan = false, up = false, down = false, other_than_minus_zero = false;
  std::vector<double> first;  ///< of the items, for messages
  std::int64_t items = 0;

  template <class T> void add(const T& given) {
    const double item = as_double(given);
    if (++items <= 40) first.push_back(item);
    if (std::isnan(item)) nan = true;
    else if (std::isinf(item)) (item > 0 ? up : down) = true;
    else finite.add(item);
    other_than_minus_zero = other_than_minus_zero || item != 0 || !std::signbit(item);
  }

  /// Whether `result` is the sum, rounded to nearest, ties to even; if not, what that is, and of which items.
  template <class R> testing::AssertionResult rounds_to(const R& result) const {
    if (is_rounded(result)) return testing::AssertionSuccess();
    const R expected = rounded<R>();
    auto failure = testing::AssertionFailure();
    failure << in_hexadecimal(as_double(result)) << " (" << bits_in_words(result) << ") is not "
            << in_hexadecimal(as_double(expected)) << " (" << bits_in_words(expected) << "), the sum of " << items
            << " items:";
    for (const double item : first) failure << ' ' << in_hexadecimal(item);
    return failure << (items > std::ssize(first) ? " ...\n" : "\n");
  }

 private:
  template <class R> bool is_rounded(const R& result) const {
    using f = warpfold::exact::format<R>;
    using bits = typename f::bits;
    const double value = as_double(result);
    if (nan || (up && down)) return std::isnan(value);
    if (up || down) return std::isinf(value) && (value > 0) == up;
    if (std::isnan(value)) return false;
    if (finite.is_zero()) return value == 0 && std::signbit(value) != other_than_minus_zero;
    if (value == 0 ? std::signbit(value) != finite.is_negative() : (value < 0) != finite.is_negative()) return false;
    const auto own = static_cast<std::uint64_t>(warpfold::exact::bits_as<bits>(result)) &
                     ((std::uint64_t{1} << (8 * sizeof(R) - 1)) - 1);
    const wide_integer here = distance_to<R>(own);
    const bool is_even = own % 2 == 0;
    const auto is_nearer_than = [&](std::uint64_t neighbour) {
      const wide_integer there = distance_to<R>(neighbour);
      return here < there || (here == there && is_even);
    };
    const std::uint64_t infinity = std::uint64_t{f::max_field} << (f::digits - 1);
    return (own == 0 || is_nearer_than(own - 1)) && (own == infinity || is_nearer_than(own + 1));
  }
  /// The sum as it should be.
  template <class R> R rounded() const {
    using f = warpfold::exact::format<R>;
    using bits = typename f::bits;
    const auto of = [](std::uint64_t magnitude, bool negative) {
      return warpfold::exact::bits_as<R>(static_cast<bits>(std::uint64_t{negative} << (8 * sizeof(R) - 1) | magnitude));
    };
    const std::uint64_t infinity = std::uint64_t{f::max_field} << (f::digits - 1);
    if (nan || (up && down)) return of(infinity + 1, false);
    if (up || down) return of(infinity, down);
    if (finite.is_zero()) return of(0, !other_than_minus_zero);
    const bool negative = finite.is_negative();
    std::uint64_t below = 0;  // the largest number that is not larger than the sum
    for (std::uint64_t bit = std::uint64_t{1} << (8 * sizeof(R) - 2); bit != 0; bit /= 2)
      if ((below | bit) < infinity && !(finite.magnitude() < magnitude_of<R>(below | bit))) below |= bit;
    return is_rounded(of(below, negative)) ? of(below, negative) : of(below + 1, negative);
  }
  template <class R> static wide_integer magnitude_of(std::uint64_t number) {
    wide_integer result;
    result.add(as_double(warpfold::exact::bits_as<R>(static_cast<typename warpfold::exact::format<R>::bits>(number))));
    return result;
  }
  /// |sum| - |number| with the given bits; an infinity counts as the power of two that would follow.
  template <class R> wide_integer distance_to(std::uint64_t number) const {
    using f = warpfold::exact::format<R>;
    wide_integer difference = finite.magnitude();
    if (number >> (f::digits - 1) == f::max_field) difference.add_power(f::max_exponent + 1, true);
    else difference.add(-as_double(warpfold::exact::bits_as<R>(static_cast<typename f::bits>(number))));
    return difference.magnitude();
  }
};

template <class Items> exact_sum exact_sum_of(const Items& items) {
  exact_sum sum;
  for (const auto& item : items) sum.add(item);
  return sum;
}

/// Kinds of items on which sums go wrong.
enum class hard_items { narrow, wide, cancelling, subnormal, extreme, zeros, infinities };
inline constexpr hard_items all_hard_items[] = {hard_items::narrow,    hard_items::wide,    hard_items::cancelling,
                                                hard_items::subnormal, hard_items::extreme, hard_items::zeros,
                                                hard_items::infinities};

/// - narrow: exponents within 12 octaves; wide: any finite bits;
/// - cancelling: pairs that cancel, of any finite bits, and a few items that do not;
/// - extreme: the largest numbers, so that sums overflow unless they cancel.
template <class T> std::vector<T> make_hard_items(hard_items what, std::int64_t count, random_source& source) {
  using f = warpfold::exact::format<T>;
  using bits = typename f::bits;
  const auto make = [](bool negative, std::uint64_t field, std::uint64_t fraction) {
    return warpfold::exact::bits_as<T>(
        static_cast<bits>(std::uint64_t{negative} << (8 * sizeof(T) - 1) | field << (f::digits - 1) | fraction));
  };
  const std::uint64_t fractions = (std::uint64_t{1} << (f::digits - 1)) - 1;
  const auto any = [&] { return make(source() & 1, source() % f::max_field, source() & fractions); };
  std::vector<T> items;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool negative = source() & 1;
    switch (what) {
      case hard_items::narrow:
        items.push_back(make(negative, f::max_field / 2 + source() % 12, source() & fractions));
        break;
      case hard_items::wide: items.push_back(any()); break;
      case hard_items::cancelling:
        if (i % 2 == 0 || i % 64 == 1) items.push_back(any());
        else {
          const bits last = warpfold::exact::bits_as<bits>(items.back());
          items.push_back(warpfold::exact::bits_as<T>(static_cast<bits>(last ^ bits{1} << (8 * sizeof(T) - 1))));
        }
        break;
      case hard_items::subnormal: items.push_back(make(negative, source() % 2, source() & fractions)); break;
      case hard_items::extreme:
        items.push_back(make(source() % 3 == 0, f::max_field - 1 - source() % 2, fractions - source() % 2));
        break;
      case hard_items::zeros: items.push_back(make(source() % 64 != 0 || i > 5, 0, 0)); break;
      case hard_items::infinities:
        items.push_back(source() % 97 == 0 ? make(source() % 8 == 0, f::max_field, source() % 16 == 0) : any());
        break;
    }
  }
  return items;
}
template <class T> void shuffle_items(std::vector<T>& items, random_source& source) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[static_cast<std::size_t>(source.below(static_cast<std::int64_t>(i)))]);
}

}  // namespace wf_test
