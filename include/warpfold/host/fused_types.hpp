// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls ask of the operators of fuse.hpp and of their outputs: checks of types, and results of empty inputs.
#pragma once
#include <warpfold/host/identity_of_output.hpp>
#include <warpfold/host/type_checks.hpp>
#include <warpfold/outputs.hpp>

namespace warpfold {
template <class... Ops> struct fused_operator;
template <class Transform, class Op> struct transformed_operator;

namespace detail {

template <class Transform, class Op>
inline constexpr bool outgrows_items<transformed_operator<Transform, Op>> = outgrows_items<Op>;

/// Each output holds the identity of its operator.
template <class... Ops, class... As, class... Its>
  requires(sizeof...(As) == sizeof...(Ops) && sizeof...(Its) == sizeof...(Ops))
struct identity_of_output<fused_operator<Ops...>, fused<As...>, output_places<Its...>> {
  WARPFOLD_JIT static constexpr fused<As...> value() {
    return fused<As...>(identity_of_output<Ops, As, Its>::value()...);
  }
};
template <class... Ops, class... As, class... Ts>
  requires(sizeof...(As) == sizeof...(Ops) && sizeof...(Ts) == sizeof...(Ops))
struct identity_of_output<fused_operator<Ops...>, fused<As...>, fused<Ts...>*> {
  WARPFOLD_JIT static constexpr fused<As...> value() {
    return fused<As...>(identity_of_output<Ops, As, Ts*>::value()...);
  }
};
template <class... Ops> WARPFOLD_JIT consteval std::uint64_t find_modular_parts() {
  std::uint64_t parts = 0;
  int part = 0;
  ((parts |= (modular_parts<Ops> & 1) << part++), ...);
  return parts;
}
template <class... Ops>
inline constexpr std::uint64_t modular_parts<fused_operator<Ops...>> = find_modular_parts<Ops...>();

/// Checks each output against its result.
template <class... Ops, class... As, class... Its>
  requires(sizeof...(As) == sizeof...(Ops) && sizeof...(Its) == sizeof...(Ops))
inline constexpr bool outgrows_accumulator<fused_operator<Ops...>, fused<As...>, output_places<Its...>> =
    (outgrows_accumulator<Ops, As, Its> || ...);
template <class... Ops, class... As, class... Ts>
  requires(sizeof...(As) == sizeof...(Ops) && sizeof...(Ts) == sizeof...(Ops))
inline constexpr bool outgrows_accumulator<fused_operator<Ops...>, fused<As...>, fused<Ts...>*> =
    (outgrows_accumulator<Ops, As, Ts*> || ...);

}  // namespace detail
}  // namespace warpfold
