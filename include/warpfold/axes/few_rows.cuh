// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds outputs of few items, all of which a lane holds, by what the operator tells (thread/few_items.cuh).
#pragma once
#include <warpfold/axes/leaves.cuh>
#include <warpfold/axes/policy.hpp>
#include <warpfold/thread/few_items.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

namespace detail {
template <class Leaves> WARPFOLD_JIT consteval bool find_folds_few() {
  if constexpr (is_as_loaded<Leaves>) return thread::has_full_form<as_loaded<Leaves, thread::few_items + 1>>;
  else return false;
}

/// The chunk of items [First, First + Items) of an output, which are item `column` of the rows. There is 0 in place of
/// items that the rows do not hold.
template <int First, int Items, class Leaves, int Rows>
__device__ auto items_of_rows(const typename Leaves::chunk (&rows)[Rows], int column) {
  thread::chunk<typename Leaves::item, Items> items{};
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k)
    if (First + k < Rows) items.set(k, rows[First + k].item(column));
  return items;
}
}  // namespace detail

/// Whether few items are folded by full nodes.
template <class Leaves> inline constexpr bool folds_few = detail::find_folds_few<Leaves>();
/// Whether single threads gain by columns of more items than they hold at a time: few_items_kernel has rounds for them.
template <class Leaves>
inline constexpr bool folds_by_rounds = folds_few<Leaves> || sums_few<Leaves> || detail::has_terms<Leaves>;

/// Sets `value` to the node over the first `count` items of an output, which are item `column` of the rows, 0 < count
/// <= Rows. Returns false if it may be wrong, since an item is a NaN that does not count.
template <class Leaves, int Rows, class Op, class A>
__device__ bool fold_few_rows(const Leaves& leaves, const typename Leaves::chunk (&rows)[Rows], int column, int count,
                              Op op, A& value) {
  constexpr int eight = thread::few_items + 1;
  static_assert(Rows <= 2 * eight);
  if constexpr (folds_few<Leaves>) {
    const auto loaded = loaded_from<eight>(leaves);
    const auto& full_op = thread::full_form_of(loaded);
    const auto first = detail::items_of_rows<0, eight, Leaves>(rows, column);
    const auto full_node = [&](const auto& from) {
      return thread::detail::fold_full_items<0, eight>(full_op,
                                                       [&](int k) { return thread::item_of(loaded, from, k); });
    };
    bool is_right = true;
    if (count < eight) is_right = thread::fold_few_items(loaded, first, count, value);
    else if constexpr (Rows >= eight) {
      const auto left = full_node(first);
      if constexpr (Rows > eight) {
        const auto last = detail::items_of_rows<eight, eight, Leaves>(rows, column);
        if (count == 2 * eight) value = full_op.of_full(full_op.join_full(left, full_node(last), eight), 2 * eight);
        else {
          if (count > eight) is_right = thread::fold_few_items(loaded, last, count - eight, value);
          value = thread::join_on_left(loaded, left, eight, count > eight, value);
        }
      } else value = full_op.of_full(left, eight);
    }
    return is_right && thread::all_count(loaded, value);
  } else if constexpr (detail::has_terms<Leaves> && Rows > very_few_items) {
    const auto item = [&](int k) { return leaves.transform.transform(rows[k].item(column)); };
    const bool are_terms =
        Rows > eight && count <= eight
            ? thread::fold_terms<decltype(leaves.transform.op), least_of(Rows, eight)>(item, count, value)
            : thread::fold_terms<decltype(leaves.transform.op), Rows>(item, count, value);
    if (are_terms) return true;
    thread::array<typename Leaves::item, Rows> items;
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k) items[k] = rows[k].item(column);
    value = detail::fold_items_apart<A>(leaves.transform, items, count, op);
    return true;
  } else {
    value = fold_rows(leaves, rows, column, 0, count, op);
    return true;
  }
}

/// Adds the first `count` items of an output to `sum`, where sums_few.
template <class Leaves, int Rows, class Sum>
__device__ void add_few_rows(const Leaves& leaves, const typename Leaves::chunk (&rows)[Rows], int column, int count,
                             Sum& sum) {
  WARPFOLD_UNROLL
  for (int k = 0; k < Rows; ++k)
    if (k < count) sum.add(summed_item(leaves, rows[k], column, true));
}

/// The sum of the `count` items of an output from `origin` on, item by item. Not inlined: it is rare.
template <class Leaves, class Map>
WARPFOLD_NO_INLINE __device__ auto sum_items_apart(const Leaves& leaves, const Map& reduced, std::int64_t origin,
                                                   int count) -> typename Leaves::accumulator {
  lane_sum<Leaves, 1> sum;
  WARPFOLD_NO_UNROLL
  for (int k = 0; k < count; ++k) {
    typename Leaves::chunk held;
    leaves.load(held, origin + reduced.in(k));
    typename decltype(sum)::number items[1] = {summed_item(leaves, held, 0, true)};
    sum.add(items);
  }
  return sum.total();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
