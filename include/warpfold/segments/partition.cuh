// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divides items and segments evenly among the warps of a grid, so that neither one giant segment nor many empty ones in
// a row overload a warp. This is the load-balancing search of moderngpu and of Merrill and Garland 2016, with a cost
// per segment.
//
// Work is measured in positions: an item counts 1, a segment counts `segment_cost` more. Segment s begins at position
// begin(s) + segment_cost * s. Each warp owns an equal range of positions, and takes the segments that begin there,
// and parts of longer ones. The begins of segments ascend, so a warp finds its first segment by a search.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/segments/spans.cuh>
#include <warpfold/warp/search.cuh>

namespace warpfold::segment {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The arithmetic of a partition. `Own`, which derives from it, has
///
///   positions_per_warp  the length of a warp's range
///   segment_cost        positions that a segment counts beside its items
template <class Own> struct partition {
  __host__ __device__ std::int64_t position(std::int64_t segment, std::int64_t item) const {
    return item + own().segment_cost * segment;
  }
  /// The item at which `segment` would begin if its position were `position`.
  __device__ std::int64_t item_at(std::int64_t segment, std::int64_t position) const {
    return position - own().segment_cost * segment;
  }
  /// The range of the warp with this number in the grid.
  __device__ segment_span positions_of(std::int64_t warp) const {
    return {warp * own().positions_per_warp, (warp + 1) * own().positions_per_warp};
  }
  __device__ std::int64_t warp_of(std::int64_t position) const { return position / own().positions_per_warp; }
  /// The first of the listed segments that begins at position `from` or later. All lanes of a warp call it.
  template <class Spans>
  __device__ std::int64_t first_segment(const Spans& spans, std::int64_t from, std::int64_t items) const {
    return warp::interpolation_search(spans.count, position(spans.count, items), from,
                                      [&](std::int64_t s) { return position(s, spans.span(s).begin); });
  }

 private:
  __host__ __device__ const Own& own() const { return static_cast<const Own&>(*this); }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segment
