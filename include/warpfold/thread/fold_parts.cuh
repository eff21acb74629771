// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds a fused operator part by part: each part folds the same loaded items, as a call with its operator alone would.
// So a lane holds the accumulators of one part at a time, and each part is folded in the way that is best for it.
#pragma once
#include <warpfold/standard.hpp>
#include <warpfold/thread/lift.cuh>

namespace warpfold::thread {

/// Whether `Op` consists of several operators (fuse.hpp): op.part<I>() for I < Op::part_count, over values whose part I
/// is value.get<I>().
template <class Op> inline constexpr bool is_fused = requires { Op::part_count; };

/// The bytes of the widest part of an accumulator `A`, or of all of it if it has no parts.
template <class A> inline constexpr std::size_t part_bytes = sizeof(A);
template <class A>
  requires requires { A::part_count; }
inline constexpr std::size_t part_bytes<A> = A::most_bytes;

/// The type of part `I` of an accumulator `A`. A class, since clang lets no device function name std::declval.
template <class A, std::size_t I> struct part_type {
  using type = std::remove_cvref_t<decltype(std::declval<A>().template get<I>())>;
};
template <class A, std::size_t I> using part_t = typename part_type<A, I>::type;

/// Part `I` of leaves that are made in an unknown way: each leaf is made, and its part is taken.
template <std::size_t I, class Leaves> struct leaves_part {
  static constexpr int chunk_items = Leaves::chunk_items;
  using chunk = typename Leaves::chunk;
  using source_type = void;
  using transform_type = void;
  using accumulator = part_t<typename Leaves::accumulator, I>;

  const Leaves& all;

  __device__ accumulator leaf(const chunk& from, int k) const { return all.leaf(from, k).template get<I>(); }
};

/// Part `I` of `from`, the leaves of the fused operator `op`. Its chunk is that of `from`, or a base of it.
template <std::size_t I, class Op, class Leaves> __device__ auto part_of(const Op&, const Leaves& from) {
  return leaves_part<I, Leaves>{from};
}
template <std::size_t I, class Op, class Transform, class Source, class A>
__device__ auto part_of(const Op& op, const leaves<Source, lifted<Op, Transform>, A>& from) {
  return lifted_leaves<part_t<A, I>>(op.template part<I>(), plain_source(from.source), from.transform.transform);
}

/// fold(leaves, op) for each part of a fused operator and of its leaves.
template <class A, class Op, class Leaves, class Fold>
__device__ A fold_parts(const Op& op, const Leaves& from, Fold fold) {
  const auto all = [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    A result;
    ((result.template get<Is>() = fold(part_of<Is>(op, from), op.template part<Is>())), ...);
    return result;
  };
  return all(std::make_index_sequence<Op::part_count>());
}

}  // namespace warpfold::thread
