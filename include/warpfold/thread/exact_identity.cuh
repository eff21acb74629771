// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Identities that can pad missing items without changing a bit.
#pragma once
#include <warpfold/operator_traits.hpp>

namespace warpfold::thread {

/// Whether op(x, identity) has the bits of x. Only the library's own operators over arithmetic types are known to: a
/// user's identity may be one up to rounding, or a value that only the host can make.
template <class Op, class A>
inline constexpr bool has_exact_identity = std::is_arithmetic_v<A>&& has_identity_v<Op, A> &&
                                           (warpfold::detail::is_arithmetic<warpfold::detail::plain_operator_t<Op>> ||
                                            warpfold::detail::is_logical<warpfold::detail::plain_operator_t<Op>>);

/// That identity. Of floating-point sums it is -0, since -0 + +0 is +0. (identity<plus, A>, the sum of nothing, is +0.)
template <class Op, class A>
  requires has_exact_identity<Op, A>
inline constexpr A exact_identity =
    std::is_floating_point_v<A> && std::is_same_v<warpfold::detail::plain_operator_t<Op>, plus>
        ? static_cast<A>(-0.0)
        : identity<Op, A>::value();

}  // namespace warpfold::thread
