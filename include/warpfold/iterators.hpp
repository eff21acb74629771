// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands for items in device memory: iterators and ranges, as inputs and as outputs.
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/standard.hpp>

namespace warpfold {

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
template <class P> WARPFOLD_JIT constexpr auto to_pointer(const P& pointer) {
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
template <class It> WARPFOLD_JIT constexpr auto to_kernel_iterator(const It& it) {
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
template <class Out> WARPFOLD_JIT constexpr auto to_output(Out&& out) {
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
/// Whether results of type `T` are converted to the items of `Out`, which would not take them: to fp8 and narrower.
template <class Out, class T>
inline constexpr bool converts_written = is_storage_float<written_t<Out>> && !std::is_same_v<written_t<Out>, T> &&
                                         std::is_constructible_v<written_t<Out>, T>;
}  // namespace detail

/// Where one `T` can be written: a pointer, an iterator that device code can assign through (thrust::discard_iterator,
/// thrust::transform_output_iterator, …), or the first item of a range. `Out` is a forwarding reference's type.
template <class Out, class T>
concept device_output = detail::kernel_argument<std::remove_cvref_t<output_iterator_t<Out>>> &&
    (detail::converts_written<std::remove_cvref_t<output_iterator_t<Out>>, T> ||
     requires(const output_iterator_t<Out> out, const T& value) { *out = value; });

/// Where many `T` can be written: a pointer, an iterator or a range that device code can index.
template <class Out, class T>
concept device_outputs = detail::kernel_argument<std::remove_cvref_t<output_iterator_t<Out>>> &&
    (detail::converts_written<std::remove_cvref_t<output_iterator_t<Out>>, T> ||
     requires(const output_iterator_t<Out> out, const T& value) { out[std::ptrdiff_t{}] = value; });

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

}  // namespace warpfold
