// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds a thread's registers by the canonical tree.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::thread {

/// values[0] op … op values[Count - 1], pairwise, in order, for any Count from 1. Needs no communication. `values` is
/// used up. (It recurses over `Stride`: a loop whose bounds depend on it would move `values` from registers to local
/// memory.)
template <int Stride = 1, int Count, class A, class Op> __device__ A fold(A (&values)[Count], Op op) {
  if constexpr (Stride < Count) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Count - Stride; i += 2 * Stride) values[i] = op(values[i], values[i + Stride]);
    return fold<2 * Stride>(values, op);
  } else return values[0];
}

/// fold over the first `count` values. `op` is not called with the others. With `count` < 1 the result means nothing.
template <int Stride = 1, int Count, class A, class Op> __device__ A fold(A (&values)[Count], Op op, int count) {
  if constexpr (Stride < Count) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Count - Stride; i += 2 * Stride)
      if (i + Stride < count) values[i] = op(values[i], values[i + Stride]);
    return fold<2 * Stride>(values, op, count);
  } else return values[0];
}

}  // namespace warpfold::thread
