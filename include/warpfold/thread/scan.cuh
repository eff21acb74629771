// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of a thread's registers.
#pragma once
#include <warpfold/thread/missing_items.cuh>

namespace warpfold::thread {

/// Whether a scan may choose the cheapest association: all have the same bits, and an identity that changes no bit may
/// stand for missing items.
template <class Op, class A> inline constexpr bool may_reassociate = is_exact<Op, A>&& may_combine_missing<Op, A>;

/// Each of the first `count` values becomes the fold of all values up to it: the canonical tree over them. `op` is not
/// called with the others. Cost: log2(Count) / 2 operations per value; one if may_reassociate. (Recurses over `Stride`,
/// as in thread::fold.)
template <int Stride = 1, int Count, class A, class Op>
__device__ void inclusive_scan(A (&values)[Count], Op op, int count = Count) {
  if constexpr (may_reassociate<Op, A>) {
    WARPFOLD_UNROLL
    for (int i = 1; i < Count; ++i) values[i] = op(values[i - 1], values[i]);
  } else if constexpr (Stride < Count) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Count; ++i)
      if ((i & Stride) != 0 && i < count) values[i] = op(values[(i & ~(Stride - 1)) - 1], values[i]);
    thread::inclusive_scan<2 * Stride>(values, op, count);
  }
}

}  // namespace warpfold::thread
