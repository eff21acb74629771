// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The traits of an operator: accumulator, identity, exactness, commutativity, hardware mapping. Each can be specialised
// for a user's operator; none has to be.
//
// An operator may also have members that make accumulators of items, and results of accumulators:
//
//   A lift(const T& item) const                      the accumulator of an item (of what the transform returns)
//   A lift(const T& item, std::int64_t index) const  the same with the item's number in the input
//   R lower(const A& value) const                    the result; without it the accumulator is the result
//   R lower(const A& value, std::int64_t begin) const  the same for a segment that begins with item number `begin`
//
//   A lift_chunk(const T (&items)[N]) const          optional, for speed: the tree over N consecutive items, lifted, to
//                                                    the bit; N is a power of two
//
// If accumulators hold how many items count (NaN may not), an operator may have, for speed, others for nodes whose
// items all count. If no item is skipped, a node's count follows from its position, and need not travel:
//
//   full                                             the accumulator of such a node; if empty, nothing is folded
//   bool skips_nan                                   whether NaN are skipped; all other items count
//   full lift_full(const T& item) const              of an item that counts
//   full join_full(const full& a, const full& b, std::int64_t items) const   of neighbours of `items` items each
//   A of_full(const full& value, std::int64_t items) const                   the accumulator, to the bit
//   A join_fewer(const full& left, std::int64_t items, const A& right) const optional: the join of a node of `items`
//                                                    items and its neighbour of fewer, all of which count, to the bit
//   bool all_count(const A& value) const             optional: false if a NaN was folded as if it counted
//   static bool fold_few(const T (&items)[7], int count, A& value)   optional: the tree over the first `count` > 0
//                                                    items; returns false if a NaN among them does not count
//
// Of numbers, these may also get zeros in place of missing items; the results are discarded. Full nodes are folded by
// reduce, and by reductions of segments and over axes. Those of a fused operator are its parts'.
//
// A mean's count follows from the number of items, which segmented_reduce and reduce_axes know where they write a
// result. So an operator that has an identity may name, for speed, a simpler one, which these fold instead:
//
//   S uncounted<T>() const                           an operator over items of type T, with accumulators of type B
//   A counted<A>(const B& value, std::int64_t items) const   the accumulator of `items` > 0 items, to the bit
//
// An accumulator may be a `sum` and something more that most items share, as log_sum_exp's greatest exponent. Then
// plain_terms<A> says, for speed, how items become plain terms of a sum: thread/item_terms.cuh calls its members. An
// operator that lifts items may say has_long_joins, for speed: kernels keep fewer copies of a join of some hundred
// instructions (segmented/code_size.cuh), as of accumulators of more than 16 bytes.
// So the mean is an operator over pairs of a sum and a count: it lifts x to {x, 1}, adds, and lowers to the quotient.
#pragma once
#include <warpfold/folded_type.hpp>
#include <warpfold/operators.hpp>
#include <warpfold/standard.hpp>

