// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp folds its lanes' chunks to nodes, and joins these: by full nodes (thread/full_form.cuh), by the operator's
// own joins, or as plain terms (thread/item_terms.cuh).
#pragma once
#include <warpfold/segmented/late_leaves.cuh>
#include <warpfold/thread/few_items.cuh>
#include <warpfold/warp/fold_terms.cuh>

namespace warpfold::segmented {

namespace detail {

/// Whether items of several chunks may be added as plain terms: the operator tells how to part their sums again.
template <class Leaves> WARPFOLD_JIT consteval bool find_may_join_terms() {
  if constexpr (!may_join_full_nodes<Leaves> && thread::takes_any_item<Leaves> && warp::has_terms<Leaves>)
    return requires(const typename warp::detail::items_as_terms<Leaves>::type& terms) { terms.exponent(); };
  else return false;
}
template <class Leaves> inline constexpr bool may_join_terms = find_may_join_terms<Leaves>();

/// How nodes are folded: chunk() gives the value of a lane's chunk in some row, which means nothing if it does not
/// exist, join() that of two nodes of `chunks` chunks each, and node() the node itself. `joins_any`: values may be
/// joined though their nodes are no neighbours, or do not exist.
template <class Leaves> struct full_joins {
  using value = thread::full_node<Leaves>;
  /// Where a chunk takes long to fold. (Moments are 5 to 8 % slower so.)
  static constexpr bool loads_ahead = sizeof(value) > 16, joins_any = true;
  const Leaves& leaves;

  __device__ value chunk(const typename Leaves::chunk& from, int, bool exists) const {
    return thread::detail::fold_full_items<0, Leaves::chunk_items>(
        thread::full_form_of(leaves), [&](int k) { return thread::full_item(leaves, from, k, exists); });
  }
  __device__ value join(const value& a, const value& b, int chunks) const {
    return thread::full_form_of(leaves).join_full(a, b, std::int64_t{chunks} * Leaves::chunk_items);
  }
  __device__ static value node(const value& all) { return all; }
};
/// The same by the operator's own joins.
template <class Leaves, class Op> struct own_joins {
  using value = typename Leaves::accumulator;
  static constexpr bool loads_ahead = false, joins_any = false;
  const Leaves& leaves;
  Op op;

  __device__ value chunk(const typename Leaves::chunk& from, int, bool exists) const {
    if constexpr (may_join_terms<Leaves>) return thread::fold_chunk(leaves, from, op);
    else return thread::fold_chunk(leaves, from, op, exists ? Leaves::chunk_items : 0);
  }
  __device__ value join(const value& a, const value& b, int) const { return op(a, b); }
  __device__ static value node(const value& all) { return all; }
};
template <class Leaves, class Op> __device__ auto joins_of(const Leaves& leaves, [[maybe_unused]] Op op) {
  if constexpr (may_join_full_nodes<Leaves>) return full_joins<Leaves>{leaves};
  else return own_joins<Leaves, Op>{leaves, op};
}

/// The same as plain terms at the greatest exponent of all lanes, where all of their items can be. The exponent of a
/// node's own items goes along, since lanes may have different segments.
template <class Leaves, int Rows> class term_joins {
 public:
  using R = decltype(Leaves::accumulator::sum);
  struct value {
    R sum, exponent;
  };
  static constexpr bool joins_any = true;

  /// The items are those of the lanes' chunks `rows`; exists(r) says whether the calling lane's chunk of row r exists.
  /// All lanes call it.
  template <class Chunk, class Exists> __device__ term_joins(const Chunk (&rows)[Rows], Exists exists) {
    WARPFOLD_UNROLL
    for (int r = 0; r < Rows; ++r) {
      terms own;
      WARPFOLD_UNROLL
      for (int k = 0; k < Leaves::chunk_items; ++k) own.meet(number(rows[r], k));
      exponents_[r] = own.exponent();
      if (exists(r)) all_.meet(own);
    }
    are_plain_ = all_.settle([](auto own, auto op) { return warp::all_reduce(own, op); });
  }
  __device__ bool are_plain() const { return are_plain_; }
  __device__ value chunk(const typename Leaves::chunk& from, int row, bool) const {
    R items[Leaves::chunk_items];
    WARPFOLD_UNROLL
    for (int k = 0; k < Leaves::chunk_items; ++k) items[k] = all_.term(number(from, k));
    return {thread::fold(items, plus{}), exponents_[row]};
  }
  __device__ static value join(const value& a, const value& b, int) {
    return {plus{}(a.sum, b.sum), maximum{}(a.exponent, b.exponent)};
  }
  __device__ auto node(const value& all) const { return all_.total_at(all.exponent, all.sum); }

 private:
  using terms = typename warp::detail::items_as_terms<Leaves>::type;
  __device__ static R number(const typename Leaves::chunk& from, int k) {
    return thread::number_of_item<R>(Leaves::source_type::value(from, k));
  }

  terms all_;
  R exponents_[Rows];
  bool are_plain_;
};

}  // namespace detail

}  // namespace warpfold::segmented
