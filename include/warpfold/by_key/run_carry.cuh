// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of equal keys within a stretch of consecutive items. A *head* is an item that begins a run. Where two neighbouring
// stretches are joined, the run that lies across the border becomes one value, and is complete if both stretches have a head:
//
//   left     a a | b b b | c c        first = a+a   last = c+c   heads = 2
//   right    c | d d                  first = c     last = d+d   heads = 1
//   joined   a a | b b b | c c c | d d                           closes c+c+c
//
// What is within the stretches is complete already. A tree of joins over all items gives each run the association of the
// canonical tree over *all* items, of which only the run's are there (canonical_tree::replay_part): it depends on
// where runs begin and end, and on nothing else.
#pragma once
#include <warpfold/thread/choose.cuh>
#include <warpfold/thread/exact_identity.cuh>

namespace warpfold::by_key {

/// The runs that are open at the ends of a stretch.
template <class A> struct open_runs {
  A first;    ///< of the items before the first head, if any: the end of a run that began further left
  A last;     ///< of the items from the last head on; where there is no head, of all
  int heads;  ///< how many; or a mask of them; to join, it matters only whether there are any
  bool
      has_first;  ///< whether there are items before the first head; not looked at if the operator has an exact identity
};

/// Makes and joins stretches.
template <class Op, class A> struct run_joiner {
  static constexpr bool uses_identity = thread::has_exact_identity<Op, A>;

  Op op;

  /// The stretch of one item.
  __device__ open_runs<A> item(const A& value, int is_head) const {
    if constexpr (uses_identity) return {is_head ? missing() : value, value, is_head, true};
    else return {value, value, is_head, !is_head};
  }
  /// The stretch of no item. It may stand to the right of others only.
  __device__ open_runs<A> none() const { return {missing(), missing(), 0, false}; }

  /// Calls close(value) if that completes a run.
  template <class Close>
  __device__ open_runs<A> join(const open_runs<A>& left, const open_runs<A>& right, Close close) const {
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

/// The stretch of the first `count` of `Count` items of a thread, a power of two; of all of them if `Whole`. Bit k of `heads`
/// says whether item k is one, and is zero for those that do not exist. Calls close(rank, value) for each run that is
/// complete, where `rank` is the number of heads before its own.
template <int Count, bool Whole, int First = 0, class Op, class A, class Value, class Close>
__device__ open_runs<A> fold_runs(const run_joiner<Op, A>& joiner, Value value, unsigned heads, int count,
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

/// Items folded, and, if one of them is a head, what is before it and from it on.
template <class A> struct split_run { A all, before, from; };

/// Folds `Count` items of a thread, a power of two, of which at most one is a head, number `head`: modulo `Count`, since where
/// there is none, only `all` matters. Where the head is the first, `before` means nothing but an exact identity.
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
    // The operator never sees what stands for nothing, unless that is its identity.
    if constexpr (half > 1)
      if (run_joiner<Op, A>::uses_identity || (head & (half - 1)) != 0) before = joiner.op(left.all, right.before);
    return {joiner.op(left.all, right.all), thread::choose(is_right, before, left.before),
            thread::choose(is_right, right.from, static_cast<A>(joiner.op(left.from, right.all)))};
  }
}

/// The stretch of a thread's items, of which one at most is a head, as `heads` says by its bits. fold_split_at(head) folds them.
template <class Split> __device__ auto fold_one_head(Split fold_split_at, unsigned heads) {
  const auto split = fold_split_at(static_cast<unsigned>(__ffs(static_cast<int>(heads)) - 1));
  using A = std::remove_cv_t<decltype(split.all)>;
  return open_runs<A>{thread::choose(heads != 0, split.before, split.all),
                      thread::choose(heads != 0, split.from, split.all), static_cast<int>(heads), heads != 1};
}

}  // namespace warpfold::by_key
