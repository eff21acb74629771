// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of exponentials over a batch, for log_sum_exp: where the items lie within a range that allows it, all of them
// are scaled by the exponent of the largest one, and plain numbers are added. The bits are those of the operator.
#pragma once
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/lift.cuh>
#include <warpfold/warp/batched_reduce.cuh>

namespace warpfold::warp {

namespace detail {
template <class Leaves> struct exponential_items { static constexpr bool exist = false; };
template <class Source, class Op, class Transform, class A>
  requires requires { typename Op::sums_exponentials; }
struct exponential_items<thread::leaves<Source, thread::lifted<Op, Transform>, A>> {
  static constexpr bool exist = !requires { typename Source::pair; };
};
}  // namespace detail

/// Whether folds of these leaves sum exponentials of the items of one source.
template <class Leaves> inline constexpr bool sums_exponentials = detail::exponential_items<Leaves>::exist;

/// The rows of a batch, as numbers of type `R`.
template <class Leaves, int Rows> class exponential_rows {
 public:
  using R = decltype(Leaves::accumulator::sum);
  static constexpr int chunk_items = Leaves::chunk_items;

  /// All lanes call it, as fold() below.
  __device__ exponential_rows(const Leaves& leaves, const typename Leaves::chunk (&rows)[Rows])
      : leaves_(leaves), rows_(rows) {
    least_ = greatest_ = item(0, 0);
    WARPFOLD_UNROLL
    for (int i = 1; i < Rows * chunk_items; ++i) {
      const R x = item(i / chunk_items, i % chunk_items);
      least_ = minimum{}(least_, x), greatest_ = maximum{}(greatest_, x);
    }
    least_ = all_reduce(least_, minimum{}), greatest_ = all_reduce(greatest_, maximum{});
  }
  __device__ bool share_exponent() const { return log_sum_exp::share_exponent(least_, greatest_); }
  /// The node over the batch, where share_exponent(). Valid in every lane.
  __device__ typename Leaves::accumulator fold() const {
    const R bits = log_sum_exp::bits_of(greatest_);
    R sums[Rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      R terms[chunk_items];
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_items; ++k) terms[k] = log_sum_exp::term(item(row, k), bits);
      sums[row] = thread::fold(terms, plus{});
    }
    return {fold_rows(sums, plus{}), log_sum_exp::exponent_of(greatest_)};
  }

 private:
  using log_sum_exp = std::remove_cvref_t<decltype(Leaves::transform.op)>;
  __device__ R item(int row, int k) const {
    return static_cast<R>(warpfold::detail::convert<typename warpfold::detail::promoted<item_type>::type>(
        leaves_.transform.transform(Leaves::source_type::value(rows_[row], k))));
  }
  using item_type =
      typename thread::detail::transformed_items<std::remove_cvref_t<decltype(Leaves::transform.transform)>,
                                                 typename Leaves::source_type>::type;

  const Leaves& leaves_;
  const typename Leaves::chunk (&rows_)[Rows];
  R least_, greatest_;
};

}  // namespace warpfold::warp
