// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is wrong with the types of a call, in plain words. Each check is true if nothing is; where one is false, the caller
// must instantiate nothing further, or the errors that follow bury the reason. check_operator is in operator_traits.hpp.
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/options.hpp>

namespace warpfold::detail {

template <class F, class... Ts>
inline constexpr bool is_transform_of =
    std::is_invocable_v<std::conditional_t<is_extended_lambda<F>, F&, const F&>, const Ts&...>;

template <class A, class R>
inline constexpr bool can_accumulate = std::is_constructible_v<A, R> || is_half_like<std::remove_cvref_t<R>>;

/// Of a transform of `Ts...` whose results are accumulated in `A`.
template <class Transform, class A, class... Ts> consteval bool check_transform() {
  constexpr bool is_passed = std::is_trivially_copyable_v<Transform> && !is_host_pointer<Transform>;
  static_assert(!is_host_pointer<Transform>,
                "warpfold: the transform must be a function object or a lambda: a function pointer is the host's");
  static_assert(std::is_trivially_copyable_v<Transform>,
                "warpfold: the transform must be trivially copyable: it is passed to the GPU by its bytes");
  static_assert(!is_device_lambda<Transform>,
                "warpfold: declare what the __device__ lambda returns, as in [] __device__(float x) -> double { ... }: "
                "the accumulator follows it, and the host cannot know it otherwise");
  if constexpr (is_passed && !is_device_lambda<Transform>) {
    static_assert(is_transform_of<Transform, Ts...>,
                  "warpfold: the transform must be callable with the items of the input, and const");
    if constexpr (is_transform_of<Transform, Ts...>) {
      using result = std::invoke_result_t<std::conditional_t<is_extended_lambda<Transform>, Transform&, const Transform&>,
                                          const Ts&...>;
      static_assert(can_accumulate<A, result>,
                    "warpfold: what the transform returns must convert to the accumulator type");
      return can_accumulate<A, result>;
    } else return false;
  } else return false;
}

/// Whether the bits that a sum or product loses in a narrow accumulator are gone for good. Extrema and bits lose none, of a
/// user's operator nothing is known, and accumulate_in says what is meant.
template <class Op> inline constexpr bool outgrows_accumulator = is_one_of<Op, plus, multiplies>;

/// Of an output `Out`, as kernels get it. Only pointers tell what they hold.
template <class Op, class A, class Out> consteval bool check_output() {
  constexpr bool is_wider_output = outgrows_accumulator<Op> && is_wider<std::remove_pointer_t<Out>, A>;
  static_assert(!is_wider_output,
                "warpfold: out is wider than the accumulator, where the sum would wrap or round: accumulate in its type by "
                "wf::accumulate_in<T>(op), as in wf::accumulate_in<long long>(wf::plus{})");
  return !is_wider_output;
}

}  // namespace warpfold::detail
