// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of calls, beside input, output and operator.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <warpfold/operator_traits.hpp>
#include <warpfold/stream_argument.hpp>

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
  static constexpr void note_loss(lost_numbers& lost, const T& given, int part) {
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

namespace detail {
// Thrust is recognised by argument-dependent lookup, since no header here includes it.

template <class A, class B> inline constexpr bool is_one_template = false;
template <template <class...> class Template, class... A, class... B>
inline constexpr bool is_one_template<Template<A...>, Template<B...>> = true;

/// thrust::device_ptr and its kin.
template <class P>
concept thrust_pointer = requires(const P& p) {
  requires std::is_pointer_v<decltype(p.get())>;
  requires std::same_as<decltype(raw_pointer_cast(p)), decltype(p.get())>;
};
/// The iterator of thrust's vectors, thrust::detail::normal_iterator, and no other adaptor of a pointer.
template <class P>
concept thrust_vector_iterator = requires(const P& p) {
  requires is_one_template<decltype(make_normal_iterator(p)), P>;
  p.base();
};
}  // namespace detail

/// An iterator that stands for a pointer: T*, a contiguous iterator of std or cuda::std, thrust::device_ptr, or the
/// iterator of a thrust::device_vector. Never a reverse or transform iterator.
template <class P>
concept pointer_like = (std::is_pointer_v<P> && std::is_object_v<std::remove_pointer_t<P>>) ||
                       std::contiguous_iterator<P> || detail::thrust_pointer<P> || detail::thrust_vector_iterator<P>;

/// The address that it stands for. (std::to_address needs <memory>, a third of a second.)
template <class P> constexpr auto to_pointer(const P& pointer) {
  if constexpr (std::is_pointer_v<P>) return pointer;
  else if constexpr (detail::thrust_pointer<P>) return pointer.get();
  else if constexpr (detail::thrust_vector_iterator<P>) return to_pointer(pointer.base());
  else return pointer.operator->();
}
/// What to_pointer returns.
template <pointer_like P> using pointer_t = decltype(to_pointer(std::declval<const P&>()));

/// A contiguous range of device items: std::span, cuda::std::span, thrust::device_vector, any with data() and size().
template <class R>
concept device_range = requires(R& r) {
  { r.data() } -> pointer_like;
  { r.size() } -> std::convertible_to<std::size_t>;
};
/// The type of a range's items.
template <device_range R>
using item_t = std::remove_cv_t<std::remove_pointer_t<pointer_t<decltype(std::declval<R&>().data())>>>;

namespace detail {
template <class T>
concept kernel_argument = std::copy_constructible<T> && needs_no_destructor<T>;

template <class It> struct iterator_item : std::indirectly_readable_traits<It> {};
template <pointer_like It> struct iterator_item<It> {
  using value_type = std::remove_cv_t<std::remove_pointer_t<pointer_t<It>>>;
};
}  // namespace detail

/// An iterator that device code can index with 64 bits: one that stands for a pointer, and takes the vector path, or
/// any else (thrust's and cuda's transform, counting, zip, … iterators), which is read item by item.
template <class It>
concept item_iterator =
    !device_range<It> && (pointer_like<It> || (detail::kernel_argument<It> && requires(const It it) {
                            typename std::iter_value_t<It>;
                            it[std::iter_difference_t<It>{}];
                          }));
/// Its items' type.
template <item_iterator It> using iterator_item_t = typename detail::iterator_item<It>::value_type;

/// Kernels get this for an iterator: the pointer that it stands for, or itself.
template <class It> constexpr auto to_kernel_iterator(const It& it) {
  if constexpr (pointer_like<It>) return to_pointer(it);
  else return it;
}

/// An output as kernels write it: a pointer or an iterator, and how many items it holds.
template <class It> struct output {
  static constexpr std::int64_t unknown_size = -1;  ///< of what is no range
  It first;                                         ///< where item 0 is written
  std::int64_t size = unknown_size;                 ///< in items
};

/// The output that a pointer, an iterator, a range, or what `outputs` returns (outputs.hpp) stands for.
template <class Out> constexpr auto to_output(Out&& out) {
  if constexpr (requires { out.to_output(); }) return out.to_output();
  else if constexpr (device_range<std::remove_reference_t<Out>>)
    return output<decltype(to_pointer(out.data()))>{to_pointer(out.data()), static_cast<std::int64_t>(out.size())};
  else {
    static_assert(std::copy_constructible<std::remove_cvref_t<Out>>,
                  "warpfold: out must be a device pointer, an iterator or a range of device memory");
    return output<decltype(to_kernel_iterator(out))>{to_kernel_iterator(out)};
  }
}
/// What kernels write through.
template <class Out> using output_iterator_t = decltype(to_output(std::declval<Out>()).first);

/// Whether an output knows how many items it holds: a range, or outputs with a range among them.
template <class Out> inline constexpr bool is_sized_output = device_range<std::remove_reference_t<Out>>;
template <class Out>
  requires requires { std::remove_cvref_t<Out>::is_sized; }
inline constexpr bool is_sized_output<Out> = std::remove_cvref_t<Out>::is_sized;

/// Where one `T` can be written: a pointer, an iterator that device code can assign through (thrust::discard_iterator,
/// thrust::transform_output_iterator, …), or the first item of a range. `Out` is a forwarding reference's type.
template <class Out, class T>
concept device_output = detail::kernel_argument<std::remove_cvref_t<output_iterator_t<Out>>> &&
    requires(const output_iterator_t<Out> out, const T& value) {
  *out = value;
};

/// Where many `T` can be written: a pointer, an iterator or a range that device code can index.
template <class Out, class T>
concept device_outputs = detail::kernel_argument<std::remove_cvref_t<output_iterator_t<Out>>> &&
    requires(const output_iterator_t<Out> out, const T& value) {
  out[std::ptrdiff_t{}] = value;
};

/// Outputs, whatever they take: functions accept them, and say in words if they cannot take the results of the call.
template <class Out>
concept any_device_output = detail::kernel_argument<std::remove_cvref_t<output_iterator_t<Out>>> &&
    requires(const output_iterator_t<Out> out) {
  *out;
};
/// The same for many items.
template <class Out>
concept any_device_outputs = detail::kernel_argument<std::remove_cvref_t<output_iterator_t<Out>>> &&
    requires(const output_iterator_t<Out> out) {
  out[std::ptrdiff_t{}];
};

namespace detail {
template <class Out> struct written { using type = void; };
template <class Out>
  requires std::is_lvalue_reference_v<decltype(*std::declval<const Out&>())>
struct written<Out> {
  using type = std::remove_cvref_t<decltype(*std::declval<const Out&>())>;
};
/// The type of the items that are written through `Out`, an output as kernels get it; void where assignments do as the
/// output likes.
template <class Out> using written_t = typename written<Out>::type;
}  // namespace detail

/// Whether `T` is a type of options, which an operator never is.
template <class T> inline constexpr bool is_options = false;
template <class A> inline constexpr bool is_options<reduce_options<A>> = true;
template <class A> inline constexpr bool is_options<segmented_options<A>> = true;
/// What may stand where an operator goes: no options.
template <class Op>
concept operator_argument = !is_options<Op>;

}  // namespace warpfold
