// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins a lane's own value with the value it got in an xor exchange: upper lanes hold the right operand.
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/thread/choose.cuh>

namespace warpfold::warp {

/// op of both values in order: `own` is the right operand where `upper`.
template <class A, class Op> __device__ A join(bool upper, A own, A other, Op op) {
  if constexpr (is_commutative<Op> && std::is_arithmetic_v<A>)
    return op(own, other);  // the same bits, fewer selections
  else return op(thread::choose(upper, other, own), thread::choose(upper, own, other));
}

/// As join if the right operand exists; else the left operand, and `op` is not called.
template <class A, class Op> __device__ A join_if(bool right_exists, bool upper, A own, A other, Op op) {
  if (right_exists) return join(upper, own, other, op);
  return thread::choose(upper, other, own);
}

}  // namespace warpfold::warp
