// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds the items of a chunk by the canonical tree.
#pragma once
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/fold_packed.cuh>
#include <warpfold/thread/fold_run.cuh>
#include <warpfold/thread/item_terms.cuh>
#include <warpfold/thread/lift.cuh>
#include <warpfold/thread/locate.cuh>
#include <warpfold/thread/missing_items.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::thread {

namespace detail {

/// The node over items [First, First + Count) of a chunk, depth first, so that few leaves are held at once where leaves
/// are wider than items. exists(k) says whether item k does. Missing items are skipped; without any item the result
/// means nothing.
template <int First, int Count, class Leaves, class Op, class Exists, class A = typename Leaves::accumulator>
__device__ A fold_items(const Leaves& leaves, const typename Leaves::chunk& from, Op op, Exists exists) {
  if constexpr (Count == 1) {
    if (may_convert_missing<Leaves> || exists(First)) return leaves.leaf(from, First);
    return A{};
  } else {
    constexpr int half = Count / 2;
    A value = fold_items<First, half>(leaves, from, op, exists);
    const A right = fold_items<First + half, half>(leaves, from, op, exists);
    if (exists(First + half)) value = op(value, right);
    return value;
  }
}

/// Whether full nodes of these leaves hold something, and whether their items may be added as plain terms.
template <class Leaves> WARPFOLD_JIT consteval bool find_has_wide_full_nodes() {
  if constexpr (has_full_nodes<Leaves> && !has_empty_full_nodes<Leaves>)
    return warpfold::detail::is_real_number<typename full_nodes_of<Leaves>::item>;
  else return false;
}
template <class Leaves> inline constexpr bool has_wide_full_nodes = find_has_wide_full_nodes<Leaves>();
/// Whether some of them may hold items that do not count.
template <class Leaves> WARPFOLD_JIT consteval bool find_may_skip_in_full_nodes() {
  if constexpr (has_wide_full_nodes<Leaves>) return !all_items_count<Leaves>;
  else return false;
}
template <class Leaves> inline constexpr bool may_skip_in_full_nodes = find_may_skip_in_full_nodes<Leaves>();
/// fold_items of the first `count` items of a chunk, which some operators rarely need. Not inlined: both ways beside
/// each other would take more registers than one block of a multiprocessor leaves to the next.
template <class Leaves, class Op>
__device__ __attribute__((noinline)) auto fold_items_apart(Leaves leaves, typename Leaves::chunk from, Op op,
                                                           int count) {
  return fold_items<0, Leaves::chunk_items>(leaves, from, op, [=](int k) { return k < count; });
}
template <class Leaves> inline constexpr bool has_terms = false;
template <class Source, class Op, class Transform, class A>
  requires(!requires { typename Source::pair; })
inline constexpr bool has_terms<leaves<Source, lifted<Op, Transform>, A>> =
    makes_terms<Op, typename transformed_items<Transform, Source>::type, A>;

template <class Transform, class Source>
using chunk_of_items = typename transformed_items<Transform, Source>::type[Source::chunk_items];
/// Whether the leaves' operator lifts the items of a chunk at once.
template <class Leaves> inline constexpr bool lifts_chunk = false;
template <class Source, class Op, class Transform, class A>
  requires(!requires { typename Source::pair; })
inline constexpr bool lifts_chunk<leaves<Source, lifted<Op, Transform>, A>> =
    requires(const Op& op, chunk_of_items<Transform, Source>& items) {
  op.lift_chunk(items);
};
}  // namespace detail

/// The node over all items of `from`, all of which exist.
template <class Leaves, class Op>
__device__ auto fold_chunk(const Leaves& leaves, const typename Leaves::chunk& from, Op op) {
  constexpr int items = Leaves::chunk_items;
  if constexpr (detail::lifts_chunk<Leaves>) {
    using source = typename Leaves::source_type;
    detail::chunk_of_items<decltype(leaves.transform.transform), source> values;
    WARPFOLD_UNROLL
    for (int k = 0; k < items; ++k) values[k] = leaves.transform.transform(source::value(from, k));
    return leaves.transform.op.lift_chunk(values);
  } else if constexpr (locates<Leaves>) return fold_located(leaves, from, items);
  else if constexpr (folds_packed<Leaves, Op>) return fold_packed<typename Leaves::accumulator, Op>(from, items);
  else if constexpr (is_fused<Op> && items > 1) {
    return fold_parts<typename Leaves::accumulator>(
        op, leaves, [&](const auto& part, const auto& part_op) { return fold_chunk(part, from, part_op); });
  } else if constexpr (detail::may_skip_in_full_nodes<Leaves> && items > 1) {
    const auto item = [&](int k) { return item_of(leaves, from, k); };
    const auto& whole_op = leaves.transform.op;
    if (__builtin_expect(!run_counts<items>(whole_op, item), false))
      return detail::fold_items_apart(leaves, from, op, items);
    return fold_run<typename Leaves::accumulator, items>(whole_op, item);
  } else if constexpr (detail::has_terms<Leaves> && items > 1) {
    typename Leaves::accumulator value{};
    const auto item = [&](int k) { return item_of(leaves, from, k); };
    if (__builtin_expect(fold_terms<decltype(leaves.transform.op), items>(item, value), true)) return value;
    return detail::fold_items_apart(leaves, from, op, items);
  } else return detail::fold_items<0, items>(leaves, from, op, [](int) { return true; });
}

/// The node over the first `count` items of `from`; with `count` < 1 the result means nothing. Conversions, transforms
/// and the operator never see a missing item.
template <class Leaves, class Op>
__device__ auto fold_chunk(const Leaves& leaves, const typename Leaves::chunk& from, Op op, int count) {
  using A = typename Leaves::accumulator;
  constexpr int items = Leaves::chunk_items;
  if constexpr (locates<Leaves>) return fold_located(leaves, from, count);
  else if constexpr (folds_packed<Leaves, Op>) return fold_packed<A, Op>(from, count);
  else if constexpr (is_fused<Op> && items > 1) {
    return fold_parts<A>(op, leaves,
                         [&](const auto& part, const auto& part_op) { return fold_chunk(part, from, part_op, count); });
  } else if constexpr (detail::has_wide_full_nodes<Leaves> && items > 1) {
    // A missing item is replaced by 0, since a transform must not see it.
    const auto item = [&](int k) {
      using T = typename detail::full_nodes_of<Leaves>::item;
      return k < count ? T(item_of(leaves, from, k)) : T(0);
    };
    const auto& whole_op = leaves.transform.op;
    if (__builtin_expect(!run_counts<items>(whole_op, item), false))
      return detail::fold_items_apart(leaves, from, op, count);
    return fold_part_of_run<A, items>(whole_op, item, count);
  } else if constexpr (detail::has_terms<Leaves> && items > 1) {
    A value{};
    const auto item = [&](int k) { return item_of(leaves, from, k); };
    if (__builtin_expect(fold_terms<decltype(leaves.transform.op), items>(item, count, value), true)) return value;
    return detail::fold_items_apart(leaves, from, op, count);
  } else return detail::fold_items<0, items>(leaves, from, op, [=](int k) { return k < count; });
}

}  // namespace warpfold::thread
