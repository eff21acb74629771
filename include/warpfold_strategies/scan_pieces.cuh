// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any scan as a segmented one, as in Dotsenko 2008 and Martín 2012: items are scanned as pieces of segments
// (piece.cuh). And where scans write: values, or the values of pieces.
#pragma once
#include <warpfold_strategies/piece.cuh>

namespace warpfold::thread {

/// The rule of scans: a chunk's piece is what the chunk holds of its last segment. Owners ascend, so two chunks whose
/// last owners are equal have no border of segments in the right one. Associative if `op` is.
template <class A, class Key, class Op> struct scanned_pieces {
  static constexpr bool keeps_left = true;
  Op op;
  A* out;  ///< not used: owned_leaves gives it to all rules

  __device__ piece<A, Key> operator()(const piece<A, Key>& left, const piece<A, Key>& right) const {
    if (left.owner() != right.owner()) return right;
    return {static_cast<A>(op(left.value, right.value)), right.key};
  }
};

}  // namespace warpfold::thread

namespace warpfold::grid {

/// The results of a scan of values.
template <class A> struct scan_values {
  using value = A;
  using scanned = A;
  A* out;

  __device__ A get(std::int64_t item) const { return out[item]; }
  __device__ void set(std::int64_t item, const A& result) const { out[item] = result; }
  /// Whether `item` is scanned from `before` on, the result of the items to its left.
  __device__ static bool continues(const A&, std::int64_t) { return true; }
};

/// The results of a scan of pieces, whose owners are `ids`.
template <class A, class Key, class Id> struct scan_segments {
  using value = A;
  using scanned = thread::piece<A, Key>;
  A* out;
  const Id* ids;

  __device__ scanned get(std::int64_t item) const { return scanned::of(out[item], static_cast<Key>(ids[item]), false); }
  __device__ void set(std::int64_t item, const scanned& result) const { out[item] = result.value; }
  __device__ bool continues(const scanned& before, std::int64_t item) const {
    return before.owner() == static_cast<Key>(ids[item]);
  }
};

}  // namespace warpfold::grid
