// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the types of a call, whose messages are plain words. A check is true if nothing is wrong. If it is false,
// the caller must instantiate nothing further: the errors that follow would bury the reason. check_operator is in
// operator_traits.hpp.
#pragma once
#include <warpfold/iterators.hpp>
#include <warpfold/narrowing.hpp>
#include <warpfold/operator_traits.hpp>

namespace warpfold::detail {

template <class F, class... Ts>
inline constexpr bool is_transform_of = std::is_invocable_v<callable_t<F>, const Ts&...>;

template <class A, class R>
inline constexpr bool can_accumulate = std::is_constructible_v<A, R> || is_half_like<std::remove_cvref_t<R>>;

/// Checks a transform of items of types `Ts...` whose results `Op` lifts to, or which convert to, the accumulator `A`.
template <class Op, class Transform, class A, class... Ts> WARPFOLD_JIT consteval bool check_transform() {
  constexpr bool is_passed = is_passed_by_bytes<Transform> && !is_host_pointer<Transform>;
  static_assert(!is_host_pointer<Transform>,
                "warpfold: the transform must be a function object or a lambda: a function pointer is the host's");
  static_assert(is_passed_by_bytes<Transform>,
                "warpfold: the transform must be trivially copyable: it is passed to the GPU by its bytes");
  static_assert(!is_device_lambda<Transform>,
                "warpfold: declare what the __device__ lambda returns, as in [] __device__(float x) -> double { ... }: "
                "the accumulator follows it, and the host cannot know it otherwise");
  if constexpr (!check_callable_on_device<Transform>()) return false;
  else if constexpr (is_passed && !is_device_lambda<Transform>) {
    static_assert(is_transform_of<Transform, Ts...>,
                  "warpfold: the transform must be callable with the items of the input, and const");
    if constexpr (is_transform_of<Transform, Ts...>) {
      using result = std::invoke_result_t<callable_t<Transform>, const Ts&...>;
      static_assert(!std::is_void_v<result>,
                    "warpfold: the transform returns nothing: it must return what is folded in place of the item");
      constexpr bool is_accumulated = lifts<Op, std::remove_cvref_t<result>> || can_accumulate<A, result>;
      static_assert(is_accumulated || std::is_void_v<result>,
                    "warpfold: the items, or what the transform returns, must convert to the accumulator type");
      return is_accumulated;
    } else return false;
  } else return false;
}

/// Whether results can outgrow the type of the items. Those of extrema and bit operators cannot. User's operators are
/// not known. With accumulate_in, the caller has chosen.
template <class Op> inline constexpr bool outgrows_items = is_one_of<Op, plus, multiplies>;

/// Which parts of `Op` compute modulo 2^n in integers: bit k for part k of a fused operator.
template <class Op>
inline constexpr std::uint64_t modular_parts = outgrows_items<plain_operator_t<Op>> || is_bitwise<plain_operator_t<Op>>;

/// Whether an output, as kernels get it, is wider than accumulators `A` whose results `Op` may outgrow. Not known of an
/// iterator without references.
template <class Op, class A, class Out>
inline constexpr bool outgrows_accumulator = outgrows_items<Op>&& is_wider<written_t<Out>, A>;

/// Whether an output, as kernels get it, gives references to items that are const.
template <class Out> inline constexpr bool is_const_output = false;
template <class Out>
  requires requires(const Out out) { *out; }
inline constexpr bool is_const_output<Out> =
    std::is_const_v<std::remove_reference_t<decltype(*std::declval<const Out&>())>>;

/// Checks whether an output, as kernels get it, takes an `R`.
template <class R, class Out> WARPFOLD_JIT consteval bool check_written() {
  constexpr bool is_output = requires(const Out out) { *out; }
  || requires(const Out out) { out[std::ptrdiff_t{}]; };
  static_assert(is_output && kernel_argument<Out>,
                "warpfold: out must be a device pointer, an iterator or a range of device memory; an iterator as the "
                "input is followed by a count or an end");
  static_assert(!is_const_output<Out>, "warpfold: the items of out must not be const");
  constexpr bool is_written = requires(const Out out, const R& value) { *out = value; }
  || requires(const Out out, const R& value) { out[std::ptrdiff_t{}] = value; }
  || converts_written<Out, R>;
  static_assert(is_written || !is_output || is_const_output<Out>,
                "warpfold: results must be assignable to the items of out: wf::indexed_value<T> of argmin, "
                "wf::best_items<T, K> of top_k<K>, wf::moments_of<> of moments; of fuse, wf::outputs(a, b, ...)");
  return is_written && kernel_argument<Out>;
}

/// Checks an output, as kernels get it.
template <class Op, class A, class Out> WARPFOLD_JIT consteval bool check_output() {
  if constexpr (!check_written<lowered_t<Op, A>, Out>()) return false;
  else {
    constexpr bool is_wider_output = outgrows_accumulator<Op, A, Out>;
    static_assert(
        !is_wider_output,
        "warpfold: out is wider than the accumulator, where the sum would wrap or round: accumulate in its type "
        "by wf::accumulate_in<T>(op), as in wf::accumulate_in<long long>(wf::plus{})");
    return !is_wider_output;
  }
}

/// Whether all types of a call fit together, without which nothing else must be instantiated. `Out` is the output as
/// kernels get it.
template <class Op, class Transform, class A, class Out, class... Items> WARPFOLD_JIT consteval bool check_types() {
  check_operator<Op, A>();
  if constexpr (!is_valid_operator<Op, A>) return false;
  else if constexpr (!check_transform<Op, Transform, A, Items...>()) return false;
  else return check_output<Op, A, Out>();
}

}  // namespace warpfold::detail
