// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller may say beside input, output and operator.
#pragma once
#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <warpfold/config.hpp>

namespace warpfold {

/// The value that joins a reduction on its left, exactly once: nothing, a value, or a pointer to one in device memory,
/// which is read when the reduction runs.
template <class A> class initial {
 public:
  constexpr initial() = default;
  constexpr initial(const A& value) : value_(value), has_value_(true) {}
  template <class T>
    requires(std::convertible_to<T, A> && !std::is_same_v<std::remove_cvref_t<T>, initial> &&
             !std::is_pointer_v<std::remove_cvref_t<T>>)
  constexpr initial(T&& value) : value_(static_cast<A>(std::forward<T>(value))), has_value_(true) {}
  constexpr initial(const A* device_value) : pointer_(device_value) {}

  constexpr bool has_value() const { return has_value_; }
  constexpr const A& value() const { return value_; }
  constexpr const A* pointer() const { return pointer_; }
  constexpr explicit operator bool() const { return has_value_ || pointer_ != nullptr; }

 private:
  A value_{};
  bool has_value_ = false;
  const A* pointer_ = nullptr;
};

/// The scratch that a call uses: a `workspace`, what `initialize_workspace` returned, or, by default, scratch that
/// Warpfold brings. Plain bytes do not convert to it: kernels would find no zero control words in them, and write no
/// result.
struct workspace_ref {
  std::span<std::byte> bytes;  ///< empty by default

  constexpr workspace_ref() = default;
  /// Bytes that initialize_workspace has returned before, for callers who kept only the bytes.
  static constexpr workspace_ref from_initialized(std::span<std::byte> bytes) { return workspace_ref(bytes); }

 private:
  constexpr explicit workspace_ref(std::span<std::byte> initialized) : bytes(initialized) {}
};

/// Options of reduce, transform_reduce and their _value forms, and of reduce_by_key. Their order is part of the
/// interface.
template <class A> struct reduce_options {
  cudaStream_t stream = {};
  initial<A> init = {};  ///< joins on the left, once; the result of reducing an empty input; by key: joins each run
  workspace_ref workspace = {};  ///< scratch; without it Warpfold uses one of its own for this stream
  int max_blocks = 0;            ///< bounds the grid, 0 for none: leaves multiprocessors to others; never changes a bit
};

/// Options of segmented_reduce; this order is part of the interface.
template <class A> struct segmented_options {
  cudaStream_t stream = {};
  initial<A> init = {};   ///< joins each segment on the left, once
  initial<A> empty = {};  ///< the result of an empty segment, as it is; without it init, else the operator's identity
  workspace_ref workspace = {};  ///< scratch; without it Warpfold uses one of its own for this stream
  int max_blocks = 0;            ///< bounds the grid, 0 for none: leaves multiprocessors to others; never changes a bit
};

/// The default strategy: chosen by the item count, with every promise kept.
struct automatic {};

template <class S> inline constexpr bool is_strategy = false;
template <> inline constexpr bool is_strategy<automatic> = true;
template <class S>
concept reduction_strategy = is_strategy<S>;

/// The address that a pointer or contiguous iterator stands for. (std::to_address needs <memory>, a third of a second.)
template <class P> constexpr auto to_pointer(const P& pointer) {
  if constexpr (std::is_pointer_v<P>) return pointer;
  else return pointer.operator->();
}

/// A contiguous range of device items: std::span, cuda::std::span, device vectors.
template <class R>
concept device_range = requires(R& r) {
  { r.data() } -> std::contiguous_iterator;
  { r.size() } -> std::convertible_to<std::size_t>;
};
template <device_range R> using item_t = std::iter_value_t<decltype(std::declval<R&>().data())>;

/// Anything that can be indexed in device code.
template <class It>
concept item_iterator = std::is_trivially_copyable_v<It> && requires(const It it) {
  typename std::iter_value_t<It>;
  it[std::iter_difference_t<It>{}];
};

/// Where a result goes: a pointer, or an iterator that can be dereferenced and assigned.
template <class O, class A>
concept device_output = !device_range<O> && std::indirectly_writable<O, A>;

template <class T> inline constexpr bool is_options = false;
template <class A> inline constexpr bool is_options<reduce_options<A>> = true;
template <class A> inline constexpr bool is_options<segmented_options<A>> = true;
template <class Op>
concept operator_argument = !is_options<Op>;

}  // namespace warpfold
