// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The canonical tree over values that a warp computes one after another.
#pragma once
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::warp {

/// A binary counter in one register: lane j holds the finished node of 2^j values that waits for its right sibling. All
/// lanes call push with the same value. After n < 2^31 pushes, lane j holds a node if bit j of n is set; together these
/// nodes cover the n values, higher bits further left.
template <class A> class counter {
 public:
  /// Pushes value number `index`, counted from 0; or, with `level`, the node over the values index to index + 2^level -
  /// 1, where `index` is a multiple of 2^level. Cost: one shuffle and one operation on average.
  template <class Op> __device__ void push(unsigned index, A value, Op op, int level = 0) {
    for (; index >> level & 1; ++level) value = op(warp::shuffle(waiting_, level), value);
    if (arch::lane_id() == level) waiting_ = value;
  }

  __device__ const A& waiting() const { return waiting_; }

  /// The canonical tree over all `pushed` > 0 values. All lanes call it; valid in every lane.
  template <class Op> __device__ A total(unsigned pushed, Op op) const {
    A value = warp::shuffle(waiting_, __ffs(static_cast<int>(pushed)) - 1);
    for (unsigned left = pushed & (pushed - 1); left != 0; left &= left - 1)
      value = op(warp::shuffle(waiting_, __ffs(static_cast<int>(left)) - 1), value);
    return value;
  }

 private:
  A waiting_{};
};

}  // namespace warpfold::warp
