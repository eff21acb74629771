// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a lane makes of its own value and the one it got in an xor exchange: upper lanes hold the right operand.
#pragma once
#include <cstdint>
#include <cstring>
#include <warpfold/operator_traits.hpp>

namespace warpfold::warp {

/// `condition ? a : b`, word by word: the choice between two objects is one of addresses, and puts both, and the array
/// that they come from, into local memory.
template <class A> __device__ A choose(bool condition, A a, A b) {
  if constexpr (std::is_scalar_v<A>) return condition ? a : b;
  else {
    constexpr int words = (sizeof(A) + 3) / 4;
    std::uint32_t from_a[words] = {}, from_b[words] = {};
    std::memcpy(from_a, &a, sizeof(A));
    std::memcpy(from_b, &b, sizeof(A));
    WARPFOLD_UNROLL
    for (int i = 0; i < words; ++i) from_a[i] = condition ? from_a[i] : from_b[i];
    std::memcpy(&a, from_a, sizeof(A));
    return a;
  }
}

/// op of both in order: `own` is the right operand where `upper`.
template <class A, class Op> __device__ A join(bool upper, A own, A other, Op op) {
  if constexpr (is_commutative<Op> && std::is_arithmetic_v<A>) return op(own, other);  // the same bits, fewer selections
  else return op(choose(upper, other, own), choose(upper, own, other));
}

/// As above, or the left one alone where the right one does not exist.
template <class A, class Op> __device__ A join_if(bool right_exists, bool upper, A own, A other, Op op) {
  if (right_exists) return join(upper, own, other, op);
  return choose(upper, other, own);
}

}  // namespace warpfold::warp
