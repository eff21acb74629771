// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings values into the L2 cache before a warp reads them.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/vector_load.cuh>

namespace warpfold::warp {

inline constexpr int line_bytes = 128;

/// Brings `count` values behind `from`, at most `Most`, into the L2 cache, while the warp does other things. All lanes
/// call it, here and below.
template <int Most, class T> __device__ void prefetch(const T* from, int count) {
  constexpr int bytes = sizeof(T);
  const auto* const begin = reinterpret_cast<const unsigned char*>(from);
  WARPFOLD_UNROLL
  for (int at = 0; at < Most * bytes; at += warp_lanes * line_bytes)
    if (const int own = at + arch::lane_id() * line_bytes; own < count * bytes) arch::prefetch_into_l2(begin + own);
}

/// The same of the `count` items from item `first` on, if they are behind a pointer.
template <int Most, class Source>
__device__ void prefetch_items([[maybe_unused]] const Source& source, [[maybe_unused]] std::int64_t first,
                               [[maybe_unused]] int count) {
  if constexpr (requires { source.data; }) prefetch<Most>(source.data + first, count);
}

/// The same of item `own` of each lane, if it exists: `Step` items behind that of the lane before.
template <int Step, class Source>
__device__ void prefetch_by_lanes([[maybe_unused]] const Source& source, [[maybe_unused]] std::int64_t own) {
  constexpr int line_lanes = greatest_of(line_bytes / (Step * int{sizeof(typename Source::item)}), 1);
  if constexpr (requires { source.data; })
    if (arch::lane_id() % line_lanes == 0 && own < source.items) arch::prefetch_into_l2(source.data + own);
}

}  // namespace warpfold::warp
