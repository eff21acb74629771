// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys, values and equality, as callers pass them to the functions of equal adjacent keys.
#pragma once
#include <concepts>
#include <string>
#include <type_traits>
#include <warpfold/equal_to.hpp>
#include <warpfold/error.hpp>
#include <warpfold/host/type_checks.hpp>
#include <warpfold/options.hpp>

namespace warpfold {

/// Anything that may say whether two keys are equal.
template <class E>
concept equality_argument = !is_options<E>;

/// Keys or values: a range of device items, or an iterator.
template <class In>
concept items_argument = device_range<const In> || item_iterator<In>;

/// Keys and values whose number is known: one of them is a range.
template <class Keys, class Values>
concept counted_items = items_argument<Keys> && items_argument<Values> &&
    (device_range<const Keys> || device_range<const Values>);

/// An output, and no count of items.
template <class Out>
concept output_argument = !std::integral<std::remove_cvref_t<Out>>;

namespace detail {
template <class In> struct items_of;
template <class In>
  requires device_range<const In>
struct items_of<In> {
  using item = item_t<const In>;
  static auto first(const In& in) { return to_pointer(in.data()); }
  static std::int64_t size(const In& in) { return static_cast<std::int64_t>(in.size()); }
};
template <item_iterator In> struct items_of<In> {
  using item = iterator_item_t<In>;
  static auto first(const In& in) { return to_kernel_iterator(in); }
  static std::int64_t size(const In&) { return -1; }
};
}  // namespace detail

/// The type of the items of keys or values.
template <items_argument In> using items_argument_t = typename detail::items_of<In>::item;

namespace detail {

/// Checks an equality of keys.
template <class Equal, class Key> consteval bool check_equality() {
  constexpr bool is_passed = is_passed_by_bytes<Equal> && !is_host_pointer<Equal>;
  static_assert(is_passed,
                "warpfold: the equality must be a trivially copyable function object or lambda: it is passed to the "
                "GPU by its bytes, and a function pointer is the host's");
  constexpr bool compares =
      is_extended_lambda<Equal> || std::is_invocable_r_v<bool, const Equal&, const Key&, const Key&>;
  static_assert(compares,
                "warpfold: the equality must be callable as bool equal(Key, Key) const; without one, keys need ==");
  return is_passed && compares && check_callable_on_device<Equal>();
}

inline namespace WARPFOLD_HIDDEN_V1 {

/// The number of items of keys and values, one of which is a range.
template <class Keys, class Values>
std::int64_t common_size(const char* function, const Keys& keys, const Values& values) {
  const std::int64_t k = items_of<Keys>::size(keys), v = items_of<Values>::size(values);
  if (k >= 0 && v >= 0 && k != v) reject(function, {"keys has ", k, " items, values has ", v});
  return k >= 0 ? k : v;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail
}  // namespace warpfold
