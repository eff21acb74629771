// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The canonical tree over values that a thread computes one after another, for several trees side by side.
#pragma once
#include <warpfold/thread/array.cuh>

namespace warpfold::thread {

/// A binary counter of nodes for each of `Trees` trees: the node of 2^j values waits for its right sibling while bit j
/// of the count is set. The lowest levels are registers. Higher ones, which are seldom touched, lie in local memory.
/// Cost of a push: one operation per tree on average. There are fewer than 2^Levels values.
template <int Trees, class A, int Levels = 31,
          int RegisterLevels = Trees * sizeof(A) <= 16   ? 3
                               : Trees * sizeof(A) <= 32 ? 2
                                                         : 1>
class node_counter {
 public:
  /// Pushes value number `index`, counted from 0, of each tree; or, with `first_level`, a constant, the nodes over the
  /// values index to index + 2^first_level - 1, where `index` is a multiple of 2^first_level. Uses up `values`.
  template <class Op> __device__ void push(unsigned index, A (&values)[Trees], Op op, int first_level = 0) {
    WARPFOLD_UNROLL
    for (int level = 0; level < register_levels; ++level) {
      if (level < first_level) continue;
      if (!(index >> level & 1)) return copy(low_[level], values);
      join_left(low_[level], values, op);
    }
    int level = greatest_of(register_levels, first_level);
    WARPFOLD_NO_UNROLL
    for (; index >> level & 1; ++level) join_left(high_[level - register_levels].values, values, op);
    copy(high_[level - register_levels].values, values);
  }

  /// Puts the nodes over 2^level values in their place, which holds nothing; or gives those that it holds.
  __device__ void put(int level, const A (&values)[Trees]) requires(RegisterLevels == 0) {
    copy(high_[level].values, values);
  }
  __device__ void get(int level, A (&values)[Trees]) const requires(RegisterLevels == 0) {
    copy(values, high_[level].values);
  }

  /// The roots over all `pushed` > 0 values.
  template <class Op> __device__ void total(unsigned pushed, A (&values)[Trees], Op op) const {
    bool found = false;
    const auto join = [&](const A(&node)[Trees]) {
      if (found) join_left(node, values, op);
      else copy(values, node);
      found = true;
    };
    WARPFOLD_UNROLL
    for (int level = 0; level < register_levels; ++level)
      if (pushed >> level & 1) join(low_[level]);
    WARPFOLD_NO_UNROLL
    for (int level = register_levels; pushed >> level != 0; ++level)
      if (pushed >> level & 1) join(high_[level - register_levels].values);
  }

 private:
  static constexpr int register_levels = RegisterLevels;
  struct nodes {
    A values[Trees];
  };

  __device__ static void copy(A (&to)[Trees], const A (&from)[Trees]) {
    WARPFOLD_UNROLL
    for (int t = 0; t < Trees; ++t) to[t] = from[t];
  }
  template <class Op> __device__ static void join_left(const A (&left)[Trees], A (&values)[Trees], Op op) {
    WARPFOLD_UNROLL
    for (int t = 0; t < Trees; ++t) values[t] = op(left[t], values[t]);
  }

  A low_[register_levels > 0 ? register_levels : 1][Trees];
  nodes high_[Levels - register_levels];
};

}  // namespace warpfold::thread
