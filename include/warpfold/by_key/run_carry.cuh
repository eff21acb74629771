// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runs that are open at the ends of a span, which is any number of consecutive items. A *head* is an item that
// begins a run. Joining two neighbouring spans folds the run that lies across their border into one value. That run is
// complete if both spans have a head:
//
//   left     a a | b b b | c c        first = a+a   last = c+c   heads = 2
//   right    c | d d                  first = c     last = d+d   heads = 1
//   joined   a a | b b b | c c c | d d                           closes c+c+c
//
// Runs between two heads of one span are complete already. A tree of joins over all items gives each run the
// association of the canonical tree over *all* items, of which only the run's take part (canonical_tree::replay_part):
// it depends on where runs begin and end, and on nothing else.
#pragma once
#include <warpfold/thread/choose.cuh>
#include <warpfold/thread/exact_identity.cuh>

namespace warpfold::by_key {

/// The runs that are open at the ends of a span.
template <class A> struct run_carry {
  A first;         ///< the fold of the items before the first head: the end of a run that began further left
  A last;          ///< the fold of the items from the last head on; of all items if there is no head
  int heads;       ///< the number of heads, or a mask of them; joins ask only whether it is zero
  bool has_first;  ///< whether there are items before the first head; not read if the operator has an exact identity
};

/// Makes carries and joins them. The operator never sees a value that stands for no item, unless that is its exact
/// identity.
template <class Op, class A> struct run_joiner {
  static constexpr bool uses_identity = thread::has_exact_identity<Op, A>;

  Op op;

  /// The carry of one item.
  __device__ run_carry<A> item(const A& value, int is_head) const {
    if constexpr (uses_identity) return {is_head ? missing() : value, value, is_head, true};
    else return {value, value, is_head, !is_head};
  }
  /// The carry of a span without items. It may stand only to the right of others.
  __device__ run_carry<A> none() const { return {missing(), missing(), 0, false}; }

  /// Joins two neighbours. Calls close(value) if that completes a run.
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

/// The carry of the first `count` of a thread's `Count` items, of all of them if `Whole`. `Count` is a power of two.
/// Bit k of `heads` says whether item k is a head; it is zero for items that do not exist. Calls close(rank, value) for
/// each run that is complete; `rank` is the number of heads before the run's own.
template <int Count, bool Whole, int First = 0, class Op, class A, class Value, class Close>
__device__ run_carry<A> fold_runs(const run_joiner<Op, A>& joiner, Value value, unsigned heads, int count,
                                  Close close) {
  if constexpr (Count == 1) {
    return Whole || First < count ? joiner.item(value(First), static_cast<int>(heads & 1u << First)) : joiner.none();
  } else {
    constexpr int half = Count / 2, middle = First + half;
    const auto left = fold_runs<half, Whole, First>(joiner, value, heads, count, close);
    const auto right = fold_runs<half, Whole, middle>(joiner, value, heads, count, close);
    auto joined =
        joiner.join(left, right, [&](const A& across) { close(__popc(heads & ((1u << middle) - 1)) - 1, across); });
    joined.heads = static_cast<int>(heads & ((2u << (Count - 1)) - 1) << First);  // the same, by one instruction
    return joined;
  }
}

/// The fold of all items, of the items before a head, and of the items from the head on.
template <class A> struct split_run { A all, before, from; };

/// Folds all of a thread's `Count` items, a power of two, of which at most one is a head. `head` is its number, taken
/// modulo `Count`; without a head, only `all` has a meaning. If the head is the first item, `before` has no meaning but
/// an exact identity.
template <int Count, int First = 0, class Op, class A, class Value>
__device__ split_run<A> fold_split(const run_joiner<Op, A>& joiner, Value value, unsigned head) {
  if constexpr (Count == 1) {
    const A item = value(First);
    return {item, joiner.none().first, item};
  } else {
    constexpr int half = Count / 2;
    const auto left = fold_split<half, First>(joiner, value, head);
    const auto right = fold_split<half, First + half>(joiner, value, head);
    const bool is_right = head & half;
    A before = left.all;
    // Without a branch where the identity allows it; else right.before may stand for no item.
    if constexpr (half > 1)
      if (run_joiner<Op, A>::uses_identity || (head & (half - 1)) != 0) before = joiner.op(left.all, right.before);
    return {joiner.op(left.all, right.all), thread::choose(is_right, before, left.before),
            thread::choose(is_right, right.from, static_cast<A>(joiner.op(left.from, right.all)))};
  }
}

/// The carry of a thread's items, of which at most one is a head: the bit that is set in `heads`. fold_split_at(head)
/// folds the items.
template <class Split> __device__ auto fold_one_head(Split fold_split_at, unsigned heads) {
  const auto split = fold_split_at(static_cast<unsigned>(__ffs(static_cast<int>(heads)) - 1));
  using A = std::remove_cv_t<decltype(split.all)>;
  return run_carry<A>{thread::choose(heads != 0, split.before, split.all),
                      thread::choose(heads != 0, split.from, split.all), static_cast<int>(heads), heads != 1};
}

}  // namespace warpfold::by_key