namespace warpfold {

namespace detail {
template <class Op> struct plain_operator { using type = Op; };
template <class A, class Op> struct plain_operator<accumulating<A, Op>> { using type = Op; };
template <class Op> using plain_operator_t = typename plain_operator<Op>::type;

template <class Op, class... Ops> inline constexpr bool is_one_of = (std::is_same_v<Op, Ops> || ...);
template <class Op> inline constexpr bool is_bitwise = is_one_of<Op, bit_and, bit_or, bit_xor>;
template <class Op> inline constexpr bool is_extremum = is_one_of<Op, minimum, maximum, minimum_number, maximum_number>;
template <class Op> inline constexpr bool is_logical = is_one_of<Op, logical_and, logical_or>;
template <class Op>
inline constexpr bool is_arithmetic = is_one_of<Op, plus, multiplies> || is_bitwise<Op> || is_extremum<Op>;

template <class T> struct promoted { using type = T; };
template <std::integral T>
  requires(sizeof(T) < 4)
struct promoted<T> {
  using type = std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>, int, unsigned>;
};
template <class T>
  requires is_half_like<T>
struct promoted<T> {
  using type = float;
};
template <is_storage_float T> struct promoted<T> { using type = float; };
/// Integers and floating-point numbers, as narrow as fp8.
template <class T>
concept is_real_number = is_integer<T> || is_real<typename promoted<T>::type>;

/// A transform returns this for items that it has refused by a message of its own. No other message follows.
struct refused {};
}  // namespace detail

/// Whether `Op` says how an item of type `T` becomes an accumulator, with or without its number in the input.
template <class Op, class T> inline constexpr bool lifts_indexed = requires(const Op& op, const T& item) {
  op.lift(item, std::int64_t{});
};
template <class Op, class T>
inline constexpr bool lifts = lifts_indexed<Op, T> || requires(const Op& op, const T& item) {
  op.lift(item);
};  ///< The same, without its number, too.

/// Whether op.lower makes the result of an accumulator of type `A`. Otherwise the accumulator is the result.
template <class Op, class A> inline constexpr bool lowers = requires(const Op& op, const A& value) { op.lower(value); };
/// Whether op.lower also takes the begin of the segment. Such an operator lowers without a begin, too.
template <class Op, class A> inline constexpr bool lowers_segments = requires(const Op& op, const A& value) {
  op.lower(value, std::int64_t{});
};
namespace detail {
template <class Op, class T> __host__ __device__ constexpr auto lift(const Op& op, const T& item, std::int64_t index) {
  if constexpr (lifts_indexed<Op, T>) return op.lift(item, index);
  else return op.lift(item);
}
/// For types of whole 64-bit words with padding: words(value) gives these words, with zeros where no member lies.
template <class T> struct padded {};
template <class Op, class A> struct lowered { using type = A; };
template <class Op, class A>
  requires lowers<Op, A>
struct lowered<Op, A> {
  using type = std::remove_cvref_t<decltype(std::declval<const Op&>().lower(std::declval<const A&>()))>;
};
/// Whether `Op` folds items of type `T` to accumulators of type `A` by an operator without the number of items.
template <class Op, class T, class A> WARPFOLD_JIT consteval bool find_folds_uncounted() {
  if constexpr (requires(const Op& op) { op.template uncounted<T>(); }) {
    using simple = decltype(std::declval<const Op&>().template uncounted<T>());
    return requires(const Op& op, const T& item, const simple& of_items) {
      { op.template counted<A>(lift(of_items, item, 0), std::int64_t{}) } -> std::same_as<A>;
    };
  } else return false;
}
template <class Op, class T, class A> inline constexpr bool folds_uncounted = find_folds_uncounted<Op, T, A>();
}  // namespace detail
/// What a reduction with `Op` returns.
template <class Op, class A> using lowered_t = typename detail::lowered<Op, A>::type;

/// The type in which `Op` accumulates items of type `T`: `T`, but float for half, bfloat16 and fp8, and 32 bits for
/// 8- and 16-bit integers with the arithmetic operators; bool for the logical ones. A user's operator: what it lifts
/// items to, else what it returns for two items, as std::reduce and CUB have it [P0571]; `T` if it cannot fold that.
template <class Op, class T> struct accumulator : detail::folded<Op, T> {};
template <class Op, class T>
  requires detail::is_arithmetic<Op>
struct accumulator<Op, T> : detail::promoted<T> {
};
template <class Op, class T>
  requires detail::is_logical<Op>
struct accumulator<Op, T> {
  using type = bool;
};
template <class Op, class T>
  requires lifts<Op, T>
struct accumulator<Op, T> {
  using type =
      std::remove_cvref_t<decltype(detail::lift(std::declval<const Op&>(), std::declval<const T&>(), std::int64_t{}))>;
};
template <class A, class Op, class T> struct accumulator<accumulating<A, Op>, T> { using type = A; };
template <class Op, class T> using accumulator_t = typename accumulator<Op, std::remove_cv_t<T>>::type;  ///< that type

/// identity<Op, A>::value(): the A with op(identity, x) == x == op(x, identity), where there is one. It is the result
/// of an empty input; no algorithm needs it. Of a sum it is +0, although only -0 keeps the bits of every x:
/// thread::exact_identity is the value that pads missing items.
template <class Op, class A> struct identity {};
template <class A>
  requires std::is_arithmetic_v<A>
struct identity<plus, A> {
  WARPFOLD_JIT static constexpr A value() { return A(0); }
};
template <class A>
  requires std::is_arithmetic_v<A>
struct identity<multiplies, A> {
  WARPFOLD_JIT static constexpr A value() { return A(1); }
};
template <class A>
  requires(detail::is_short_vector<A> || detail::is_complex<A> ||
           (detail::is_wide_integer<A> && !std::is_arithmetic_v<A>))
struct identity<plus, A> {
  WARPFOLD_JIT static constexpr A value() { return A{}; }
};
template <class A>
  requires(detail::is_complex<A> || (detail::is_wide_integer<A> && !std::is_arithmetic_v<A>))
struct identity<multiplies, A> {
  WARPFOLD_JIT static constexpr A value() { return A(1); }
};
template <class A>
  requires std::is_arithmetic_v<A>
struct identity<minimum, A> {
  using limits = std::numeric_limits<A>;
  WARPFOLD_JIT static constexpr A value() { return limits::has_infinity ? limits::infinity() : limits::max(); }
};
template <class A>
  requires std::is_arithmetic_v<A>
struct identity<maximum, A> {
  using limits = std::numeric_limits<A>;
  WARPFOLD_JIT static constexpr A value() { return limits::has_infinity ? -limits::infinity() : limits::lowest(); }
};
template <class A>
  requires std::is_arithmetic_v<A>
struct identity<minimum_number, A> {
  using limits = std::numeric_limits<A>;
  WARPFOLD_JIT static constexpr A value() { return limits::has_quiet_NaN ? limits::quiet_NaN() : limits::max(); }
};
template <class A>
  requires std::is_arithmetic_v<A>
struct identity<maximum_number, A> {
  using limits = std::numeric_limits<A>;
  WARPFOLD_JIT static constexpr A value() { return limits::has_quiet_NaN ? limits::quiet_NaN() : limits::lowest(); }
};
template <detail::is_integer A> struct identity<bit_and, A> {
  WARPFOLD_JIT static constexpr A value() { return static_cast<A>(-1); }
};
template <detail::is_integer A> struct identity<bit_or, A> {
  WARPFOLD_JIT static constexpr A value() { return A(0); }
};
template <detail::is_integer A> struct identity<bit_xor, A> {
  WARPFOLD_JIT static constexpr A value() { return A(0); }
};
// numeric_limits knows integers of 128 bits in GNU's modes only, where they are arithmetic types, too.
template <class A>
  requires(detail::is_wide_integer<A> && !std::is_arithmetic_v<A>)
struct identity<minimum, A> {
  WARPFOLD_JIT static constexpr A value() { return static_cast<A>(~uint128{} >> (static_cast<A>(-1) < A{})); }
};
template <class A>
  requires(detail::is_wide_integer<A> && !std::is_arithmetic_v<A>)
struct identity<maximum, A> {
  WARPFOLD_JIT static constexpr A value() { return static_cast<A>(~identity<minimum, A>::value()); }
};
template <class A>
  requires(detail::is_wide_integer<A> && !std::is_arithmetic_v<A>)
struct identity<minimum_number, A> : identity<minimum, A> {};
template <class A>
  requires(detail::is_wide_integer<A> && !std::is_arithmetic_v<A>)
struct identity<maximum_number, A> : identity<maximum, A> {};
template <> struct identity<logical_and, bool> {
  WARPFOLD_JIT static constexpr bool value() { return true; }
};
template <> struct identity<logical_or, bool> {
  WARPFOLD_JIT static constexpr bool value() { return false; }
};
template <class B, class Op, class A> struct identity<accumulating<B, Op>, A> : identity<Op, A> {};

template <class Op, class A> inline constexpr bool has_identity_v = requires {
  { identity<Op, A>::value() } -> std::convertible_to<A>;
};  ///< Whether there is an identity.

/// Whether any association of `op` over `A` gives the same bits (integers, extrema, bits): then scans are faster.
template <class Op, class A>
inline constexpr bool is_exact = detail::is_extremum<detail::plain_operator_t<Op>> ||
                                 detail::is_logical<detail::plain_operator_t<Op>> ||
                                 detail::is_one_of<detail::plain_operator_t<Op>, first, last> ||
                                 ((std::is_integral_v<A> ||
                                   detail::is_wide_integer<A>)&&detail::is_arithmetic<detail::plain_operator_t<Op>>);

/// Whether op(a, b) == op(b, a). Only finishes and kernels that say so rely on it.
template <class Op>
inline constexpr bool is_commutative =
    detail::is_arithmetic<detail::plain_operator_t<Op>> || detail::is_logical<detail::plain_operator_t<Op>>;

/// The hardware operation (redux.sync, atomics) that computes `Op`, if any does.
enum class hardware_operation { none, add, minimum, maximum, bit_and, bit_or, bit_xor };
/// hardware_operation_v, as a function.
template <class Op> WARPFOLD_JIT consteval hardware_operation find_hardware_operation_v() {
  using P = detail::plain_operator_t<Op>;
  if (std::is_same_v<P, plus>) return hardware_operation::add;
  if (detail::is_one_of<P, minimum, minimum_number>) return hardware_operation::minimum;
  if (detail::is_one_of<P, maximum, maximum_number>) return hardware_operation::maximum;
  if (std::is_same_v<P, bit_and>) return hardware_operation::bit_and;
  if (std::is_same_v<P, bit_or>) return hardware_operation::bit_or;
  if (std::is_same_v<P, bit_xor>) return hardware_operation::bit_xor;
  return hardware_operation::none;
}
/// The hardware operation that computes `Op`.
template <class Op> inline constexpr hardware_operation hardware_operation_v = find_hardware_operation_v<Op>();

template <class Op, class A>
inline constexpr bool is_operator_for = is_extended_lambda<Op> || requires(const Op op, const A a) {
  { op(a, a) } -> std::convertible_to<A>;
};  ///< Whether op(a, a) is an `A`. Of an extended lambda the host cannot know.

namespace detail {
template <class F> inline constexpr bool is_host_pointer = std::is_pointer_v<F> || std::is_member_pointer_v<F>;
}  // namespace detail

/// Whether `Op` can fold accumulators of type `A` on a GPU.
template <class Op, class A>
inline constexpr bool is_valid_operator =
    !std::is_same_v<A, detail::refused> && !detail::is_host_pointer<Op> && detail::is_callable_on_device<Op> &&
    detail::is_passed_by_bytes<Op> && detail::is_accumulator<A> && is_operator_for<Op, A>;

/// Explains a wrong operator in plain words: nvcc prints no reason for a failed concept. Nothing else should be
/// instantiated with an operator that is not valid: the errors that follow would bury the reason.
template <class Op, class A> WARPFOLD_JIT consteval void check_operator() {
  (void)detail::check_callable_on_device<Op>();
  static_assert(!std::is_arithmetic_v<Op>,
                "warpfold: a value stands where the operator goes: pass {.init = value} as the last argument");
  constexpr bool is_object_pointer = std::is_pointer_v<Op> && std::is_object_v<std::remove_pointer_t<Op>>;
  constexpr bool is_range = !is_operator_for<Op, A> && requires(const Op& op) { op.data(), op.size(); };
  static_assert(!is_object_pointer && !is_range,
                "warpfold: a pointer or a range stands where the operator goes, behind the output; a stream goes last, "
                "in braces: {.stream = s}");
  static_assert(!detail::is_host_pointer<Op> || is_object_pointer,
                "warpfold: the operator must be a function object or a lambda: a function pointer is the host's");
  static_assert(detail::is_passed_by_bytes<Op> || is_range,
                "warpfold: the operator must be trivially copyable: it is passed to the GPU by its bytes");
  static_assert(detail::is_accumulator<A>,
                "warpfold: the accumulator type must be trivially copyable and default constructible");
  static_assert(is_operator_for<Op, A> || std::is_same_v<A, detail::refused> || std::is_arithmetic_v<Op> ||
                    detail::is_host_pointer<Op> || is_range || !detail::is_callable_on_device<Op>,
                "warpfold: the operator must be callable as A op(A, A) const, where A is its accumulator type "
                "(warpfold::accumulator_t<Op, Item>; for another type use warpfold::accumulate_in<A>(op))");
}

}  // namespace warpfold
