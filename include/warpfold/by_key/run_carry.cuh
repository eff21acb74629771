// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The unfinished runs at both ends of consecutive items form a run carry. A *head* is an item that begins a run. When
// two neighbouring spans of items are joined, the run across the border becomes one value. It is complete if both spans
// have a head:
//
//   left     a a | b b b | c c        first = a+a   last = c+c   heads = 2
//   right    c | d d                  first = c     last = d+d   heads = 1
//   joined   a a | b b b | c c c | d d                           closes c+c+c
//
// Runs within a span are complete already. A tree of joins over all items gives each run the association of
// the canonical tree over *all* items, restricted to the run's own (canonical_tree::replay_part). It depends on where
// the run begins and ends, and on nothing else.
#pragma once
#include <warpfold/thread/choose.cuh>
#include <warpfold/thread/missing_items.cuh>

namespace warpfold::by_key {

/// The unfinished runs at both ends of a span of items.
template <class A> struct run_carry {
  A first;         ///< the items before the first head, folded: the end of a run that began further left
  A last;          ///< the items from the last head on, folded; all items, if there is no head
  int heads;       ///< the number of heads, or a mask of them; a join asks only whether there are any
  bool has_first;  ///< whether there are items before the first head; unused if the operator has an exact identity
};

/// Makes and joins carries.
template <class Op, class A> struct carry_joiner {
  static constexpr bool uses_identity = thread::may_combine_missing<Op, A>;

  Op op;

  /// The carry of one item.
  __device__ run_carry<A> item(const A& value, int is_head) const {
    if constexpr (uses_identity) return {is_head ? missing() : value, value, is_head, true};
    else return {value, value, is_head, !is_head};
  }
  /// The carry of no items. It may stand to the right of others, or on the left of the input's first item, which is a
  /// head: then nothing is joined to it.
  __device__ run_carry<A> none() const { return {missing(), missing(), 0, false}; }

  /// The carry of both spans. Calls close(value) if that completes a run.
  template <class Close>
  __device__ run_carry<A> join(const run_carry<A>& left, const run_carry<A>& right, Close close) const {
    A across = left.last;
    if (uses_identity || right.has_first) across = op(left.last, right.first);
    if (left.heads && right.heads) close(across);
    return {thread::choose(left.heads, left.first, across), thread::choose(right.heads, right.last, across),
            left.heads + right.heads, left.has_first};
  }

 private:
  __device__ static constexpr A missing() {
    if constexpr (uses_identity) return thread::exact_identity<Op, A>;
    else return A{};
  }
};

/// The carry of the items [skipped, count) of a thread's `Count` items, a power of two, or of all if `Whole`. Bit k of
/// `heads` says whether item k is a head; it is zero where the item does not exist. Calls close(rank, value) for each
/// complete run, where `rank` is the number of heads before the run's own. value(k) is asked for existing items only.
/// `first` is the first item's number, and a constant once all calls are inlined.
template <int Count, bool Whole, class Op, class A, class Value, class Close>
__device__ run_carry<A> fold_runs(const carry_joiner<Op, A>& joiner, Value value, unsigned heads, int count,
                                  Close close, int skipped = 0, int first = 0) {
  if constexpr (Count == 1) {
    return Whole || (first < count && first >= skipped)
               ? joiner.item(value(first), static_cast<int>(heads & 1u << first))
               : joiner.none();
  } else {
    constexpr int half = Count / 2;
    const int middle = first + half;
    const auto left = fold_runs<half, Whole>(joiner, value, heads, count, close, skipped, first);
    const auto right = fold_runs<half, Whole>(joiner, value, heads, count, close, skipped, middle);
    auto joined =
        joiner.join(left, right, [&](const A& across) { close(__popc(heads & ((1u << middle) - 1)) - 1, across); });
    joined.heads = static_cast<int>(heads & ((2u << (Count - 1)) - 1) << first);  // the same mask, by one instruction
    return joined;
  }
}

/// All items folded, and, if one of them is a head, the items before it and the items from it on.
template <class A> struct split_run { A all, before, from; };

/// Folds `Count` existing items of a thread, a power of two, of which item `head` (modulo `Count`) may be a head.
/// Without a head, only `all` matters. If the head is the first item, `before` is an exact identity or means nothing.
/// `first` is the first item's number, and a constant once all calls are inlined.
template <int Count, class Op, class A, class Value>
__device__ split_run<A> fold_split(const carry_joiner<Op, A>& joiner, Value value, unsigned head, int first = 0) {
  if constexpr (Count == 1) {
    const A item = value(first);
    return {item, joiner.none().first, item};
  } else {
    constexpr int half = Count / 2;
    const auto left = fold_split<half>(joiner, value, head, first);
    const auto right = fold_split<half>(joiner, value, head, first + half);
    const bool is_right = head & half;
    A before = left.all;
    // The operator never sees a placeholder, unless that is its exact identity.
    if constexpr (half > 1)
      if (carry_joiner<Op, A>::uses_identity || (head & (half - 1)) != 0) before = joiner.op(left.all, right.before);
    return {joiner.op(left.all, right.all), thread::choose(is_right, before, left.before),
            thread::choose(is_right, right.from, static_cast<A>(joiner.op(left.from, right.all)))};
  }
}

/// The carry of a thread's items, of which at most one is a head: the bit of `heads` that is set. fold_split_at(head)
/// folds them.
template <class Split> __device__ auto fold_one_head(Split fold_split_at, unsigned heads) {
  const auto split = fold_split_at(static_cast<unsigned>(__ffs(static_cast<int>(heads)) - 1));
  using A = std::remove_cv_t<decltype(split.all)>;
  return run_carry<A>{thread::choose(heads != 0, split.before, split.all),
                      thread::choose(heads != 0, split.from, split.all), static_cast<int>(heads), heads != 1};
}

}  // namespace warpfold::by_key
