// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The type in which a user's operator folds items, which follows what it returns for two of them.
#pragma once
#include <warpfold/arch/extended_lambda.cuh>
#include <warpfold/standard.hpp>

namespace warpfold::detail {
template <class A>
inline constexpr bool is_accumulator = std::is_trivially_copyable_v<A>&& std::is_default_constructible_v<A>;

/// The type as which the host calls an `F`: an extended lambda has no const call there.
template <class F> using callable_t = std::conditional_t<is_extended_lambda<F>, F&, const F&>;

/// The type that `Op` returns for two items, if it also folds that; else `T`. Not asked of a lambda whose
/// result the host cannot know.
template <class Op, class T> struct folded { using type = T; };
template <class Op, class T, class R> WARPFOLD_JIT consteval bool folds_results() {
  if constexpr (std::is_same_v<R, T>) return true;
  else if constexpr (std::is_convertible_v<const T&, R>)
    return is_accumulator<R> && std::is_invocable_r_v<R, callable_t<Op>, const R&, const R&>;
  else return false;
}
template <class Op, class T>
  requires(!is_device_lambda<Op> && std::is_invocable_v<callable_t<Op>, const T&, const T&>)
struct folded<Op, T> {
  using result = std::remove_cvref_t<std::invoke_result_t<callable_t<Op>, const T&, const T&>>;
  using type = std::conditional_t<folds_results<Op, T, result>(), result, T>;
};

}  // namespace warpfold::detail
