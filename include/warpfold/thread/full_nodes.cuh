// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full nodes: nodes of the canonical tree whose items all exist and count. Some operators' accumulators hold how many
// items count (operator_traits.hpp: full). Those of full nodes need not: the number follows from the position.
#pragma once
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/lift.cuh>

namespace warpfold::thread {

namespace detail {
template <class Op> inline constexpr bool tells_full_nodes = requires { typename Op::full; };
template <class Leaves> struct full_nodes_of { static constexpr bool exist = false; };
template <class Source, class Op, class Transform, class A>
  requires(!requires { typename Source::pair; } && tells_full_nodes<Op>)
struct full_nodes_of<leaves<Source, lifted<Op, Transform>, A>> {
  static constexpr bool exist = true;
  using accumulator = typename Op::full;
  using item = typename transformed_items<Transform, Source>::type;
};
}  // namespace detail

/// Whether the operator of these leaves has accumulators for full nodes, and whether these accumulators are empty.
template <class Leaves> inline constexpr bool has_full_nodes = detail::full_nodes_of<Leaves>::exist;
template <class Leaves> WARPFOLD_JIT consteval bool find_has_empty_full_nodes() {
  if constexpr (has_full_nodes<Leaves>) return std::is_empty_v<typename detail::full_nodes_of<Leaves>::accumulator>;
  else return false;
}
template <class Leaves> inline constexpr bool has_empty_full_nodes = find_has_empty_full_nodes<Leaves>();
/// Whether no item can be skipped, whatever it holds.
template <class Leaves>
inline constexpr bool all_items_count =
    !decltype(Leaves::transform.op)::skips_nan || std::is_integral_v<typename detail::full_nodes_of<Leaves>::item>;

/// Item k of a chunk, as the operator lifts it.
template <class Leaves> __device__ auto item_of(const Leaves& leaves, const typename Leaves::chunk& from, int k) {
  return leaves.transform.transform(Leaves::source_type::value(from, k));
}

/// Whether each item of these chunks surely counts. (The sum is NaN if an item is, and costs less than a test of each
/// item. It is also NaN for infinities of both signs, which are rare.)
template <class Leaves, class Chunk, int Chunks>
__device__ bool items_count(const Leaves& leaves, const Chunk (&chunks)[Chunks]) {
  using item = typename detail::full_nodes_of<Leaves>::item;
  using number = std::conditional_t<std::is_same_v<item, double>, double, float>;
  number sums[Chunks];
  WARPFOLD_UNROLL
  for (int i = 0; i < Chunks; ++i) {
    number items[Leaves::chunk_items];
    WARPFOLD_UNROLL
    for (int k = 0; k < Leaves::chunk_items; ++k)
      items[k] = warpfold::detail::convert<number>(item_of(leaves, chunks[i], k));
    sums[i] = fold(items, plus{});
  }
  const number sum = fold(sums, plus{});
  return sum == sum;
}

/// The full node over items [First, First + Count) of consecutive chunks, depth first, so that few nodes are held.
template <int First, int Count, class Leaves, class Chunk, int Chunks>
__device__ auto fold_full(const Leaves& leaves, const Chunk (&chunks)[Chunks]) {
  constexpr int chunk_items = Leaves::chunk_items, half = Count / 2;
  const auto& op = leaves.transform.op;
  if constexpr (Count == 1) return op.lift_full(item_of(leaves, chunks[First / chunk_items], First % chunk_items));
  else return op.join_full(fold_full<First, half>(leaves, chunks), fold_full<First + half, half>(leaves, chunks), half);
}

}  // namespace warpfold::thread
