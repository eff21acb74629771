// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which numbers convert to which accumulators, and what of them is lost: checks of initial values and outputs.
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/standard.hpp>

namespace warpfold {

namespace detail {
/// Whether `T` holds sums that wrap or round in `A`: its numbers have more bytes, or are floating-point where A has
/// integers.
template <class T, class A>
inline constexpr bool is_wider =
    !std::is_same_v<T, typename component<T>::type> || !std::is_same_v<A, typename component<A>::type>
        ? is_wider<typename component<T>::type, typename component<A>::type>
        : false;
template <class T, class A>
  requires((is_integer<T> || std::is_floating_point_v<T>)&&(is_integer<A> || std::is_floating_point_v<A>))
inline constexpr bool is_wider<T, A> =
    std::is_floating_point_v<T> == std::is_floating_point_v<A> ? (sizeof(T) > sizeof(A)) : std::is_floating_point_v<T>;

/// Which numbers an integer accumulator could not hold, and so has other values for: bit k for part k of a fused value.
struct lost_numbers {
  std::uint64_t parts = 0;
  long long value = 0;  ///< the last of them, as it was given
  bool is_negative = false;
};
/// conversion<T, A>::note_loss(lost, given, part) notes whether `given` has another value as an `A`. A bool keeps the
/// truth of every number.
template <class T, class A> struct conversion {
  WARPFOLD_JIT static constexpr void note_loss(lost_numbers& lost, const T& given, int part) {
    if constexpr (is_integer<T> && is_integer<A> && !std::is_same_v<A, bool>) {
      const A held = static_cast<A>(given);
      if (static_cast<T>(held) == given && is_negative(held) == is_negative(given)) return;
      lost = {lost.parts | std::uint64_t{1} << part, static_cast<long long>(given), is_negative(given)};
    }
  }
};

/// Whether a `T` is a value of the accumulator type `A`: it converts, or is an item that accumulates in A.
template <class T, class A>
concept is_value_of = !std::is_pointer_v<T> && (std::convertible_to<const T&, A> ||
                                                (std::is_same_v<typename promoted<T>::type, A> && converts<A, T>));
}  // namespace detail

}  // namespace warpfold
