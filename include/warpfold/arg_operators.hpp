// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that find where the smallest or the largest item lies: arg_minimum, arg_maximum, arg_extrema. They lift an
// item and its number in the input to an indexed_value, and work in every function that takes an operator;
// arg_reduce.cuh has functions of the usual names. For each of them:
//
// - Items are numbers, enumerations, or any type with < that is a strict weak order.
// - The value is an item of the input (half, bfloat16 and fp8 as float, narrow integers as int or unsigned), the index
//   is its number in the input, in 64 bits. An empty input has index -1; its value is the identity of the extremum, or
//   T{} for types without one, as enumerations and structures. For these only the index tells that no item exists.
// - Ties go to the first item, or to the last one (`ties`). -0 and +0 tie, as in NumPy; NaNs tie with each other.
// - A NaN wins over every number, so the result is the first NaN, as in NumPy (`nans::propagate`); or it loses to every
//   number (`nans::ignore`). If all items are NaN, the result is a NaN and its index also then. (NumPy's nanargmin
//   raises an error.)
// - The order of items is total up to ties, and ties are decided by position in the fold. So the operators are
//   associative over all values, with NaN and infinities, and any association gives the same bits. .init lies on the
//   left, before all items.
#pragma once
#include <warpfold/standard.hpp>
#include <warpfold/thread/narrowed_identity.cuh>

