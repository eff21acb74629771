// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmented reduction as the sources have it: chunks of items that meet in pairs. A chunk is known by the piece of one of its
// segments: the first one (left-storing), or the last one (right-storing). Where two chunks meet, pieces of one segment
// combine; of two segments, the piece that nothing can join any more on the kept side is folded into that segment's output.
//
// Why that is right without locks, identities or cleared outputs, in whatever blocks and launches the pairs meet:
// - Left-storing. What is folded is the first piece of a right chunk. A segment that begins within some chunk is cut by the
//   borders of ever larger chunks to its right: its pieces are folded one after another, from left to right, by pairs one
//   above the other, with a barrier, a launch or a ticket between. Two pairs side by side never fold into one segment, since
//   of the chunks between them all would be that segment's. So out = op(out, piece) is ordered, and nobody else's.
// - The first fold is the one of a piece that begins its segment, and stores instead of reading. Each piece carries that
//   bit: it is known of an item by its neighbour, and of a combined piece by its left half.
// - Right-storing is the mirror: last pieces of left chunks, from right to left, out = op(piece, out); the first fold is the
//   one of a piece that ends its segment.
#pragma once
#include <cstdint>
#include <type_traits>
#include <warpfold/config.hpp>

namespace warpfold::thread {

/// How owner ids are kept: signed, since the sign is a flag. Of ids of 32 bits only signed ones stay as short.
template <class Id>
using owner_key =
    std::conditional_t<(sizeof(Id) < 4 || (sizeof(Id) == 4 && std::is_signed_v<Id>)), std::int32_t, std::int64_t>;

/// Consecutive items of one segment, folded.
template <class A, class Key> struct piece {
  A value{};
  Key key{};  ///< the owner; its complement where is_first()

  static __device__ piece of(const A& value, Key owner, bool is_first) { return {value, is_first ? ~owner : owner}; }
  __device__ Key owner() const { return key < 0 ? ~key : key; }
  /// Whether it is the first to be folded into the output: it begins its segment (left-storing), or ends it.
  __device__ bool is_first() const { return key < 0; }
};

/// The rule of the tree forms: the left piece stays. As an operator on pieces it makes any fold a segmented one.
template <class A, class Key, class Op> struct left_storing {
  static constexpr bool keeps_left = true;
  Op op;
  A* out;

  __device__ piece<A, Key> operator()(const piece<A, Key>& left, const piece<A, Key>& right) const {
    const Key owner = right.owner();
    if (left.owner() == owner) return {static_cast<A>(op(left.value, right.value)), left.key};
    out[owner] = right.is_first() ? right.value : static_cast<A>(op(out[owner], right.value));
    return left;
  }
};

/// The rule of the matrix form: the right piece stays.
template <class A, class Key, class Op> struct right_storing {
  static constexpr bool keeps_left = false;
  Op op;
  A* out;

  __device__ piece<A, Key> operator()(const piece<A, Key>& left, const piece<A, Key>& right) const {
    const Key owner = left.owner();
    if (owner == right.owner()) return {static_cast<A>(op(left.value, right.value)), right.key};
    out[owner] = left.is_first() ? left.value : static_cast<A>(op(left.value, out[owner]));
    return right;
  }
};

}  // namespace warpfold::thread
