// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items out of range are never loaded, converted or combined. Where that cannot be observed, a kernel may leave out the
// test, which costs time. These three traits say where; a kernel asks only for what it does:
//
//   may_load_missing<Source>         reads items that do not exist, and does not use them
//   may_convert_missing<Leaves>      makes leaves of bytes that are no item, and does not use them
//   may_combine_missing<Op, A>       calls the operator with such leaves, or pads with exact_identity
//
// A kernel that does several of these asks for each. No trait follows from another.
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/thread/source.cuh>

namespace warpfold::thread {

/// Whether the memory behind the items may be read: the source says by `past_bytes` how many bytes of it.
template <class Source> inline constexpr bool may_load_missing = requires { Source::past_bytes; };

/// Whether any bytes may become a leaf: leaves are numbers as the items are, so nothing of the user's is called.
template <class Leaves> WARPFOLD_JIT consteval bool find_may_convert_missing() {
  if constexpr (std::is_arithmetic_v<typename Leaves::accumulator> &&
                std::is_same_v<typename Leaves::transform_type, no_transform>)
    return detail::is_number<typename Leaves::source_type::item>;
  else return false;
}
template <class Leaves> inline constexpr bool may_convert_missing = find_may_convert_missing<Leaves>();

/// Whether `Op` takes any value of type `A`, and has an identity for which op(x, identity) has the bits of x. Only the
/// library's own operators over arithmetic types are known to: a user's identity may be one up to rounding, or a value
/// that only the host can make.
template <class Op, class A>
inline constexpr bool may_combine_missing = std::is_arithmetic_v<A>&& has_identity_v<Op, A> &&
                                            (warpfold::detail::is_arithmetic<warpfold::detail::plain_operator_t<Op>> ||
                                             warpfold::detail::is_logical<warpfold::detail::plain_operator_t<Op>>);

/// The identity that changes no bit. For floating-point sums it is -0, since -0 + +0 is +0. (identity<plus, A>, the sum
/// of nothing, is +0.)
template <class Op, class A>
  requires may_combine_missing<Op, A>
inline constexpr A exact_identity =
    std::is_floating_point_v<A> && std::is_same_v<warpfold::detail::plain_operator_t<Op>, plus>
        ? static_cast<A>(-0.0)
        : identity<Op, A>::value();

}  // namespace warpfold::thread
