// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns options.init into a kernel argument.
#pragma once
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/host/argument_checks.cuh>
#include <warpfold/operator_traits.hpp>

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

/// What joins a reduction of `items` items on its left: `init`, or, for an empty input without it, the operator's
/// identity. Throws std::invalid_argument if an empty input has neither.
template <class Op, class A>
grid::initial_value<A> initial_value_of(const char* function, const initial<A>& init, std::int64_t items) {
  using kind = typename grid::initial_value<A>::kind;
  if (init.has_value()) return {kind::value, init.value(), nullptr};
  if (init.pointer() != nullptr) {
    check_device_pointer(function, "init", init.pointer());
    return {kind::pointer, A{}, init.pointer()};
  }
  if (items > 0) return {};
  if constexpr (has_identity_v<Op, A>) return {kind::value, identity<Op, A>::value(), nullptr};
  else reject(function, "the input is empty, the operator has no identity, and no .init was given");
}

/// The result of an exclusive scan's first item where there is no init: the operator's identity.
template <class Op, class V> V first_without_init(const char* function) {
  if constexpr (has_identity_v<Op, V>) return identity<Op, V>::value();
  else reject(function, "the operator has no identity, and no .init was given");
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
