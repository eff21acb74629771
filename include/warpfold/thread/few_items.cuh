// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Few items of one lane, folded at once by what their operator tells (operator_traits.hpp): as few items, without the
// divisions of joins, by full nodes, or as plain terms.
#pragma once
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/thread/full_form.cuh>

namespace warpfold::thread {

inline constexpr int few_items = 7;

/// Whether items that mean nothing may be looked at: they are numbers, which no transform sees.
template <class Leaves> inline constexpr bool takes_any_item = false;
template <class Source, class Op, class A>
inline constexpr bool takes_any_item<leaves<Source, lifted<Op, no_transform>, A>> =
    detail::is_number<typename Source::item>;

/// Item k of a lane's chunk, as the operator lifts it. If it does not exist, no transform sees it, and it is 0.
template <class Leaves>
__device__ auto full_item(const Leaves& leaves, const typename Leaves::chunk& from, int k, bool exists) {
  using T = typename detail::full_form<Leaves>::item;
  if (takes_any_item<Leaves> || exists) return T(item_of(leaves, from, k));
  return T(0);
}

namespace detail {
/// Whether `Op` tells how to fold few items of type `T`; if it is fused, whether each part does whose full nodes hold
/// something.
template <class Op, class T, class A> WARPFOLD_JIT consteval bool find_tells_few() {
  if constexpr (is_fused<Op>) {
    return []<std::size_t... Is>(std::index_sequence<Is...>) {
      return ((!tells_wide_full_nodes<part_operator_t<Op, Is>>() ||
               find_tells_few<part_operator_t<Op, Is>, T, part_t<A, Is>>()) &&
              ...);
    }
    (std::make_index_sequence<Op::part_count>());
  } else return requires(const T(&items)[few_items], A& value) {
      Op::fold_few(items, 1, value);
    };
}
}  // namespace detail

/// Whether the operator of these leaves tells so.
template <class Leaves> WARPFOLD_JIT consteval bool find_leaves_tell_few() {
  if constexpr (has_full_form<Leaves>)
    return detail::find_tells_few<decltype(Leaves::transform.op), typename detail::full_form<Leaves>::item,
                                  typename Leaves::accumulator>();
  else return false;
}
template <class Leaves> inline constexpr bool tells_few = find_leaves_tell_few<Leaves>();

/// Sets `items` to the first `count` items of a chunk of 4 or 8, at most all but one, and to 0 behind them.
template <class Leaves, class T>
__device__ void take_few_items(const Leaves& leaves, const typename Leaves::chunk& from, int count,
                               T (&items)[few_items]) {
  WARPFOLD_UNROLL
  for (int k = 0; k < few_items; ++k) items[k] = T(0);
  WARPFOLD_UNROLL
  for (int k = 0; k < Leaves::chunk_items - 1; ++k) items[k] = full_item(leaves, from, k, k < count);
}

/// Sets `value` to the node over the first `count` items of a chunk of 4 or 8, 1 to all but one, as the operator tells.
/// Returns false if that is not right, which takes a NaN.
template <class Leaves, class Op, class A>
__device__ bool fold_told_items(const Leaves& leaves, const typename Leaves::chunk& from, const Op& op, int count,
                                A& value) {
  if constexpr (is_fused<Op>) {
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      return (fold_told_items(part_of<Is>(op, leaves), from, op.template part<Is>(), count, value.template get<Is>()) &
              ...);
    }
    (std::make_index_sequence<Op::part_count>());
  } else if constexpr (has_empty_full_nodes<Leaves>) {
    value = op.of_full({}, count);  // another part tells whether all items count
    return true;
  } else if constexpr (has_full_nodes<Leaves>) {
    typename detail::full_nodes_of<Leaves>::item items[few_items];
    take_few_items(leaves, from, count, items);
    return op.fold_few(items, count, value);
  } else {
    value = fold_chunk(leaves, from, op, count);
    return true;
  }
}

/// The node over the first `count` items of a chunk of 4 or 8, at most all but one, by full nodes of 4, 2 and 1 items,
/// and at most two joins that count and may divide. With a count of 0 it means nothing, and nothing is joined: a
/// division of zeros takes long.
template <class Leaves>
__device__ auto join_few_items(const Leaves& leaves, const typename Leaves::chunk& from, int count) ->
    typename Leaves::accumulator {
  const auto& op = full_form_of(leaves);
  using T = typename detail::full_form<Leaves>::item;
  T items[few_items];
  take_few_items(leaves, from, count, items);
  const bool has_4 = count >= 4, has_2 = (count & 2) != 0, has_1 = (count & 1) != 0;
  const auto four = detail::fold_full_items<0, 4>(op, [&](int k) { return items[k]; });
  T rest[3];
  WARPFOLD_UNROLL
  for (int k = 0; k < 3; ++k) rest[k] = has_4 ? items[4 + k] : items[k];
  const auto two = detail::fold_full_items<0, 2>(op, [&](int k) { return rest[k]; });
  typename Leaves::accumulator value = op.of_full(op.lift_full(has_2 ? rest[2] : rest[0]), 1);
  if (has_2) value = has_1 ? detail::join_fewer(op, two, 2, value) : op.of_full(two, 2);
  if (has_4) value = has_1 || has_2 ? detail::join_fewer(op, four, 4, value) : op.of_full(four, 4);
  return value;
}

/// Sets `value` to the same, in one of three ways. Returns false if it is not right, which takes a NaN.
template <class Leaves, class A>
__device__ bool fold_few_items(const Leaves& leaves, const typename Leaves::chunk& from, int count, A& value) {
  static_assert(Leaves::chunk_items == 4 || Leaves::chunk_items == few_items + 1);
  if constexpr (tells_few<Leaves>) return fold_told_items(leaves, from, leaves.transform.op, count, value);
  else if constexpr (has_full_form<Leaves>) value = join_few_items(leaves, from, count);
  else value = fold_chunk(leaves, from, leaves.transform.op, count);
  return true;
}

/// The full node of `items` items, and what lies on its right, if there is anything.
template <class Leaves, class A>
__device__ A join_on_left(const Leaves& leaves, const full_node<Leaves>& node, int items, bool has_right,
                          const A& right) {
  const auto& op = full_form_of(leaves);
  return has_right ? detail::join_fewer(op, node, items, right) : op.of_full(node, items);
}

}  // namespace warpfold::thread
