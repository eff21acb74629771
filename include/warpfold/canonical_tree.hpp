// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The canonical tree: the one association that every default reduction of Warpfold follows, and its replay on the CPU.
//
// Leaf i is the accumulator of item i. Node (j, k) covers the items [k * 2^j, (k + 1) * 2^j) that exist: it is
// op(left, right) of its two halves, or left alone where right is empty. For seven items:
//
//   level 3                 (3,0)
//   level 2         (2,0)           (2,1)
//   level 1     (1,0)   (1,1)   (1,2)   |
//   level 0     x0 x1   x2 x3   x4 x5   x6        ((x0+x1)+(x2+x3)) + ((x4+x5)+x6)
//
// It depends on the item count alone. Lanes, warps, tiles and grids may be cut anywhere at powers of two, as the
// hardware likes, and the bits stay the same. It is pairwise summation: the rounding error of a float sum grows with
// ceil(log2 N). It is also the association that WG21's paper P4016 proposes for C++; tests reproduce the paper's sums.
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::canonical_tree {

/// Folds items pushed one after another, in at most 64 partial results: a binary counter whose bit j says whether a
/// finished node of level j waits for its right sibling. A push takes O(1) amortised. The first item pushed is item
/// number `first`; subtrees that contain no items are skipped.
template <class A, class Op> class counter {
 public:
  __host__ __device__ explicit counter(Op op, std::uint64_t first = 0) : op_(op), count_(first) {}

  /// Adds the next item.
  __host__ __device__ void push(A value) {
    int level = 0;
    for (std::uint64_t n = count_; n & 1; n >>= 1, ++level)
      if (exists_ >> level & 1) value = op_(waiting_[level], value);
    waiting_[level] = value;
    exists_ = (exists_ >> level | 1) << level;  // the nodes of lower levels have been joined
    ++count_;
  }

  /// The root; at least one item must have been pushed.
  __host__ __device__ A root() const {
    int level = 0;
    while (!(exists_ >> level & 1)) ++level;
    A value = waiting_[level];
    for (++level; level < 64 && exists_ >> level; ++level)
      if (exists_ >> level & 1) value = op_(waiting_[level], value);
    return value;
  }

  __host__ __device__ std::uint64_t count() const { return count_; }  ///< of the next item

 private:
  Op op_;
  std::uint64_t count_, exists_ = 0;
  A waiting_[64];
};

/// Leaf `index` of the tree, whose item is `item`.
template <class A, class Op, class T> WARPFOLD_JIT A leaf(const Op& op, const T& item, std::int64_t index) {
  if constexpr (lifts<Op, T>) return detail::convert<A>(detail::lift(op, item, index));
  else return detail::convert<A>(item);
}

/// The accumulator that reduce computes, to the bit, on the CPU: `first[0] … first[count - 1]`, count > 0, no init.
template <class It, class Op, class T = std::remove_cvref_t<decltype(std::declval<It&>()[std::int64_t{}])>>
WARPFOLD_JIT accumulator_t<Op, T> replay(It first, std::int64_t count, Op op) {
  using A = accumulator_t<Op, T>;
  counter<A, Op> tree(op);
  for (std::int64_t i = 0; i < count; ++i) tree.push(leaf<A>(op, static_cast<T>(first[i]), i));
  return tree.root();
}

/// The value that reduce_by_key computes, to the bit, for the run first[begin] … first[end - 1], begin < end, on the
/// CPU: the joins of the tree over all items that lie within the run. Items outside the run do not matter.
template <class It, class Op, class T = std::remove_cvref_t<decltype(std::declval<It&>()[std::int64_t{}])>>
WARPFOLD_JIT accumulator_t<Op, T> replay_part(It first, std::int64_t begin, std::int64_t end, Op op) {
  using A = accumulator_t<Op, T>;
  counter<A, Op> tree(op, static_cast<std::uint64_t>(begin));
  for (std::int64_t i = begin; i < end; ++i) tree.push(leaf<A>(op, static_cast<T>(first[i]), i));
  return tree.root();
}

}  // namespace warpfold::canonical_tree
