// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reduce_by_key and transform_reduce_by_key check before anything is launched, and how they read their arguments.
#pragma once
#include <type_traits>
#include <warpfold/host/argument_checks.cuh>
#include <warpfold/host/type_checks.hpp>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The type of the items of a range or an iterator.
template <class In> struct item_of : std::type_identity<iterator_item_t<In>> {};
template <class In>
  requires device_range<const In>
struct item_of<In> : std::type_identity<item_t<const In>> {
};
template <class In> using item_of_t = typename item_of<In>::type;

/// Whether all types fit together, without which nothing else must be instantiated.
template <class Op, class Transform, class Equal, class A, class Key, class Value, class OutKeys, class OutValues>
consteval bool check_types() {
  check_operator<Op, A>();
  if constexpr (!is_valid_operator<Op, A>) return false;
  else {
    constexpr bool is_equality = [] {
      if constexpr (is_extended_lambda<Op> || std::is_same_v<A, bool>) return false;
      else return std::is_same_v<std::invoke_result_t<const Op&, const A&, const A&>, bool>;
    }();
    static_assert(!is_equality,
                  "warpfold: this operator returns bool: reduce_by_key takes the operator first, then the equality");
    constexpr bool has_key = std::is_trivially_copyable_v<Key>;
    static_assert(has_key, "warpfold: keys must be trivially copyable");
    constexpr bool is_passed = std::is_trivially_copyable_v<Equal> && !warpfold::detail::is_host_pointer<Equal>;
    static_assert(is_passed,
                  "warpfold: the equality must be a trivially copyable function object or lambda: it is passed to the "
                  "GPU by its bytes, and a function pointer is the host's");
    constexpr bool compares =
        is_extended_lambda<Equal> || std::is_invocable_r_v<bool, const Equal&, const Key&, const Key&>;
    static_assert(compares,
                  "warpfold: the equality must be callable as bool equal(Key, Key) const; without one, keys need ==");
    constexpr bool is_aligned = alignof(A) <= 16;
    static_assert(is_aligned, "warpfold: reduce_by_key takes accumulators that are aligned to 16 bytes at most");
    constexpr bool is_written = device_outputs<OutKeys, Key> && device_outputs<OutValues, A>;
    static_assert(is_written,
                  "warpfold: keys and results must be assignable to the items of out_keys and out_values: pass spans "
                  "of items that are not const");
    if constexpr (is_equality || !has_key || !is_passed || !compares || !is_aligned || !is_written) return false;
    else if constexpr (!warpfold::detail::check_transform<Transform, A, Value>()) return false;
    else return warpfold::detail::check_output<Op, A, std::remove_cvref_t<output_iterator_t<OutValues>>>();
  }
}

/// The number of items of keys and values, of which at least one is a range.
template <class Keys, class Values>
std::int64_t common_size(const char* function, const Keys& keys, const Values& values) {
  if constexpr (device_range<const Keys> && device_range<const Values>) {
    if (keys.size() != values.size())
      reject(function,
             "keys has " + std::to_string(keys.size()) + " items, values has " + std::to_string(values.size()));
    return static_cast<std::int64_t>(keys.size());
  } else if constexpr (device_range<const Keys>) return static_cast<std::int64_t>(keys.size());
  else return static_cast<std::int64_t>(values.size());
}

/// Keys or values as kernels read them.
template <class In> auto to_kernel_input(const In& in) {
  if constexpr (device_range<const In>) return to_pointer(in.data());
  else return to_kernel_iterator(in);
}

/// The number of runs that both outputs have room for: `items` if neither has a size.
template <class Keys, class Values>
std::int64_t common_capacity(const char* function, const output<Keys>& keys, const output<Values>& values,
                             std::int64_t items) {
  constexpr std::int64_t unknown = output<Keys>::unknown_size;
  if (keys.size != unknown && values.size != unknown && keys.size != values.size)
    reject(function, "out_keys has room for " + std::to_string(keys.size) + " runs, out_values for " +
                         std::to_string(values.size));
  return keys.size != unknown ? keys.size : values.size != unknown ? values.size : items;
}

/// Throws if one of the arguments shares memory with another one that is written. `count` items, `room` runs.
template <class Keys, class Values, class OutKeys, class OutValues, class OutCount, class A>
void check_apart(const char* function, const Keys& keys, const Values& values, std::int64_t count,
                 const OutKeys& out_keys, const OutValues& out_values, std::int64_t room, const OutCount& out_count,
                 const initial<A>& init) {
  const auto check_output_apart = [&](const char* argument, const auto& out, std::int64_t out_room) {
    host::check_apart(function, "keys", keys, count, argument, out, out_room);
    host::check_apart(function, "values", values, count, argument, out, out_room);
    host::check_initial_apart(function, "init", init, argument, out, out_room);
  };
  check_output_apart("out_keys", out_keys, room);
  check_output_apart("out_values", out_values, room);
  check_output_apart("out_count", out_count, 1);
  host::check_apart(function, "out_keys", out_keys, room, "out_values", out_values, room);
  host::check_apart(function, "out_keys", out_keys, room, "out_count", out_count, 1);
  host::check_apart(function, "out_values", out_values, room, "out_count", out_count, 1);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
