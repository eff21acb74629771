// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns options.init and options.empty into kernel arguments.
#pragma once
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/host/argument_checks.cuh>
#include <warpfold/host/identity_of_output.hpp>
#include <warpfold/host/type_checks.hpp>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Throws if `argument`, .init or .empty, has a number that the accumulator cannot hold, and that is not in `allowed`.
inline void check_kept(const char* function, const char* argument, const warpfold::detail::lost_numbers& lost,
                       std::uint64_t allowed) {
  using part = warpfold::detail::message_part;
  if ((lost.parts & ~allowed) != 0)
    reject(function,
           {argument, " is ", lost.is_negative ? part(lost.value) : part(static_cast<unsigned long long>(lost.value)),
            ", which the accumulator cannot hold: accumulate in another type by wf::accumulate_in<T>(op)"});
}

/// `value`, which is the call's `argument`, as a kernel argument.
template <class A>
grid::initial_value<A> value_of(const char* function, const char* argument, const initial<A>& value) {
  using kind = typename grid::initial_value<A>::kind;
  if (value.has_value()) return {kind::value, value.value(), nullptr};
  if (value.pointer() == nullptr) return {};
  check_device_pointer(function, argument, value.pointer());
  return {kind::pointer, A{}, value.pointer()};
}

/// The value that joins results on their left: `init`, if it is given.
template <class Op, class A> grid::initial_value<A> initial_value_of(const char* function, const initial<A>& init) {
  check_kept(function, "init", init.lost(), warpfold::detail::modular_parts<Op>);
  return value_of(function, "init", init);
}

/// The value that is written through `Out` if nothing was folded: `init`, or else the operator's identity. Without
/// either, throws std::invalid_argument that says `reason`.
template <class Op, class Out, class A>
grid::initial_value<A> value_of_nothing(const char* function, const initial<A>& init,
                                        const char* reason =
                                            "the input is empty, the operator has no identity, and no "
                                            ".init was given") {
  if (init) return initial_value_of<Op>(function, init);
  if constexpr (has_identity_v<Op, A>)
    return {grid::initial_value<A>::kind::value, warpfold::detail::identity_of_output<Op, A, Out>::value(), nullptr};
  else reject(function, reason);
}

/// The initial value of a reduction of `items` items to one: without items, it is the result.
template <class Op, class Out, class A>
grid::initial_value<A> initial_value_of(const char* function, const initial<A>& init, std::int64_t items) {
  return items > 0 ? initial_value_of<Op>(function, init) : value_of_nothing<Op, Out>(function, init);
}

/// The value that is written through `Out` for an empty segment: `empty`, or else value_of_nothing.
template <class Op, class Out, class A>
grid::initial_value<A> empty_value_of(const char* function, const segmented_options<A>& options, const char* reason) {
  if (!options.empty) return value_of_nothing<Op, Out>(function, options.init, reason);
  using T = warpfold::detail::written_t<Out>;
  std::uint64_t allowed = 0;  // 1 for a number that the output holds, although the accumulator does not
  if constexpr (warpfold::detail::is_integer<T> && warpfold::detail::is_integer<A>)
    allowed = static_cast<T>(options.empty.value()) == static_cast<T>(options.empty.lost().value) &&
              options.empty.lost().is_negative == warpfold::detail::is_negative(static_cast<T>(options.empty.value()));
  check_kept(function, "empty", options.empty.lost(), allowed);
  return value_of(function, "empty", options.empty);
}

/// The first result of an exclusive scan into `Out` if there is no init: the operator's identity. Else V{}.
template <bool IsExclusive, class Op, class Out, class V>
V first_without_init(const char* function, const initial<V>& init) {
  if constexpr (IsExclusive) {
    if (init) return {};
    if constexpr (has_identity_v<Op, V>) return warpfold::detail::identity_of_output<Op, V, Out>::value();
    else reject(function, "the operator has no identity, and no .init was given");
  } else return {};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
