// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmented reduction as in Martín 2012. Chunks of items are joined in pairs. Each chunk keeps one piece of a segment:
// its first one (left-storing), or its last one (right-storing). When two chunks are joined and their pieces belong to
// one segment, the pieces combine. Else one piece is kept, and the other one is folded into its segment's output: in
// the left-storing form the right chunk's piece, in the right-storing form the left chunk's piece.
//
// This needs no locks, no identity and no cleared output, whatever blocks and launches join the pairs:
// - Left-storing. The piece that is folded is the first piece of a right chunk. A segment that begins within some chunk
//   is cut by the right borders of ever larger chunks. So its pieces are folded from left to right, by joins that
//   depend on one another: a barrier, a launch or a ticket lies between them. Two independent joins never fold into one
//   segment, since all chunks between them would belong to that segment. So out = op(out, piece) keeps order, and has
//   no race.
// - The first fold is that of the piece that begins its segment. It stores, and does not read. Each piece carries that
//   bit: an item gets it by a look at its left neighbour, a combined piece from its left half.
// - Right-storing is the mirror image: the last pieces of left chunks are folded from right to left by out = op(piece,
//   out), and the first fold is that of the piece that ends its segment.
#pragma once
#include <cstdint>
#include <type_traits>
#include <warpfold/config.hpp>

namespace warpfold::thread {

/// The type that keeps an owner. It is signed, since its sign is a flag: unsigned owners of 32 bits take 64.
template <class Id>
using owner_key =
    std::conditional_t<(sizeof(Id) < 4 || (sizeof(Id) == 4 && std::is_signed_v<Id>)), std::int32_t, std::int64_t>;

/// Consecutive items of one segment, folded.
template <class A, class Key> struct piece {
  A value{};
  Key key{};  ///< the owner, or its complement if is_first()

  static __device__ piece of(const A& value, Key owner, bool is_first) { return {value, is_first ? ~owner : owner}; }
  __device__ Key owner() const { return key < 0 ? ~key : key; }
  /// Whether it is the first piece to be folded into the output: it begins its segment (left-storing), or ends it.
  __device__ bool is_first() const { return key < 0; }
};

/// The rule of the tree forms, which keeps the left piece. As an operator on pieces it makes any fold a segmented one.
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

/// The rule of the matrix form, which keeps the right piece.
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
