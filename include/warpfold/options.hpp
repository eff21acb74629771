// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of calls, beside input, output and operator.
#pragma once
#include <cstddef>
#include <span>
#include <type_traits>
#include <warpfold/iterators.hpp>
#include <warpfold/narrowing.hpp>
#include <warpfold/stream_argument.hpp>

namespace warpfold {

/// The value that joins a reduction on its left, exactly once: nothing, a value, or a pointer to one in device memory,
/// which is read when the reduction runs. A value of a wider type than `A` does not compile: it would lose what the
/// caller meant it to hold. A value that only this `A` cannot hold, such as -1 as an unsigned one, is refused by the
/// call, unless the operator computes modulo 2^n.
template <class A> class initial {
 public:
  static_assert(std::is_trivially_copyable_v<A> && std::is_default_constructible_v<A>,
                "warpfold: the accumulator type must be trivially copyable and default constructible");

  constexpr initial() = default;
  constexpr initial(const A& value) : value_(value), has_value_(true) {}
  template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, initial> && !std::is_convertible_v<T, const A*>)
  constexpr initial(T&& value) : value_(converted<std::remove_cvref_t<T>>(value)), has_value_(true) {
    using U = std::remove_cvref_t<T>;
    static_assert(!detail::is_wider<U, A>,
                  "warpfold: .init is wider than the accumulator: convert it, or accumulate in its type by "
                  "wf::accumulate_in<T>(op), as in wf::accumulate_in<long long>(wf::plus{})");
    static_assert(detail::is_value_of<U, A> || detail::is_wider<U, A>,
                  "warpfold: .init must convert to the accumulator type, or point to such a value in device memory");
    if constexpr (detail::is_value_of<U, A>) detail::conversion<U, A>::note_loss(lost_, value, 0);
  }
  constexpr initial(const A* device_value) : pointer_(device_value) {}

  constexpr bool has_value() const { return has_value_; }               ///< whether it holds a value
  constexpr const A& value() const { return value_; }                   ///< where it holds one
  constexpr const A* pointer() const { return pointer_; }               ///< to a value in device memory, or null
  constexpr const detail::lost_numbers& lost() const { return lost_; }  ///< what `A` could not hold
  constexpr explicit operator bool() const { return has_value_ || pointer_ != nullptr; }

 private:
  template <class T> static constexpr A converted(const T& value) {
    if constexpr (detail::is_value_of<T, A>) return detail::convert<A>(value);
    else return A{};
  }

  // Without a default constructor the static_assert above is all that is said.
  std::conditional_t<std::is_default_constructible_v<A>, A, const A*> value_{};
  bool has_value_ = false;
  const A* pointer_ = nullptr;
  detail::lost_numbers lost_ = {};
};

/// The scratch that a call uses: a `workspace`, what `initialize_workspace` returned, or, by default, scratch that
/// Warpfold brings. Plain bytes do not convert to it: kernels would find no zero control words in them, and write no
/// result.
struct workspace_ref {
  std::span<std::byte> bytes;  ///< empty by default

  constexpr workspace_ref() = default;
  /// Refused.
  template <class T> constexpr workspace_ref(T*) {
    static_assert(
        !std::is_pointer_v<T*>,
        "warpfold: .workspace takes a wf::workspace itself, or what wf::initialize_workspace returned for bytes "
        "of yours, not a pointer");
  }
  /// Bytes that initialize_workspace has returned before, for callers who kept only the bytes.
  static constexpr workspace_ref from_initialized(std::span<std::byte> bytes) { return workspace_ref(bytes); }

 private:
  constexpr explicit workspace_ref(std::span<std::byte> initialized) : bytes(initialized) {}
};

/// Options of reduce, transform_reduce and their _value forms, of reduce_by_key, and of the scans. Their order is part
/// of the interface.
template <class A> struct reduce_options {
  stream_argument stream = {};  ///< in whose order the call runs
  initial<A> init = {};  ///< joins on the left, once; the result of reducing an empty input; by key: joins each run
  workspace_ref workspace = {};  ///< scratch; without it Warpfold uses one of its own for this stream
  int max_blocks = 0;            ///< bounds the grid, 0 for none: leaves multiprocessors to others; never changes a bit
};

/// Options of segmented_reduce; this order is part of the interface.
template <class A> struct segmented_options {
  stream_argument stream = {};  ///< in whose order the call runs
  initial<A> init = {};         ///< joins each segment on the left, once
  initial<A> empty = {};  ///< the result of an empty segment, as it is; without it init, else the operator's identity
  workspace_ref workspace = {};  ///< scratch; without it Warpfold uses one of its own for this stream
  int max_blocks = 0;            ///< bounds the grid, 0 for none: leaves multiprocessors to others; never changes a bit
};

/// The default strategy: chosen by the item count, with every promise kept.
struct automatic {};

/// Whether `S` is a strategy: `automatic`, or one of strategies.cuh.
template <class S> inline constexpr bool is_strategy = false;
template <> inline constexpr bool is_strategy<automatic> = true;
/// A type for which is_strategy holds.
template <class S>
concept reduction_strategy = is_strategy<S>;

/// Whether `T` is a type of options, which an operator never is.
template <class T> inline constexpr bool is_options = false;
template <class A> inline constexpr bool is_options<reduce_options<A>> = true;
template <class A> inline constexpr bool is_options<segmented_options<A>> = true;
/// What may stand where an operator goes: no options.
template <class Op>
concept operator_argument = !is_options<Op>;

}  // namespace warpfold
