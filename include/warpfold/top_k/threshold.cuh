// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which items may still be among the best: one comparison of the hardware tells it, or the sign of a difference, of two
// halfs or bfloat16 at a time. So most items never become keys. Items that are a little worse than the threshold may
// pass, too: a list that holds some more has the same best ones.
#pragma once
#include <warpfold/top_k/order.cuh>
#include <warpfold/top_k/packed_bound.cuh>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Shifts the sign of a - b into the lowest bit of `bits`. The difference is not flushed to zero, whatever the flags.
__device__ inline unsigned shift_in_sign(unsigned bits, [[maybe_unused]] float a, [[maybe_unused]] float b) {
#if defined(__CUDA_ARCH__)
  float difference;
  asm("sub.rn.f32 %0, %1, %2;" : "=f"(difference) : "f"(a), "f"(b));
  bits = __funnelshift_l(__float_as_uint(difference), bits, 1);
#endif
  return bits;
}

template <class Order> class threshold {
 public:
  using number = typename Order::number;
  using key = key_of<Order>;

  threshold() = default;  ///< to be assigned before use
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
    if constexpr (by_signs)
      if (worst_ == 0) worst_ = Order::is_smallest ? 0.0f : -0.0f;  // from which no zero differs by -0
    if constexpr (by_pairs) pairs_ = pair_bound(worst_);
  }
  /// Whether an item may be among the best, of several of which this is the best one.
  __device__ bool admits_any(number best) const {
    return !excludes_all_ && (admits_all_ || (admits(best) && !(admits_nans_only_ && best == best)));
  }
  /// Whether all may be, or NaN alone. If neither, and if admits_any, `admits` tells which.
  __device__ bool admits_all() const { return admits_all_; }
  __device__ bool admits_nans_only() const { return admits_nans_only_; }
  __device__ bool excludes_all() const { return excludes_all_; }
  __device__ bool admits(number item) const { return !Order::is_worse(item, worst_); }
  /// Whether the sign of a difference tells what is excluded: two instructions for an item. It excludes no NaN.
  static constexpr bool by_signs = std::is_same_v<number, float> && Order::nan_wins;
  /// Whether one instruction compares two items.
  static constexpr bool by_pairs = by_signs && is_half_like<typename Order::item>;
  using pair_bound = packed_bound<typename Order::item, Order::is_smallest>;
  /// For the four items of two words, one byte each: 0xFF if the item is excluded, and 0 if it may be among the best.
  __device__ unsigned excluded(unsigned first, unsigned second) const requires(by_pairs) {
    return pairs_.are_worse(first, second);
  }
  /// Shifts into the lowest bit of `excluded` whether `admits` does not tell `item`.
  __device__ unsigned shift_in(unsigned excluded, number item) const {
#if defined(__CUDA_ARCH__)
    if constexpr (by_signs)
      return Order::is_smallest ? shift_in_sign(excluded, worst_, item) : shift_in_sign(excluded, item, worst_);
#endif
    return excluded << 1 | static_cast<unsigned>(!admits(item));
  }

 private:
  struct no_pairs {};

  number worst_;
  std::conditional_t<by_pairs, pair_bound, no_pairs> pairs_;
  bool excludes_all_ = false, admits_all_, admits_nans_only_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
