// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments described by the owners of items, as a scan reads them (segments.cuh says what a description has). A segment
// begins where an item has another owner than the one before.
#pragma once
#include <warpfold/segmented_scan/segments.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Item i belongs to segment ids[i]. Ids ascend.
template <class Ids> struct owned_segments {
  static constexpr bool has_gaps = false;

  Ids ids;
  std::int64_t items;

  __device__ piece_cut cut_at(std::int64_t position, int log_unit, std::int64_t) const {
    if (position == 0) return {0, 0, 0, 0, false, 0};
    const std::int64_t owner = ids[position - 1], begin = begin_of(owner, position - 1);
    const std::int64_t unit = unit_from(begin, position, log_unit);
    const bool continues = unit < items && ids[unit] == owner;
    std::int64_t end = unit;
    if (!continues)
      end = warp::partition_point(position, least_of(unit, items), [&](std::int64_t i) { return ids[i] == owner; });
    return {begin, unit, end, end, continues, 0};
  }

  template <class Marks>
  __device__ piece_cut mark_begins(const piece_cut& before, std::int64_t end, int log_unit, std::int64_t,
                                   Marks& marks) const {
    constexpr int steps = 4;
    const int lane = arch::lane_id();
    std::int64_t latest = ids[before.next];
    for (std::int64_t first = before.next; first < end; first += steps * warp_lanes) {
      std::int64_t own[steps];
      WARPFOLD_UNROLL
      for (int step = 0; step < steps; ++step) {
        const std::int64_t item = first + step * warp_lanes + lane;
        own[step] = item < end ? static_cast<std::int64_t>(ids[item]) : 0;
      }
      WARPFOLD_UNROLL
      for (int step = 0; step < steps; ++step) {
        const std::int64_t rotated = warp::shuffle(own[step], (lane + warp_lanes - 1) & (warp_lanes - 1));
        const std::int64_t left = lane == 0 ? latest : rotated, item = first + step * warp_lanes + lane;
        latest = rotated;  // in lane 0, the last owner of these
        if (item < end && (item == before.next || own[step] != left)) marks.mark_begin(item - before.next);
      }
    }
    __syncwarp();
    return cut_at(end, log_unit, items);
  }

  __device__ std::int64_t entries() const { return items; }
  __device__ void require_in_order(std::int64_t item, std::int64_t) const {
    [[maybe_unused]] const std::int64_t own = ids[item], next = item + 1 < items ? ids[item + 1] : own;
    arch::require(own <= next,
                  "segmented_scan: item %lld has the owner %lld, the next one %lld; segments must be in order: owners "
                  "must ascend",
                  item, own, next);
  }

 private:
  /// Where the segment of `item` begins.
  __device__ std::int64_t begin_of(std::int64_t owner, std::int64_t item) const {
    std::int64_t low = item - warp_lanes * warp_lanes;
    for (std::int64_t stride = warp_lanes * warp_lanes; low > 0 && ids[low] == owner; low = item - stride)
      item = low, stride *= warp_lanes;
    return warp::partition_point(greatest_of(low, 0), item, [&](std::int64_t i) { return ids[i] != owner; });
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
