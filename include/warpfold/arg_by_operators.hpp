// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arg_minimum, arg_maximum and arg_extrema (arg_operators.hpp) in an order of the caller's: less(a, b) says whether `a`
// comes before `b`.
//
//   wf::reduce(in, out, wf::arg_minimum_by(less));              // what wf::argmin(in, out, less) does
//   wf::segmented_reduce(in, offsets, out, wf::arg_maximum_by<wf::ties::last>(less));
//
// The value is the item as it is. `less` must be a strict weak order: then the operators are associative. It is never
// asked of anything but items.
#pragma once
#include <warpfold/arg_operators.hpp>
#include <warpfold/standard.hpp>

namespace warpfold {

namespace detail {

/// Whether `Less` compares items of type `T`.
template <class Less, class T>
concept compares = is_extended_lambda<Less> || std::is_invocable_r_v<bool, const Less&, const T&, const T&>;

// All parameters are types: so is_passed_by_bytes finds a wrapped lambda among them.
template <class Less, class Smallest, class Ties> struct arg_extremum_by {
  Less less;

  template <class T>
  requires compares<Less, T> __host__ __device__ constexpr indexed_value<T> lift(const T& item,
                                                                                 std::int64_t index) const {
    return {item, index};
  }
  template <class T>
  __host__ __device__ constexpr indexed_value<T> operator()(const indexed_value<T>& earlier,
                                                            const indexed_value<T>& later) const {
    if (later.index < 0) return earlier;
    if (earlier.index < 0) return later;
    return replaces(later.value, earlier.value) ? later : earlier;
  }
  template <class T>
  __host__ __device__ static constexpr indexed_value<T> relative(const indexed_value<T>& value, std::int64_t begin) {
    return {value.value, value.index < 0 ? value.index : value.index - begin};
  }

 private:
  template <class T> __host__ __device__ constexpr bool replaces(const T& later, const T& earlier) const {
    if constexpr (Ties::value == ties::first) return Smallest::value ? less(later, earlier) : less(earlier, later);
    else return !(Smallest::value ? less(earlier, later) : less(later, earlier));
  }
};

template <class Less, class Ties> struct arg_extrema_by {
  Less less;

  template <class T>
  requires compares<Less, T> __host__ __device__ constexpr indexed_extrema<T> lift(const T& item,
                                                                                   std::int64_t index) const {
    return {{item, index}, {item, index}};
  }
  template <class T>
  __host__ __device__ constexpr indexed_extrema<T> operator()(const indexed_extrema<T>& earlier,
                                                              const indexed_extrema<T>& later) const {
    return {least{less}(earlier.minimum, later.minimum), greatest{less}(earlier.maximum, later.maximum)};
  }
  template <class T>
  __host__ __device__ static constexpr indexed_extrema<T> relative(const indexed_extrema<T>& value,
                                                                   std::int64_t begin) {
    return {least::relative(value.minimum, begin), greatest::relative(value.maximum, begin)};
  }

 private:
  using least = arg_extremum_by<Less, std::true_type, Ties>;
  using greatest = arg_extremum_by<Less, std::false_type, Ties>;
};

template <ties Ties> using ties_constant = std::integral_constant<ties, Ties>;

}  // namespace detail

/// The first item in the order `less` and its index: an indexed_value. Of nothing the index is -1.
template <ties Ties = ties::first, class Less> WARPFOLD_JIT constexpr auto arg_minimum_by(Less less) {
  return detail::arg_extremum_by<Less, std::true_type, detail::ties_constant<Ties>>{less};
}
/// The last item in the order `less` and its index.
template <ties Ties = ties::first, class Less> WARPFOLD_JIT constexpr auto arg_maximum_by(Less less) {
  return detail::arg_extremum_by<Less, std::false_type, detail::ties_constant<Ties>>{less};
}
/// Both at once: an indexed_extrema.
template <ties Ties = ties::first, class Less> WARPFOLD_JIT constexpr auto arg_extrema_by(Less less) {
  return detail::arg_extrema_by<Less, detail::ties_constant<Ties>>{less};
}

template <class Less, class Smallest, class Ties, class T>
struct identity<detail::arg_extremum_by<Less, Smallest, Ties>, indexed_value<T>> {
  WARPFOLD_JIT static constexpr indexed_value<T> value() { return {T{}, -1}; }
};
template <class Less, class Ties, class T> struct identity<detail::arg_extrema_by<Less, Ties>, indexed_extrema<T>> {
  WARPFOLD_JIT static constexpr indexed_extrema<T> value() { return {{T{}, -1}, {T{}, -1}}; }
};
template <class Less, class Smallest, class Ties, class A>
struct identity<within_segment<detail::arg_extremum_by<Less, Smallest, Ties>>, A>
    : identity<detail::arg_extremum_by<Less, Smallest, Ties>, A> {};
template <class Less, class Ties, class A>
struct identity<within_segment<detail::arg_extrema_by<Less, Ties>>, A>
    : identity<detail::arg_extrema_by<Less, Ties>, A> {};

}  // namespace warpfold
