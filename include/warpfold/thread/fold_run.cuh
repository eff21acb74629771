// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds a run of items that a thread holds, by what its operator says makes that cheap (operator_traits.hpp): full
// nodes, whose counts are known from the position, and for fused operators each part in its own way.
#pragma once
#include <warpfold/thread/fold_parts.cuh>
#include <warpfold/thread/full_nodes.cuh>

namespace warpfold::thread {

/// Whether an operator, or a part of a fused one, has full nodes that hold something.
template <class Op> WARPFOLD_JIT consteval bool tells_wide_full_nodes() {
  if constexpr (is_fused<Op>) {
    return []<std::size_t... Is>(std::index_sequence<Is...>) {
      return (tells_wide_full_nodes<std::remove_cvref_t<decltype(std::declval<const Op&>().template part<Is>())>>() ||
              ...);
    }
    (std::make_index_sequence<Op::part_count>());
  } else if constexpr (detail::tells_full_nodes<Op>) {
    return !std::is_empty_v<typename Op::full>;
  } else return false;
}

/// Whether these leaves' operator is fused, and has a part with such full nodes: then runs of items cost much less than
/// joins of all parts.
template <class Leaves> inline constexpr bool folds_parts_by_runs = false;
template <class Source, class Op, class Transform, class A>
inline constexpr bool folds_parts_by_runs<leaves<Source, lifted<Op, Transform>, A>> =
    is_fused<Op>&& tells_wide_full_nodes<Op>();

namespace detail {

/// The node over items [First, First + Count), depth first.
template <class A, int First, int Count, class Op, class Item> __device__ A fold_lifted(const Op& op, Item item) {
  using T = std::remove_cvref_t<decltype(item(First))>;
  if constexpr (Count > 1)
    return op(fold_lifted<A, First, Count / 2>(op, item), fold_lifted<A, First + Count / 2, Count / 2>(op, item));
  else if constexpr (lifts<Op, T>) return op.lift(item(First));
  else return warpfold::detail::convert<A>(item(First));
}
template <int First, int Count, class Op, class Item> __device__ auto fold_full_items(const Op& op, Item item) {
  if constexpr (Count == 1) return op.lift_full(item(First));
  else
    return op.join_full(fold_full_items<First, Count / 2>(op, item),
                        fold_full_items<First + Count / 2, Count / 2>(op, item), Count / 2);
}
/// A sum that is NaN if an item is.
template <class Number, int First, int Count, class Item> __device__ Number sum_of_items(Item item) {
  if constexpr (Count == 1) return warpfold::detail::convert<Number>(item(First));
  else return sum_of_items<Number, First, Count / 2>(item) + sum_of_items<Number, First + Count / 2, Count / 2>(item);
}

/// The full node over items [First, First + Count). Sets picked[level] to the last node of 2^level items within the
/// first `count` items, where `count` has that bit.
template <int First, int Count, class Op, class Item, class Full, int Levels>
__device__ Full pick_full_nodes(const Op& op, Item item, int count, Full (&picked)[Levels]) {
  constexpr int level = log2_of(Count);
  Full node;
  if constexpr (Count == 1) node = op.lift_full(item(First));
  else {
    const Full left = pick_full_nodes<First, Count / 2>(op, item, count, picked);
    node = op.join_full(left, pick_full_nodes<First + Count / 2, Count / 2>(op, item, count, picked), Count / 2);
  }
  if constexpr (First / Count % 2 == 0 && level < Levels)
    if (count >> (level + 1) == First / Count / 2) picked[level] = node;
  return node;
}

}  // namespace detail

/// The node over the first `count` of `Count` items, a power of two, for which run_counts holds; unspecified if
/// `count` < 1. All lanes compute the same full nodes; at the end of a segment the operator joins a few of them.
template <class A, int Count, class Op, class Item> __device__ A fold_part_of_run(const Op& op, Item item, int count) {
  constexpr int levels = log2_of(Count);
  typename Op::full picked[levels > 0 ? levels : 1] = {};
  const auto whole = detail::pick_full_nodes<0, Count>(op, item, count, picked);
  A value = op.of_full(whole, Count);
  if (count >= Count) return value;
  bool found = false;
  WARPFOLD_UNROLL
  for (int level = 0; level < levels; ++level) {
    if (!(count >> level & 1)) continue;
    const A node = op.of_full(picked[level], std::int64_t{1} << level);
    value = found ? op(node, value) : node;
    found = true;
  }
  return value;
}

/// Whether each of `Count` items surely counts in the full nodes of `Op` and of its parts: see items_count.
template <int Count, class Op, class Item> __device__ bool run_counts(const Op& op, Item item) {
  using T = std::remove_cvref_t<decltype(item(0))>;
  if constexpr (is_fused<Op>) {
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      return (run_counts<Count>(op.template part<Is>(), item) && ...);
    }
    (std::make_index_sequence<Op::part_count>());
  } else if constexpr (detail::tells_full_nodes<Op> && !std::is_integral_v<T>) {
    if constexpr (!Op::skips_nan) return true;
    else {
      const auto sum =
          detail::sum_of_items<std::conditional_t<std::is_same_v<T, double>, double, float>, 0, Count>(item);
      return sum == sum;
    }
  } else return true;
}

/// The node over `Count` items, a power of two, for which run_counts holds. item(k) is item k as the operator lifts it.
template <class A, int Count, class Op, class Item> __device__ A fold_run(const Op& op, Item item) {
  if constexpr (is_fused<Op>) {
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      A all;
      ((all.template get<Is>() =
            fold_run<std::remove_cvref_t<decltype(all.template get<Is>())>, Count>(op.template part<Is>(), item)),
       ...);
      return all;
    }
    (std::make_index_sequence<Op::part_count>());
  } else if constexpr (detail::tells_full_nodes<Op>) {
    if constexpr (std::is_empty_v<typename Op::full>) return op.of_full({}, Count);
    else return op.of_full(detail::fold_full_items<0, Count>(op, item), Count);
  } else return detail::fold_lifted<A, 0, Count>(op, item);
}

}  // namespace warpfold::thread