namespace warpfold {

/// An item and where it is. Index -1: there is none. `Index` is a signed integer.
template <class T, class Index = std::int64_t> struct indexed_value {
  T value;      ///< the item; of nothing, the extremum's identity
  Index index;  ///< its number; -1 of nothing

  __host__ __device__ friend constexpr bool operator==(const indexed_value& a, const indexed_value& b) {
    return a.value == b.value && a.index == b.index;
  }
  /// The same with another type of value or index: results can be written as {half, int}, say. Of nothing the value is
  /// the identity as far as a U can hold it.
  template <class U, class J>
    requires(detail::converts<U, T>)
  __host__ __device__ constexpr operator indexed_value<U, J>() const {
    return {index < 0 ? detail::saturated<U>(value) : detail::convert<U>(value), static_cast<J>(index)};
  }
};

/// The smallest and the largest item, and where they are.
template <class T, class Index = std::int64_t> struct indexed_extrema {
  indexed_value<T, Index> minimum;  ///< the smallest item
  indexed_value<T, Index> maximum;  ///< the largest one

  __host__ __device__ friend constexpr bool operator==(const indexed_extrema& a, const indexed_extrema& b) {
    return a.minimum == b.minimum && a.maximum == b.maximum;
  }
  template <class U, class J>
    requires(detail::converts<U, T>)
  __host__ __device__ constexpr operator indexed_extrema<U, J>() const { return {minimum, maximum}; }
};

/// Which of several equal items is taken.
enum class ties { first, last };
/// Whether a NaN wins over every number, or loses to it.
enum class nans { propagate, ignore };

namespace detail {

/// The type of the indices that an accumulator holds.
template <class A> struct index_of {};
template <class T, class Index> struct index_of<indexed_value<T, Index>> { using type = Index; };
template <class T, class Index> struct index_of<indexed_extrema<T, Index>> { using type = Index; };

template <class T>
  requires(std::is_trivially_copyable_v<T> && sizeof(T) < 8)
struct padded<indexed_value<T, std::int64_t>> {
  struct image {
    std::uint64_t word[2];
  };
  __host__ __device__ static image words(const indexed_value<T, std::int64_t>& of) {
    image all{{0, static_cast<std::uint64_t>(of.index)}};
    std::memcpy(all.word, &of.value, sizeof(T));
    return all;
  }
};
template <class T>
  requires requires { typename padded<indexed_value<T>>::image; }
struct padded<indexed_extrema<T, std::int64_t>> {
  struct image {
    std::uint64_t word[4];
  };
  __host__ __device__ static image words(const indexed_extrema<T, std::int64_t>& of) {
    const auto least = padded<indexed_value<T>>::words(of.minimum),
               greatest = padded<indexed_value<T>>::words(of.maximum);
    return {{least.word[0], least.word[1], greatest.word[0], greatest.word[1]}};
  }
};

/// Whether `a` comes before `b`: numbers in the order that `Smaller` asks for, NaN before or after all of them.
template <bool Smaller, nans Nans, class T> __host__ __device__ constexpr bool precedes(const T& a, const T& b) {
  const bool is_better = Smaller ? a < b : b < a;
  if constexpr (!std::is_floating_point_v<T>) return is_better;
  // `a` is better, or the two do not compare because `a` is NaN, not the other one.
  else return !(Smaller ? a >= b : b >= a) & (Nans == nans::propagate ? b == b : a == a);
}

/// The base of arg_minimum and arg_maximum. The members below operator() are for kernels, which first find the extremum
/// of many items, and then where it lies (thread/locate.cuh).
template <bool Smaller, ties Ties, nans Nans, class Index> struct arg_extremum {
  static_assert(std::is_signed_v<Index>, "warpfold: an index is a signed integer: -1 says that there is none");
  template <class T> using value_type = typename promoted<T>::type;

  template <class T>
    requires(detail::has_order<value_type<T>>)
  __host__ __device__ constexpr indexed_value<value_type<T>, Index> lift(const T& item, std::int64_t index) const {
    return {detail::convert<value_type<T>>(item), static_cast<Index>(index)};
  }
  template <has_order T>
  __host__ __device__ constexpr indexed_value<T, Index> operator()(const indexed_value<T, Index>& a,
                                                                   const indexed_value<T, Index>& b) const {
    if constexpr (!has_identity_v<extremum, T>) {
      const bool takes_b = b.index >= 0 && (a.index < 0 || replaces(b.value, a.value));
      return takes_b ? b : a;
    } else {
      const bool b_precedes = precedes<Smaller, Nans>(b.value, a.value),
                 a_precedes = precedes<Smaller, Nans>(a.value, b.value);  // no branches: all of it is computed
      const bool takes_b = Ties == ties::first ? b_precedes | ((a.index < 0) & !a_precedes)
                                               : !(a_precedes | ((b.index < 0) & !b_precedes));
      return {taken_value(takes_b, a.value, b.value), takes_b ? b.index : a.index};
    }
  }
  template <class T>
    requires(!std::is_same_v<Index, std::int64_t>)
  __host__ __device__ constexpr indexed_value<T> lower(const indexed_value<T, Index>& value) const { return value; }

  using located = void;  ///< marks the operators whose folds go by thread/locate.cuh
  /// operator() for accumulators that both have an item.
  template <class T>
  __host__ __device__ static constexpr indexed_value<T, Index> join_items(const indexed_value<T, Index>& earlier,
                                                                          const indexed_value<T, Index>& later) {
    const bool takes_later = replaces(later.value, earlier.value);
    return {taken_value(takes_later, earlier.value, later.value), takes_later ? later.index : earlier.index};
  }
  /// The value that is taken: of integers it is the extremum, which operators.hpp guards against the compiler.
  template <class T>
  __host__ __device__ static constexpr T taken_value(bool takes_later, const T& earlier, const T& later) {
    if constexpr (std::is_integral_v<T>) return extremum{}(earlier, later);
    else return takes_later ? later : earlier;
  }
  static constexpr bool takes_first = Ties == ties::first;
  using extremum = std::conditional_t<Nans == nans::propagate, std::conditional_t<Smaller, minimum, maximum>,
                                      std::conditional_t<Smaller, minimum_number, maximum_number>>;
  /// Whether a later item replaces an earlier one.
  template <class T> __host__ __device__ static constexpr bool replaces(const T& later, const T& earlier) {
    return takes_first ? precedes<Smaller, Nans>(later, earlier) : !precedes<Smaller, Nans>(earlier, later);
  }
  /// Whether an item ties with `best`, the extremum of all items.
  template <class T> __host__ __device__ static constexpr bool ties_with(const T& item, const T& best) {
    if constexpr (!std::is_floating_point_v<T>) return item == best;
    else if constexpr (Nans == nans::propagate) return (item == best) | (item != item);
    else return (item == best) | (best != best);
  }
  /// The accumulator of several items, the first of which has number `first`. locate(op) returns an indexed_value of
  /// 64 bits.
  template <class Locate> __host__ __device__ auto assemble(Locate locate, std::int64_t) const {
    const auto found = locate(*this);
    return indexed_value<decltype(found.value), Index>{found.value, static_cast<Index>(found.index)};
  }
  /// `value` with its index counted from `begin`.
  template <class T>
  __host__ __device__ static constexpr indexed_value<T> relative(const indexed_value<T, Index>& value,
                                                                 std::int64_t begin) {
    return {value.value, value.index < 0 ? std::int64_t{value.index} : value.index - begin};
  }
};

}  // namespace detail

/// The smallest item and its index.
template <ties Ties = ties::first, nans Nans = nans::propagate, class Index = std::int64_t>
struct arg_minimum : detail::arg_extremum<true, Ties, Nans, Index> {};

/// The largest item and its index.
template <ties Ties = ties::first, nans Nans = nans::propagate, class Index = std::int64_t>
struct arg_maximum : detail::arg_extremum<false, Ties, Nans, Index> {};

/// Both at once: an indexed_extrema.
template <ties Ties = ties::first, nans Nans = nans::propagate, class Index = std::int64_t> struct arg_extrema {
  using least = arg_minimum<Ties, Nans, Index>;     ///< finds one of both
  using greatest = arg_maximum<Ties, Nans, Index>;  ///< finds the other one
  using located = void;                             ///< for kernels, which then fold indices apart
  template <class T> using value_type = typename least::template value_type<T>;  ///< of a `T`

  template <class T>
    requires(detail::has_order<value_type<T>>)
  __host__ __device__ constexpr indexed_extrema<value_type<T>, Index> lift(const T& item, std::int64_t index) const {
    return {least{}.lift(item, index), greatest{}.lift(item, index)};
  }
  template <detail::has_order T>
  __host__ __device__ constexpr indexed_extrema<T, Index> operator()(const indexed_extrema<T, Index>& a,
                                                                     const indexed_extrema<T, Index>& b) const {
    return {least{}(a.minimum, b.minimum), greatest{}(a.maximum, b.maximum)};
  }
  template <class T>
    requires(!std::is_same_v<Index, std::int64_t>)
  __host__ __device__ constexpr indexed_extrema<T> lower(const indexed_extrema<T, Index>& value) const { return value; }
  template <class T>
  __host__ __device__ static constexpr indexed_extrema<T, Index> join_items(const indexed_extrema<T, Index>& earlier,
                                                                            const indexed_extrema<T, Index>& later) {
    return {least::join_items(earlier.minimum, later.minimum), greatest::join_items(earlier.maximum, later.maximum)};
  }
  template <class Locate> __host__ __device__ auto assemble(Locate locate, std::int64_t first) const {
    const auto smallest = least{}.assemble(locate, first);
    return indexed_extrema<decltype(smallest.value), Index>{smallest, greatest{}.assemble(locate, first)};
  }
  template <class T>
  __host__ __device__ static constexpr indexed_extrema<T> relative(const indexed_extrema<T, Index>& value,
                                                                   std::int64_t begin) {
    return {least::relative(value.minimum, begin), greatest::relative(value.maximum, begin)};
  }
};

/// `Op`, one of the operators above, with indices counted from the begin of the item's segment. For segmented_reduce
/// with segments whose begins are known: offsets, bounds, fixed_length. Elsewhere it is `Op`.
template <class Op> struct within_segment : Op {
  template <class A> __host__ __device__ constexpr auto lower(const A& value) const { return Op::relative(value, 0); }
  template <class A> __host__ __device__ constexpr auto lower(const A& value, std::int64_t begin) const {
    return Op::relative(value, begin);
  }
};
template <class Op> within_segment(Op) -> within_segment<Op>;

/// The accumulator of within_run.
template <class A> struct counted_from {
  A value;             ///< with indices from the begin of the array
  std::int64_t begin;  ///< number of the first item, -1 if there is none
};

/// `Op`, one of the operators above, with indices counted from the first item folded: of segments of any form, also
/// owners, and of runs of equal keys. Its accumulator carries the number of that item.
template <class Op> struct within_run : Op {
  template <class T>
    requires(lifts_indexed<Op, T>)
  __host__ __device__ constexpr auto lift(const T& item, std::int64_t index) const {
    return counted_from<decltype(Op::lift(item, index))>{Op::lift(item, index), index};
  }
  template <class A>
    requires requires(const Op& op, const A& value) { op(value, value); }
  __host__ __device__ constexpr counted_from<A> operator()(const counted_from<A>& a, const counted_from<A>& b) const {
    return {Op::operator()(a.value, b.value), a.begin < 0 ? b.begin : a.begin};
  }
  template <class A> __host__ __device__ constexpr auto lower(const counted_from<A>& all) const {
    return Op::relative(all.value, all.begin);
  }
  template <class Locate> __host__ __device__ auto assemble(Locate locate, std::int64_t first) const {
    const auto found = Op::assemble(locate, first);
    return counted_from<std::remove_const_t<decltype(found)>>{found, first};
  }
};
template <class Op> within_run(Op) -> within_run<Op>;

// ---- traits: the identity has index -1 ------------------------------------------------------------------------------
namespace detail {
template <class Op> inline constexpr bool is_arg = requires { Op::takes_first; }
|| requires { typename Op::greatest; };
template <class Op> inline constexpr bool is_arg<within_run<Op>> = true;
}  // namespace detail

template <class Op, class A>
  requires detail::is_arg<Op>
inline constexpr bool is_exact<Op, A> = true;

template <class Op, class T, class Index>
  requires(std::is_same_v<detail::plain_operator_t<Op>, Op>&& requires { typename Op::extremum; })
struct identity<Op, indexed_value<T, Index>> {
  WARPFOLD_JIT static constexpr indexed_value<T, Index> value() {
    if constexpr (has_identity_v<typename Op::extremum, T>)
      return {identity<typename Op::extremum, T>::value(), Index{-1}};
    else return {T{}, Index{-1}};
  }
};
template <class Op, class T, class Index>
  requires(std::is_same_v<detail::plain_operator_t<Op>, Op>&& requires { typename Op::greatest; })
struct identity<Op, indexed_extrema<T, Index>> {
  WARPFOLD_JIT static constexpr indexed_extrema<T, Index> value() {
    return {identity<typename Op::least, indexed_value<T, Index>>::value(),
            identity<typename Op::greatest, indexed_value<T, Index>>::value()};
  }
};
template <class Op, class A> struct identity<within_run<Op>, counted_from<A>> {
  WARPFOLD_JIT static constexpr counted_from<A> value() requires has_identity_v<Op, A> {
    return {identity<Op, A>::value(), -1};
  }
};

}  // namespace warpfold
