// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of several dimensions as callers pass them, and names of their axes.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <warpfold/options.hpp>

namespace warpfold {

inline constexpr int max_axes = 8;  ///< dimensions that an array may have

/// Axes by number, from 0 for the outermost; negative numbers count from the end. As an argument: the axes that are
/// reduced.
struct axes {
  int count = 0;              ///< of axes
  int number[max_axes] = {};  ///< of each axis

  template <std::integral... Numbers>
    requires(sizeof...(Numbers) <= max_axes)
  constexpr axes(Numbers... numbers) : count(sizeof...(Numbers)), number{static_cast<int>(numbers)...} {}
};

/// The same, named by what the output keeps: all other axes are reduced.
struct keep_axes : axes {
  using axes::axes;
};

/// The axis along which prefixes run, as `axes` name it, but from its last item to its first one (scan_axes.cuh).
struct backwards : axes {
  using axes::axes;
};

namespace detail {
template <class N>
concept axis_integer = std::convertible_to<const N&, std::int64_t> && !std::is_floating_point_v<N>;

/// An integer of any type: in braces, a std::size_t would be narrowed to a std::int64_t, which compilers refuse.
struct axis_number {
  std::int64_t value;
  template <axis_integer N> constexpr axis_number(const N& number) : value(static_cast<std::int64_t>(number)) {}
};

/// A number for each axis: integers of any types in braces, or an array of integers.
template <int Rank> struct axis_numbers {
  std::int64_t of[Rank > 0 ? Rank : 1] = {};

  template <axis_integer... Numbers>
    requires(sizeof...(Numbers) == Rank)
  constexpr axis_numbers(const Numbers&... numbers) : of{static_cast<std::int64_t>(numbers)...} {}
  template <axis_integer N, std::size_t Size>
    requires(Size == Rank)
  constexpr axis_numbers(const N (&numbers)[Size]) {
    for (int i = 0; i < Rank; ++i) of[i] = static_cast<std::int64_t>(numbers[i]);
  }
};
}  // namespace detail

/// An array of `Rank` dimensions behind a pointer, for those who have no mdspan. Lengths and strides are integers of
/// any types, in braces or an array. Strides count items, and may be negative or zero. Without strides the array is
/// contiguous, and the last axis the innermost; of strided(pointer, {...}) the type `IsContiguous` then, so that a sum
/// of the columns of a matrix compiles fewer kernels.
template <class T, int Rank, bool IsContiguous = false> struct strided {
  static_assert(0 <= Rank && Rank <= max_axes, "warpfold: an array has at most 8 dimensions");
  using index_type = std::int64_t;  ///< as mdspan has it

  T* data;                                                                            ///< item 0 of all axes
  std::int64_t extents[Rank > 0 ? Rank : 1] = {}, strides[Rank > 0 ? Rank : 1] = {};  ///< in items

  explicit constexpr strided(T* first) requires(Rank == 0) : data(first) {}
  constexpr strided(T* first, const detail::axis_numbers<Rank>& lengths) : data(first) {
    std::int64_t step = 1;
    for (int i = Rank - 1; i >= 0; --i) {
      extents[i] = lengths.of[i], strides[i] = step;
      step *= lengths.of[i];
    }
  }
  constexpr strided(T* first, const detail::axis_numbers<Rank>& lengths,
                    const detail::axis_numbers<Rank>& steps) requires(!IsContiguous)
      : data(first) {
    for (int i = 0; i < Rank; ++i) extents[i] = lengths.of[i], strides[i] = steps.of[i];
  }

  /// The same array, whose type does not say that it is contiguous.
  template <int Axes>
    requires(Axes == Rank && !IsContiguous)
  constexpr strided(const strided<T, Axes, true>& array) : strided(array.data, array.extents, array.strides) {}

  static constexpr std::size_t rank() { return Rank; }                             ///< the number of axes
  constexpr std::int64_t extent(std::size_t axis) const { return extents[axis]; }  ///< items along `axis`
  constexpr std::int64_t stride(std::size_t axis) const { return strides[axis]; }  ///< from one to the next
  constexpr T* data_handle() const { return data; }                                ///< as mdspan has it
};
template <class T> strided(T*) -> strided<T, 0>;
template <class T, detail::axis_integer N, int Rank> strided(T*, const N (&)[Rank]) -> strided<T, Rank, true>;
template <class T, int Rank> strided(T*, const detail::axis_number (&)[Rank]) -> strided<T, Rank, true>;
template <class T, detail::axis_integer N, int Rank>
strided(T*, const N (&)[Rank], const std::type_identity_t<detail::axis_numbers<Rank>>&) -> strided<T, Rank>;
template <class T, int Rank>
strided(T*, const detail::axis_number (&)[Rank], const std::type_identity_t<detail::axis_numbers<Rank>>&)
    -> strided<T, Rank>;

namespace detail {
template <class M> inline constexpr std::size_t rank_of = std::remove_cvref_t<M>::rank();

/// Arrays of no dimension need have no strides.
template <class M>
concept has_strides = rank_of<M>
== 0 || requires(const M& m) {
  { m.stride(0) } -> std::convertible_to<std::int64_t>;
};
}  // namespace detail

/// Any type with the members of an mdspan: std's, cuda::std's, Kokkos' and RAFT's, and `strided`. The accessor must be
/// one of plain pointers. The layout may be any with strides.
template <class M>
concept array_view = requires(const M& m) {
  { std::remove_cvref_t<M>::rank() } -> std::convertible_to<std::size_t>;
  { m.extent(0) } -> std::convertible_to<std::int64_t>;
  requires pointer_like<std::remove_cvref_t<decltype(m.data_handle())>>;
}
&&detail::has_strides<M>;

/// The type that a view's data_handle returns, and the type of its items.
template <array_view M> using view_handle_t = std::remove_cvref_t<decltype(std::declval<const M&>().data_handle())>;
/// The type of its items.
template <array_view M> using view_item_t = std::remove_cv_t<std::remove_pointer_t<pointer_t<view_handle_t<M>>>>;

}  // namespace warpfold
