// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the types of a reduction by key, whose messages are plain words.
#pragma once
#include <concepts>
#include <type_traits>
#include <warpfold/host/keyed_items.hpp>
#include <warpfold/host/leaves.cuh>

namespace warpfold::by_key {

/// Whether `Op` can only be an equality: a bool of values or accumulators that are no bool. Not asked of an operator
/// that is not callable, nor of an extended lambda, which may have no const call on the host's side.
template <class Op, class A, class V> consteval bool returns_bool() {
  if constexpr (is_extended_lambda<Op>) return false;
  else if constexpr (std::is_same_v<A, bool>)  // what the operator returns for values that are no bool
    return std::is_same_v<typename warpfold::detail::folded<Op, V>::type, bool> && !std::is_same_v<V, bool> &&
           !warpfold::detail::is_logical<Op> && !lifts<Op, V>;
  else return std::is_same_v<std::invoke_result_t<const Op&, const A&, const A&>, bool>;
}

/// Whether all types that a call reads fit together. If not, the caller must instantiate nothing further: the errors
/// that follow would bury the reason.
template <class Key, class Value, class Op, class Transform, class Equal, class A> consteval bool check_types() {
  check_operator<Op, A>();
  if constexpr (!is_valid_operator<Op, A>) return false;
  else if constexpr (!warpfold::detail::check_equality<Equal, Key>()) return false;
  else if constexpr (!warpfold::detail::check_transform<Op, Transform, A, Value>()) return false;
  else {
    constexpr bool is_operator = !returns_bool<Op, A, typename warpfold::detail::transformed<Transform, Value>::type>();
    static_assert(is_operator,
                  "warpfold: this operator returns bool: reduce_by_key takes the operator first, then the equality");
    constexpr bool is_key = std::is_trivially_copyable_v<Key>;
    static_assert(is_key, "warpfold: keys must be trivially copyable");
    constexpr bool is_aligned = alignof(A) <= 16;
    static_assert(is_aligned, "warpfold: reduce_by_key takes accumulators that are aligned to 16 bytes at most");
    return is_operator && is_key && is_aligned;
  }
}

/// The same of the outputs, which are as kernels get them.
template <class Key, class Op, class A, class OutKeys, class OutValues, class OutCount> consteval bool check_outputs() {
  constexpr bool is_written = device_outputs<OutKeys, Key> && device_outputs<OutValues, lowered_t<Op, A>>;
  static_assert(is_written,
                "warpfold: keys and results must be assignable to the items of out_keys and out_values: pass outputs "
                "of items that are not const");
  using count_type = std::remove_pointer_t<OutCount>;
  constexpr bool is_counted = std::is_pointer_v<OutCount> && std::integral<count_type> &&
                              !std::is_const_v<count_type> && !std::is_same_v<count_type, bool>;
  static_assert(is_counted,
                "warpfold: out_count must be a device pointer to, or a range of, integers that are not const");
  return is_written && is_counted && warpfold::detail::check_output<Op, A, OutValues>();
}

}  // namespace warpfold::by_key
