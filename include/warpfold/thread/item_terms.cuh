// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items as plain terms, for operators whose accumulators are a sum and something more: a scale, a count. Where all
// items of a node share that, each becomes a number, a term, and the terms are added, with the operator's bits.
#pragma once
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/lift.cuh>

namespace warpfold::thread {

namespace detail {
template <class T> using promoted_number = typename warpfold::detail::promoted<T>::type;
template <class Op, class T, class A>
concept makes_terms = requires {
  typename Op::template plain_terms<A>;
  requires warpfold::detail::is_plain_number<promoted_number<T>>;
};
}  // namespace detail

/// An item, as the operator lifts it, as one of the numbers that become terms.
template <class R, class T> __device__ R number_of_item(const T& item) {
  return static_cast<R>(warpfold::detail::convert<detail::promoted_number<T>>(item));
}

/// Sets `value` to the node over `Count` items if all can be terms; returns whether they can. item(k) is item k as the
/// operator lifts it.
template <class Op, int Count, class A, class Item> __device__ bool fold_terms(Item item, A& value) {
  using R = decltype(A::sum);
  typename Op::template plain_terms<A> terms;
  R numbers[Count];
  WARPFOLD_UNROLL
  for (int k = 0; k < Count; ++k) {
    numbers[k] = number_of_item<R>(item(k));
    terms.meet(numbers[k]);
  }
  if (!terms.settle([](auto own, auto) { return own; })) return false;
  WARPFOLD_UNROLL
  for (int k = 0; k < Count; ++k) numbers[k] = terms.term(numbers[k]);
  value = terms.total(fold(numbers, plus{}), Count);
  return true;
}

/// The same over the first `count` items, or all if there are fewer; no other item is looked at. With `count` < 1 the
/// value means nothing.
template <class Op, int Count, class A, class Item> __device__ bool fold_terms(Item item, int count, A& value) {
  using R = decltype(A::sum);
  typename Op::template plain_terms<A> terms;
  R numbers[Count];
  WARPFOLD_UNROLL
  for (int k = 0; k < Count; ++k) {
    numbers[k] = 0;
    if (k < count) numbers[k] = number_of_item<R>(item(k)), terms.meet(numbers[k]);
  }
  if (!terms.settle([](auto own, auto) { return own; })) return false;
  WARPFOLD_UNROLL
  for (int k = 0; k < Count; ++k) {
    const R term = terms.term(numbers[k]);
    numbers[k] = k < count ? term : static_cast<R>(-0.0);  // changes no sum
  }
  value = terms.total(fold(numbers, plus{}), least_of(count, Count));
  return true;
}

}  // namespace warpfold::thread
