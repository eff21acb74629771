// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How lanes add the items that they hold in registers to superaccumulators in shared memory: exactly, by what costs
// least for the items' exponents. What is chosen changes no bit.
#pragma once
#include <warpfold/exact/exponent_bins.cuh>
#include <warpfold/exact/extraction.cuh>
#include <warpfold/thread/array.cuh>

namespace warpfold::exact {

/// Makes infinities and NaN zeros, and returns their kinds, of the items of the lane.
template <class F, int Items> __device__ unsigned take_special_items(F (&items)[Items]) {
  unsigned kinds = 0;
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) {
    if (items[k] - items[k] == F(0)) continue;
    kinds |= parts_of(items[k]).kinds;
    items[k] = F(0);
  }
  return kinds;
}

/// find_largest, after infinities and NaN have been taken out. Adds to the lane's `kinds`.
template <class F, int Items>
__device__ largest_item<F> find_largest_number(F (&items)[Items], lane_group group, unsigned& kinds) {
  largest_item<F> largest = find_largest(items, group);
  if (__builtin_expect(__any_sync(full_warp, !largest.is_finite()), false)) {
    kinds |= take_special_items(items);
    largest = find_largest(items, group);
  }
  if (!largest.is_minus_zero) kinds |= has_other_than_minus_zero;
  return largest;
}

template <class T, int Levels>
__device__ void add_levels(level_sums<Levels>& sums, lazy_superaccumulator<T>& sum, lane_group group) {
  WARPFOLD_UNROLL
  for (int j = 0; j < Levels; ++j) {
    sum.add(group.sum(sums.sum[j]), sums.exponent[j] - 52, group);
    __syncwarp();
  }
}

/// Adds the lanes' items, finite ones, to the groups' sums, if `Levels` levels hold all of them whole; returns whether
/// they do. All lanes of the warp call it. Cost: 3 additions an item and level.
template <class Extraction, int Levels, class T, class F, int Items>
__device__ bool add_if_whole(F (&items)[Items], const largest_item<F>& largest, lazy_superaccumulator<T>& sum,
                             lane_group group) {
  level_sums<Levels> sums;
  bool is_left = extract<Extraction, false>(items, largest.exponent(), sums);
  if constexpr (std::is_same_v<F, double>) is_left = is_left || largest.exponent() > Extraction::max_exponent;
  if (__any_sync(full_warp, is_left)) return false;
  add_levels(sums, sum, group);
  return true;
}

/// Adds the lanes' items times 2^exponent, finite ones below 2^1015, to the groups' sums. Items are used up. All lanes
/// of the warp call it. Cost: a pass for every 90 octaves (double: 140) of exponents.
template <class Extraction, class T, class F, int Items>
__device__ void add_by_passes(F (&items)[Items], int exponent, lazy_superaccumulator<T>& sum, lane_group group) {
  bool is_left = true;
  WARPFOLD_NO_UNROLL
  while (__any_sync(full_warp, is_left)) {
    level_sums<Extraction::most_levels> sums;
    is_left = extract<Extraction, true>(items, find_largest(items, group).exponent(), sums);
    WARPFOLD_UNROLL
    for (int& e : sums.exponent) e += exponent;
    add_levels(sums, sum, group);
  }
}
/// The same of any finite items. Doubles have other places in registers meanwhile, or none, and the largest ones are
/// scaled, because extraction would overflow.
template <class Extraction, class T, int Items>
__device__ void add_by_passes(const float (&items)[Items], lazy_superaccumulator<T>& sum, lane_group group) {
  float rests[Items];
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) rests[k] = items[k];
  add_by_passes<Extraction>(rests, 0, sum, group);
}
template <class Extraction, class T, int Items>
__device__ __attribute__((noinline)) void add_doubles_by_passes(thread::array<double, Items> items,
                                                                lazy_superaccumulator<T>& sum, lane_group group) {
  WARPFOLD_NO_UNROLL
  for (const bool scales : {true, false}) {
    double rests[Items];
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) {
      const bool is_far = !(-0x1p1000 < items[k] && items[k] < 0x1p1000);
      rests[k] = is_far != scales ? -0.0 : scales ? items[k] * 0x1p-64 : items[k];
    }
    add_by_passes<Extraction>(rests, scales ? 64 : 0, sum, group);
  }
}
template <class Extraction, class T, int Items>
__device__ void add_by_passes(const double (&items)[Items], lazy_superaccumulator<T>& sum, lane_group group) {
  thread::array<double, Items> copy;
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) copy[k] = items[k];
  add_doubles_by_passes<Extraction>(copy, sum, group);
}

/// The exact sum of what a warp adds batch by batch, `Items` items a lane.
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
  /// Adds the lanes' items, which are used up. Items that do not exist must be -0.
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

  /// Of items that one level holds, whatever they are.
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
