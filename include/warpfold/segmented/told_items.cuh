// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Few items of one lane, folded at once as their operator tells (operator_traits.hpp: fold_few): without the divisions
// of joins.
#pragma once
#include <warpfold/segmented/chunk_joins.cuh>

namespace warpfold::segmented {

inline constexpr int few_items = 7;

namespace detail {

/// Whether `Op` tells how to fold few items of type `T`; if it is fused, whether each part does whose full nodes hold
/// something.
template <class Op, class T, class A> WARPFOLD_JIT consteval bool find_tells_few() {
  if constexpr (thread::is_fused<Op>) {
    return []<std::size_t... Is>(std::index_sequence<Is...>) {
      using thread::detail::part_operator_t;
      return ((!thread::tells_wide_full_nodes<part_operator_t<Op, Is>>() ||
               find_tells_few<part_operator_t<Op, Is>, T, thread::part_t<A, Is>>()) &&
              ...);
    }
    (std::make_index_sequence<Op::part_count>());
  } else return requires(const T(&items)[few_items], A& value) {
      Op::fold_few(items, 1, value);
    };
}
template <class Leaves> WARPFOLD_JIT consteval bool find_tells_few_of() {
  if constexpr (thread::has_full_form<Leaves>)
    return find_tells_few<decltype(Leaves::transform.op), typename thread::detail::full_form<Leaves>::item,
                          typename Leaves::accumulator>();
  else return false;
}
template <class Leaves> inline constexpr bool tells_few = find_tells_few_of<Leaves>();

/// Sets `value` to the node over the first `count` items, 1 to few_items, of a chunk, as the operator tells. Returns
/// false if that is not right, which takes a NaN.
template <class Leaves, class Op, class A>
__device__ bool fold_told_items(const Leaves& leaves, const typename Leaves::chunk& from, const Op& op, int count,
                                A& value) {
  if constexpr (thread::is_fused<Op>) {
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      return (fold_told_items(thread::part_of<Is>(op, leaves), from, op.template part<Is>(), count,
                              value.template get<Is>()) &
              ...);
    }
    (std::make_index_sequence<Op::part_count>());
  } else if constexpr (thread::has_empty_full_nodes<Leaves>) {
    value = op.of_full({}, count);  // another part tells whether all items count
    return true;
  } else if constexpr (thread::has_full_nodes<Leaves>) {
    typename thread::detail::full_nodes_of<Leaves>::item items[few_items];
    WARPFOLD_UNROLL
    for (int k = 0; k < few_items; ++k) items[k] = full_item(leaves, from, k, k < count);
    return op.fold_few(items, count, value);
  } else {
    value = thread::fold_chunk(leaves, from, op, count);
    return true;
  }
}

}  // namespace detail

}  // namespace warpfold::segmented
