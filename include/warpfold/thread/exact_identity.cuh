// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Identities that can stand for what does not exist without changing a bit.
#pragma once
#include <warpfold/operator_traits.hpp>

namespace warpfold::thread {

/// Whether op(x, identity) has the bits of x. Known of the library's own operators over its own types only: a user may call
/// "identity" what is one up to rounding, or what only the host can make.
template <class Op, class A>
inline constexpr bool has_exact_identity = std::is_arithmetic_v<A>&& has_identity_v<Op, A> &&
                                           (warpfold::detail::is_arithmetic<warpfold::detail::plain_operator_t<Op>> ||
                                            warpfold::detail::is_logical<warpfold::detail::plain_operator_t<Op>>);

/// That identity.
template <class Op, class A>
  requires has_exact_identity<Op, A>
inline constexpr A exact_identity = identity<Op, A>::value();

}  // namespace warpfold::thread
