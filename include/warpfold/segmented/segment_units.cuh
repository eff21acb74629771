// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the units of a segment that several warps have folded. Each warp stores its units' values and counts them in.
// The warp that completes a bundle of 256 units joins the bundle; the warp that completes the segment's bundles joins
// these. No warp waits.
#pragma once
#include <warpfold/arch/ticket.cuh>
#include <warpfold/segmented/fold_chunks.cuh>
#include <warpfold/segmented/load_balance_partition.cuh>
#include <warpfold/warp/counter.cuh>
#include <warpfold/warp/fold_values.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The scratch of long segments. Units begin at least a unit apart, so a unit's position gives its place. But one
/// segment may end and another begin within a unit, so first units have places of their own.
template <class A> struct unit_values {
  A* first_units;
  A* other_units;
  unsigned* counters;  ///< counters_per_warp for each warp; zero before and after the kernel

  /// The place of unit `unit` of the segment that begins at position `first`.
  __device__ A& value(const load_balance_partition& partition, std::int64_t first, std::int64_t unit) const {
    const std::int64_t place = (first + (unit << partition.log_unit)) >> partition.log_unit;
    return (unit == 0 ? first_units : other_units)[place];
  }
  /// At most one segment that goes on after a warp's range begins in it, and at most one later bundle of units.
  __device__ unsigned* of_first_bundle(std::int64_t warp) const { return counters + warp * counters_per_warp; }
  __device__ unsigned* of_other_bundle(std::int64_t warp) const { return of_first_bundle(warp) + 1; }
  __device__ unsigned* of_segment(std::int64_t warp) const { return of_first_bundle(warp) + 2; }
};

/// Counts in the units [begin, end), which the calling warp has stored, of a segment of `units` units that begins at
/// position `first`. Calls store(value of the segment) in all lanes of the warp that completes the segment.
template <class A, class Op, class Store>
__device__ void join_units(const unit_values<A>& values, const load_balance_partition& partition, std::int64_t first,
                           std::int64_t begin, std::int64_t end, std::int64_t units, Op op, Store store) {
  constexpr int most = units_per_bundle;
  const std::int64_t bundles = (units - 1) / most + 1;
  for (std::int64_t bundle = begin / most; bundle * most < end; ++bundle) {
    const std::int64_t bundle_first = bundle * most, bundle_end = least_of(bundle_first + most, units);
    const std::int64_t warp = partition.warp_of(first + (bundle_first << partition.log_unit));
    unsigned* counter = bundle == 0 ? values.of_first_bundle(warp) : values.of_other_bundle(warp);
    if (!arch::warp_completes(counter, least_of(end, bundle_end) - greatest_of(begin, bundle_first),
                              bundle_end - bundle_first))
      continue;
    const A joined = warp::fold_values<A>(
        static_cast<int>(bundle_end - bundle_first),
        [&](int i) { return values.value(partition, first, bundle_first + i); }, op);
    if (bundles == 1) return store(joined);
    __syncwarp();  // all lanes have read their units, of which lane 0 overwrites the first
    if (arch::lane_id() == 0) values.value(partition, first, bundle_first) = joined;
    if (arch::warp_completes(values.of_segment(partition.warp_of(first)), 1, bundles))
      store(warp::fold_values<A>(
          static_cast<int>(bundles), [&](int i) { return values.value(partition, first, std::int64_t{i} * most); },
          op));
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
