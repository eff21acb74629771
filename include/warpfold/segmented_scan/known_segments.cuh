// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel does first: if only the device knows how many segments there are, it reads the number (see
// segments/counted.cuh), and leaves out the tiles behind the last one. Otherwise its arguments are what it was given.
#pragma once
#include <warpfold/segmented_scan/arguments.cuh>
#include <warpfold/segments/counted.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Arguments> __device__ const Arguments& with_known_segments(const Arguments& given) { return given; }
template <class Segments, class N, class Leaves, class Op, class Out>
__device__ auto with_known_segments(const scan_arguments<segment::counted<Segments, N>, Leaves, Op, Out>& given) {
  scan_arguments<Segments, Leaves, Op, Out> known{
      given.segments.known(), given.leaves,     given.op,   given.out, given.init, given.first,
      given.log_unit,         given.aligned_at, given.units};
  const std::int64_t items = segment::items_of(known.segments, known.leaves.source.items);
  known.units.tiles = static_cast<int>(greatest_of((items - 1) >> known.log_unit, std::int64_t{0})) + 1;
  return known;
}

template <class Owners, class N, class Leaves, class Op, class Out>
__device__ auto with_known_segments(const scan_arguments<segment::counted_items<Owners, N>, Leaves, Op, Out>& given) {
  scan_arguments<Owners, Leaves, Op, Out> known{
      given.segments.known(), given.leaves,     given.op,   given.out, given.init, given.first,
      given.log_unit,         given.aligned_at, given.units};
  const std::int64_t items = known.segments.items;
  grid::keep_first(known.leaves.source, items);
  known.units.tiles = static_cast<int>(greatest_of((items - 1) >> known.log_unit, std::int64_t{0})) + 1;
  return known;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
