// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exact sum of a warp's batches, in the way that costs least for the items' exponents: a few levels of extraction,
// more of them, or bins. The choice changes no bit.
#pragma once
#include <warpfold/exact/add_items.cuh>
#include <warpfold/exact/exponent_bins.cuh>

namespace warpfold::exact {

/// The exact sum of all that a warp adds, batch by batch, `Items` items per lane.
template <class V, int Items> class warp_sum {
 public:
  using number = typename superaccumulator<V>::number;
  using extraction = exact::extraction<V, Items>;
  struct no_bins {};
  /// In shared memory.
  struct storage {
    lazy_superaccumulator<V> sum;
    std::conditional_t<extraction::is_whole, no_bins, exponent_bins<number>> bins;
  };

  /// All lanes call each member.
  __device__ explicit warp_sum(storage& own) : own_(own) {
    for (int i = arch::lane_id(); i < own.sum.words; i += warp_lanes) own.sum.word[i] = 0;
    __syncwarp();
  }
  /// Adds the lanes' items, and overwrites them. Missing items must be -0.
  __device__ void add(number (&items)[Items]) {
    if (batches_ % batches_per_trial == 0) levels_ = extraction::first_levels;
    if constexpr (extraction::is_whole) add_whole(items);
    else {
      const largest_item<number> largest = find_largest_number(items, whole_warp(), kinds_);
      if (__builtin_expect(!add_by_levels(items, largest), false)) add_by_bins(items);
    }
    if (++batches_ % batches_per_carry == 0) {
      finish();
      own_.sum.carry();
    }
  }
  /// Completes own().sum.
  __device__ void finish() {
    if constexpr (!extraction::is_whole)
      if (binned_batches_ > 0) own_.bins.move_to(own_.sum);
    binned_batches_ = 0;
  }
  __device__ unsigned kinds() const { return kinds_; }  ///< of the lane's items

 private:
  /// Batches after which words are carried: they then stay below 2^57, and those of a block's warps below 2^62.
  static constexpr unsigned batches_per_carry = 1u << 16;
  /// Batches after which few levels are tried again.
  static constexpr unsigned batches_per_trial = 16;

  /// Adds items of a type that one level holds whole.
  __device__ void add_whole(number (&items)[Items]) {
    constexpr std::int64_t limit = std::int64_t{1} << 51;  // of the sum of numbers
    level_sums<1> sums;
    extract<extraction, false>(items, format<V>::max_exponent, sums);
    if (__builtin_expect(__any_sync(full_warp, !(-limit < sums.sum[0] && sums.sum[0] < limit)), false)) {
      kinds_ |= take_special_items(items);
      extract<extraction, false>(items, format<V>::max_exponent, sums);
    }
    bool has_other = sums.sum[0] != 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) has_other = has_other || bits_as<std::uint32_t>(items[k]) != 0x80000000u;
    if (has_other) kinds_ |= has_other_than_minus_zero;
    add_levels(sums, own_.sum, whole_warp());
  }
  __device__ bool add_by_levels(number (&items)[Items], const largest_item<number>& largest) {
    constexpr int first = extraction::first_levels, most = extraction::most_levels;
    if (levels_ == first) {
      if (add_if_whole<extraction, first>(items, largest, own_.sum, whole_warp())) return true;
      ++levels_;
    }
    if (first < most && levels_ == most) {
      if (add_if_whole<extraction, most>(items, largest, own_.sum, whole_warp())) return true;
      ++levels_;
    }
    return false;
  }
  __device__ void add_by_bins(const number (&items)[Items]) {
    if (binned_batches_ == 0) own_.bins.clear();
    own_.bins.add(items);
    if (++binned_batches_ == exponent_bins<number>::most_lane_items / Items) finish();
  }

  storage& own_;
  int levels_ = extraction::first_levels;  ///< to be tried; more than most_levels: none
  unsigned batches_ = 0, binned_batches_ = 0, kinds_ = 0;
};

}  // namespace warpfold::exact
