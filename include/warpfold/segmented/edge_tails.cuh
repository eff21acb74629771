// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tails of segments: the last items, less than a chunk, at a segment's right edge. One lane folds a tail: to full
// nodes, to few of these and a node that the operator tells (thread/few_items.cuh), or by the operator's own joins.
#pragma once
#include <warpfold/segmented/fold_side_by_side.cuh>
#include <warpfold/thread/few_items.cuh>

namespace warpfold::segmented {

namespace detail {

/// Whether the last items of a segment, less than 8, are folded at once, as the operator tells.
template <class Leaves> WARPFOLD_JIT consteval bool find_tells_tail() {
  constexpr int eight = thread::few_items + 1;
  if constexpr (Leaves::chunk_items == eight || Leaves::chunk_items == 2 * eight)
    return thread::tells_few<typename in_chunks<Leaves, eight>::type>;
  else return false;
}
template <class Leaves> inline constexpr bool tells_tail = find_tells_tail<Leaves>();

/// The full nodes at the right edge of the last `count` items of a segment, which end before item `end`: less than a
/// chunk. Nodes of up to `part` items are picked from one fold; half a chunk, if it is more, is folded apart, since few
/// short segments have one.
template <class Leaves, class Index, class Full, int Levels>
__device__ void fold_tail(const Leaves& leaves, Index end, int count, bool inside, Full (&nodes)[Levels]) {
  constexpr int part = Leaves::chunk_items > 8 ? Leaves::chunk_items / 2 : Leaves::chunk_items;
  const auto parts = leaves.template from<part>(0);
  using chunk = typename std::remove_cv_t<decltype(parts)>::chunk;
  const int rest = count & (part - 1);
  chunk last = {}, before = {};
  load_chunk(parts, last, end - rest, rest, inside);
  const bool has_half = part < Leaves::chunk_items && (count & part) != 0;
  if (has_half) load_chunk(parts, before, end - count, part, inside);
  thread::detail::pick_full_nodes<0, part>(
      thread::full_form_of(leaves), [&](int k) { return thread::full_item(parts, last, k, k < rest); }, rest, nodes);
  if constexpr (part < Leaves::chunk_items)
    if (has_half) nodes[log2_of(part)] = full_joins<std::remove_const_t<decltype(parts)>>{parts}.chunk(before, 0, true);
}

/// The same where tells_tail: sets `half` to the node of 8 items, if there is one, and `value` to the node over the
/// last items, fewer than 8. Returns whether there are any. (The accumulator of all items tells if a NaN was among
/// them.)
template <class Leaves, class Index, class Op, class Full, class A>
__device__ bool fold_told_tail(const Leaves& leaves, Index end, int count, bool inside, Op op, Full& half, A& value) {
  constexpr int eight = thread::few_items + 1;
  const auto parts = leaves.template from<eight>(0);
  typename std::remove_cv_t<decltype(parts)>::chunk last = {}, before = {};
  const int rest = count & thread::few_items;
  load_chunk(parts, last, end - rest, rest, inside);
  const bool has_half = (count & eight) != 0;
  if (has_half) load_chunk(parts, before, end - count, eight, inside);
  if (rest > 0) thread::fold_told_items(parts, last, op, rest, value);
  if (has_half) half = full_joins<std::remove_const_t<decltype(parts)>>{parts}.chunk(before, 0, true);
  return rest > 0;
}

/// The node over the last `count` items of a segment, which end before item `end`: less than a chunk, by the operator's
/// own joins. With a count of 0 it means nothing. Terms are folded in halves of a chunk, since most tails have only one
/// of them. (Means would need 60 registers so instead of 48.)
template <class Leaves, class Index, class Op>
__device__ auto fold_own_tail(const Leaves& leaves, Index end, int count, bool inside, Op op) {
  constexpr int part = may_join_terms<Leaves> ? Leaves::chunk_items / 2 : Leaves::chunk_items;
  const auto parts = leaves.template from<part>(0);
  using chunk = typename std::remove_cv_t<decltype(parts)>::chunk;
  const int rest = count & (part - 1);
  chunk last = {};
  if constexpr (part == Leaves::chunk_items) {
    load_chunk(parts, last, end - rest, rest, inside);
    return thread::fold_chunk(parts, last, op, rest);
  } else {
    chunk before = {};
    const bool has_half = (count & part) != 0;
    if (has_half) load_chunk(parts, before, end - count, part, inside);
    if (rest > 0) load_chunk(parts, last, end - rest, rest, inside);
    typename Leaves::accumulator value{};
    if (has_half) value = thread::fold_chunk(parts, before, op);
    if (rest > 0) {
      const auto right = thread::fold_chunk(parts, last, op, rest);
      value = has_half ? op(value, right) : right;
    }
    return value;
  }
}

}  // namespace detail

}  // namespace warpfold::segmented
