// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of a thread's registers.
#pragma once
#include <warpfold/thread/missing_items.cuh>

namespace warpfold::thread {

/// The fold of the nodes on the left of some items, to which the nearest is pushed first.
template <class Op, class A> class left_fold {
 public:
  A all = none();

  /// Whether there is a fold. An identity stands for no node, if operations with it do no harm.
  __device__ bool exists() const { return may_combine_missing<Op, A> || has_node_; }
  __device__ void push(const A& node, const Op& op) {
    all = exists() ? op(node, all) : node;
    has_node_ = true;
  }

 private:
  __device__ static A none() {
    if constexpr (may_combine_missing<Op, A>) return exact_identity<Op, A>;
    else return A{};
  }

  bool has_node_ = false;
};

/// Each of the first `count` values becomes the fold of all values up to it: the canonical tree over them. `op` is not
/// called with the others. Cost: log2(Count) / 2 operations per value; one if is_exact. (Recurses over `Stride`,
/// as in thread::fold.)
template <int Stride = 1, int Count, class A, class Op>
__device__ void inclusive_scan(A (&values)[Count], Op op, int count = Count) {
  if constexpr (is_exact<Op, A>) {
    WARPFOLD_UNROLL
    for (int i = 1; i < Count; ++i)
      if (may_combine_missing<Op, A> || i < count) values[i] = op(values[i - 1], values[i]);
  } else if constexpr (Stride < Count) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Count; ++i)
      if ((i & Stride) != 0 && i < count) values[i] = op(values[(i & ~(Stride - 1)) - 1], values[i]);
    thread::inclusive_scan<2 * Stride>(values, op, count);
  }
}

}  // namespace warpfold::thread
