// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How lanes add the items that they hold in registers to superaccumulators in shared memory: by a few levels of
// extraction, if these hold the items whole, else by passes until all rests are zero. The choice changes no bit.
#pragma once
#include <warpfold/exact/extraction.cuh>
#include <warpfold/exact/lazy_superaccumulator.cuh>
#include <warpfold/thread/array.cuh>

namespace warpfold::exact {

/// Replaces the lane's infinities and NaN by zeros, and returns their kinds.
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
__device__ largest_item<F> find_largest_number(F (&items)[Items], lane_team team, unsigned& kinds) {
  largest_item<F> largest = find_largest(items, team);
  if (__builtin_expect(__any_sync(full_warp, !largest.is_finite()), false)) {
    kinds |= take_special_items(items);
    largest = find_largest(items, team);
  }
  if (!largest.is_minus_zero) kinds |= has_other_than_minus_zero;
  return largest;
}

template <class T, int Levels>
__device__ void add_levels(level_sums<Levels>& sums, lazy_superaccumulator<T>& sum, lane_team team) {
  WARPFOLD_UNROLL
  for (int j = 0; j < Levels; ++j) {
    sum.add(team.sum(sums.sum[j]), sums.exponent[j] - 52, team);
    __syncwarp();
  }
}

/// Adds the lanes' items, finite ones, to the teams' sums, if `Levels` levels hold all of them whole; returns whether
/// they do. All lanes of the warp call it. Cost: 3 additions for each item and level.
template <class Extraction, int Levels, class T, class F, int Items>
__device__ bool add_if_whole(F (&items)[Items], const largest_item<F>& largest, lazy_superaccumulator<T>& sum,
                             lane_team team) {
  level_sums<Levels> sums;
  bool has_rest = extract<Extraction, false>(items, largest.exponent(), sums);
  if constexpr (std::is_same_v<F, double>) has_rest = has_rest || largest.exponent() > Extraction::max_exponent;
  if (__any_sync(full_warp, has_rest)) return false;
  add_levels(sums, sum, team);
  return true;
}

/// Adds the lanes' items times 2^exponent, finite ones below 2^1015, to the teams' sums. The items are overwritten. All
/// lanes of the warp call it. Cost: a pass for every 90 octaves (double: 140) of exponents.
template <class Extraction, class T, class F, int Items>
__device__ void add_by_passes(F (&items)[Items], int exponent, lazy_superaccumulator<T>& sum, lane_team team) {
  bool has_rest = true;
  WARPFOLD_NO_UNROLL
  while (__any_sync(full_warp, has_rest)) {
    level_sums<Extraction::most_levels> sums;
    has_rest = extract<Extraction, true>(items, find_largest(items, team).exponent(), sums);
    WARPFOLD_UNROLL
    for (int& e : sums.exponent) e += exponent;
    add_levels(sums, sum, team);
  }
}
/// The same for any finite items, which are kept. The largest doubles are scaled, because extraction would overflow.
template <class Extraction, class T, int Items>
__device__ void add_by_passes(const float (&items)[Items], lazy_superaccumulator<T>& sum, lane_team team) {
  float rests[Items];
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) rests[k] = items[k];
  add_by_passes<Extraction>(rests, 0, sum, team);
}
template <class Extraction, class T, int Items>
__device__ __attribute__((noinline)) void add_doubles_by_passes(thread::array<double, Items> items,
                                                                lazy_superaccumulator<T>& sum, lane_team team) {
  WARPFOLD_NO_UNROLL
  for (const bool scales : {true, false}) {
    double rests[Items];
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) {
      const bool is_far = !(-0x1p1000 < items[k] && items[k] < 0x1p1000);
      rests[k] = is_far != scales ? -0.0 : scales ? items[k] * 0x1p-64 : items[k];
    }
    add_by_passes<Extraction>(rests, scales ? 64 : 0, sum, team);
  }
}
template <class Extraction, class T, int Items>
__device__ void add_by_passes(const double (&items)[Items], lazy_superaccumulator<T>& sum, lane_team team) {
  thread::array<double, Items> copy;
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) copy[k] = items[k];
  add_doubles_by_passes<Extraction>(copy, sum, team);
}

}  // namespace warpfold::exact
