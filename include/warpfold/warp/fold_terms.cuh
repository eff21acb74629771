// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds batches for operators whose accumulators are a sum and something more: a scale, a count. Where all items of a
// batch share that, each becomes a plain number, a term, and the terms are added. The bits are those of the operator.
#pragma once
#include <warpfold/thread/item_terms.cuh>
#include <warpfold/warp/batched_reduce.cuh>

namespace warpfold::warp {

namespace detail {
template <class Leaves> struct items_as_terms { static constexpr bool exist = false; };
template <class Source, class Op, class Transform, class A> WARPFOLD_JIT consteval bool are_terms() {
  if constexpr (requires { typename Source::pair; }) return false;
  else return thread::detail::makes_terms<Op, typename thread::detail::transformed_items<Transform, Source>::type, A>;
}
template <class Source, class Op, class Transform, class A>
  requires requires { typename Op::template plain_terms<A>; }
struct items_as_terms<thread::leaves<Source, thread::lifted<Op, Transform>, A>> {
  static constexpr bool exist = are_terms<Source, Op, Transform, A>();
  using type = typename Op::template plain_terms<A>;
};
}  // namespace detail

/// Whether folds of these leaves, of one source, may add plain terms.
template <class Leaves> inline constexpr bool has_terms = detail::items_as_terms<Leaves>::exist;

/// The rows of a batch as plain terms. The operator's plain_terms<A> has
///   meet(x)                 notes an item of the lane
///   settle(all_reduce)      whether all lanes' items can be terms; all_reduce(value, op) folds a value of each lane
///   term(x), total(sum, n)  an item as a term, and the accumulator of n items whose terms have that sum, if they can
/// and where parts of a batch are nodes of their own (segmented/chunk_joins.cuh)
///   meet(others)            notes the items that others have met
///   exponent()              that of the items met so far; of two nodes together it is the greater one
///   total_at(exponent, sum) the accumulator of some items that have that exponent
/// and, if all sums of a tile become results at once (segmented/tile_terms.cuh)
///   lower(sum, n, result)   sets `result` to what the operator lowers the accumulator of some n < 2^10 of these items
///                           to, whatever their own exponent is; returns false where that may matter
///   may_hold_nothing()      after settle(): whether an item may have been met that adds nothing
///   counts(x)               static: false for such an item; its term is 0
template <class Leaves, int Rows, bool AllExist = true> class term_rows {
 public:
  using A = typename Leaves::accumulator;
  using R = decltype(A::sum);
  static constexpr int chunk_items = Leaves::chunk_items;

  /// All lanes call it, as fold() below. Only the first `items` items exist, all of them if AllExist.
  __device__ term_rows(const Leaves& leaves, const typename Leaves::chunk (&rows)[Rows],
                       int items = Rows * warp_lanes * chunk_items)
      : leaves_(leaves), rows_(rows), items_(items) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Rows * chunk_items; ++i)
      if (exists(i / chunk_items, i % chunk_items)) terms_.meet(item(i / chunk_items, i % chunk_items));
    are_plain_ = terms_.settle([](auto value, auto op) { return all_reduce(value, op); });
  }
  __device__ bool are_plain() const { return are_plain_; }
  /// The node over the batch, where are_plain(). Valid in every lane.
  __device__ A fold() const {
    R sums[Rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      R terms[chunk_items];
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_items; ++k) {
        terms[k] = static_cast<R>(-0.0);  // changes no sum
        if (exists(row, k)) terms[k] = terms_.term(item(row, k));
      }
      sums[row] = thread::fold(terms, plus{});
    }
    return terms_.total(fold_rows(sums, plus{}), items_);
  }

 private:
  __device__ bool exists(int row, int k) const {
    return AllExist || (row * warp_lanes + arch::lane_id()) * chunk_items + k < items_;
  }
  __device__ R item(int row, int k) const {
    return thread::number_of_item<R>(leaves_.transform.transform(Leaves::source_type::value(rows_[row], k)));
  }

  const Leaves& leaves_;
  const typename Leaves::chunk (&rows_)[Rows];
  int items_;
  typename detail::items_as_terms<Leaves>::type terms_;
  bool are_plain_;
};

}  // namespace warpfold::warp
