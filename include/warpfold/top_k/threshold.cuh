// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which items may still be among the best: one comparison of the hardware tells it, so most items never become keys.
// Items that are a little worse than the threshold may pass, too: a list that holds some more has the same best ones.
#pragma once
#include <warpfold/top_k/order.cuh>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Order> class threshold {
 public:
  using number = typename Order::number;
  using key = key_of<Order>;

  /// For items from place `first` on, if keys that are less than `bound` in their leading bits, or do not come before
  /// `last`, once it holds, are not among the best.
  __device__ threshold(unsigned bound, const key& last, std::int64_t first) {
    std::uint64_t rank = key::rank_reaching(bound);
    if (last.rank_bits() >= rank) {
      rank = last.rank_bits();
      // Of equal items, those before the last one's place come before it. A last key may be a rank alone.
      if (last.holds() && first > last.place()) excludes_all_ = rank++ == Order::all_ones;
    }
    const std::uint64_t best = Order::best_rank();
    excludes_all_ = excludes_all_ || (rank > best && !Order::nan_wins);
    admits_nans_only_ = rank > best;
    admits_all_ = rank <= Order::worst_rank();
    worst_ = Order::number_of_rank(static_cast<typename Order::rank_type>(rank));
  }
  /// Whether an item may be among the best, of several of which this is the best one.
  __device__ bool admits_any(number best) const {
    return !excludes_all_ && (admits_all_ || (admits(best) && !(admits_nans_only_ && best == best)));
  }
  /// Whether all may be, or NaN alone. If neither, and if admits_any, `admits` tells which.
  __device__ bool admits_all() const { return admits_all_; }
  __device__ bool admits_nans_only() const { return admits_nans_only_; }
  __device__ bool admits(number item) const { return !Order::is_worse(item, worst_); }

 private:
  number worst_;
  bool excludes_all_ = false, admits_all_, admits_nans_only_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
