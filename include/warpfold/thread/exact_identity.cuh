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

/// That identity.
template <class Op, class A>
  requires has_exact_identity<Op, A>
inline constexpr A exact_identity = identity<Op, A>::value();

}  // namespace warpfold::thread
